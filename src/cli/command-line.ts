import process from 'node:process';
import { isStartedByNpm } from '../config/environment.ts';
import { EXIT, failureOf } from './exit-code.ts';
import { endWhenUnread } from './output.ts';
import { runCommandLine } from './program.ts';

/** Time between two looks at the parent, ms. */
const LOOK_MS = 250;

endWhenUnread();
endWithNpm();

// Node prints every field of an uncaught error; ioredis keeps the arguments of AUTH in one.
process.on('uncaughtException', (error) => {
  process.stderr.write(`${failureOf(error).message}\n`);
  process.exit(EXIT.failed);
});

process.exitCode = await runCommandLine(process.argv.slice(2));

/**
 * Where npm started this process: sends it SIGTERM once its parent has ended, so that it ends in order. npm passes SIGTERM on to
 * the shell between them alone, which would leave the command running without anybody who knows of it. Elsewhere does nothing: a
 * process that was put into the background of a shell is meant to outlive it.
 */
function endWithNpm(): void {
  if (!isStartedByNpm()) return;
  const parent = process.ppid;
  const looking = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(looking);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS);
  looking.unref();
}
