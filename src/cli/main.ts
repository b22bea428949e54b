#!/usr/bin/env node
import process from 'node:process';
import { EXIT } from './exit-code.ts';
import { runCommandLine } from './program.ts';
import { runtimeProblem } from './runtime.ts';

// Whoever reads the output wants no more of it, as `… | head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT.failed);
});

const problem = runtimeProblem(process.versions.node);
if (problem === undefined) process.exitCode = await runCommandLine(process.argv.slice(2));
else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = EXIT.failed;
}
