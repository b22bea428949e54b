/**
 * A process that holds development servers, to be ended in every possible way. Prints a line of JSON for each server, the whole list
 * once all are up, and then waits. Arguments: `throw` makes it crash instead; `without-kafka` saves the start of a broker.
 */
import process from 'node:process';
import { startDevServers } from '../../src/tools/devservers/devservers.ts';

const { STACK_FROM, STACK_INSTALL, CI } = process.env;
const servers = await startDevServers({
  environment: { STACK_FROM, STACK_INSTALL, CI },
  kafka: !process.argv.includes('without-kafka'),
  log: (line) => console.log(JSON.stringify({ line })),
});
console.log(JSON.stringify({ parts: servers.parts }));
if (process.argv.includes('throw')) throw new Error('a crash, on purpose');
setInterval(() => undefined, 60_000);
