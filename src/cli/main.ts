#!/usr/bin/env node
import process from 'node:process';
import { EXIT } from './exit-code.ts';
import { failureOf } from './failure.ts';
import { runCommandLine } from './program.ts';
import { runtimeProblem } from './runtime.ts';
import { endWhenUnread } from './unread-output.ts';

endWhenUnread();

// Node would print every field of an error that nobody caught; ioredis hangs the arguments of AUTH on its errors.
process.on('uncaughtException', (error) => {
  process.stderr.write(`${failureOf(error).message}\n`);
  process.exit(EXIT.failed);
});

const problem = runtimeProblem(process.versions.node);
if (problem === undefined) process.exitCode = await runCommandLine(process.argv.slice(2));
else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = EXIT.failed;
}
