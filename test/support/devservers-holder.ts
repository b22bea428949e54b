/**
 * A process that holds development servers, to be ended in every possible way. Prints a line of JSON for each server, the whole list
 * once all are up, and then waits; `throw` as its argument makes it crash instead.
 */
import process from 'node:process';
import { startDevServers } from '../../src/tools/devservers/devservers.ts';

const { STACK_FROM, STACK_INSTALL, CI } = process.env;
const servers = await startDevServers({
  environment: { STACK_FROM, STACK_INSTALL, CI },
  log: (line) => console.log(JSON.stringify({ line })),
});
console.log(JSON.stringify({ parts: servers.parts }));
if (process.argv[2] === 'throw') throw new Error('a crash, on purpose');
setInterval(() => undefined, 60_000);
