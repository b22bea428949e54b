import process from 'node:process';
import { endWithNpm } from './end-with-npm.ts';
import { EXIT, failureOf } from './exit-code.ts';
import { endWhenUnread } from './output.ts';
import { runCommandLine } from './program.ts';

endWhenUnread();
endWithNpm();

// Node prints every field of an uncaught error; ioredis keeps the arguments of AUTH in one.
process.on('uncaughtException', (error) => {
  process.stderr.write(`${failureOf(error).message}\n`);
  process.exit(EXIT.failed);
});

process.exitCode = await runCommandLine(process.argv.slice(2));
