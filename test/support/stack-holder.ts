/**
 * A process that holds a stack, to be ended in every way there is. Prints a line of JSON for each part, the whole list
 * once all are up, and then waits; `throw` as its argument makes it crash instead.
 */
import process from 'node:process';
import { startStack } from '../../src/tools/devservers/stack.ts';

const { STACK_FROM, CI } = process.env;
const stack = await startStack({
  environment: { STACK_FROM, CI },
  log: (line) => console.log(JSON.stringify({ line })),
});
console.log(JSON.stringify({ parts: stack.parts }));
if (process.argv[2] === 'throw') throw new Error('a crash, on purpose');
setInterval(() => undefined, 60_000);
