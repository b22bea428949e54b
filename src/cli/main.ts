#!/usr/bin/env node
import process from 'node:process';
import { EXIT } from './exit-code.ts';
import { runCommandLine } from './program.ts';
import { runtimeProblem } from './runtime.ts';
import { endWhenUnread } from './unread-output.ts';

endWhenUnread();

const problem = runtimeProblem(process.versions.node);
if (problem === undefined) process.exitCode = await runCommandLine(process.argv.slice(2));
else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = EXIT.failed;
}
