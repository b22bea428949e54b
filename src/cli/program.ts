import process from 'node:process';
import { Command, CommanderError } from 'commander';
import { readVersion } from '../start/version.ts';
import { addBackfill } from './backfill.ts';
import { addBench } from './bench.ts';
import { addConfig } from './config.ts';
import { addConsume } from './consume.ts';
import { exampleText, exitCodeOf } from './define-command.ts';
import { addDemo } from './demo.ts';
import { addDlq } from './dlq.ts';
import { addDoctor } from './doctor.ts';
import { addEpoch } from './epoch.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { addExplain } from './explain.ts';
import { failureOf } from './failure.ts';
import { addForget } from './forget.ts';
import { addImport } from './import.ts';
import { addInspect } from './inspect.ts';
import { addMigrate } from './migrate.ts';
import { addRelay } from './relay.ts';
import { addRepair } from './repair.ts';
import { addServe } from './serve.ts';
import { addSize } from './size.ts';
import { addStack } from './stack.ts';
import { addVerify } from './verify.ts';

// In the order of the help: as somebody would need them.
const COMMANDS = [
  addStack,
  addMigrate,
  addImport,
  addServe,
  addConsume,
  addRelay,
  addBackfill,
  addVerify,
  addRepair,
  addInspect,
  addExplain,
  addDlq,
  addForget,
  addDoctor,
  addConfig,
  addEpoch,
  addDemo,
  addBench,
  addSize,
];

/** Only definitions: what a command works with is loaded when it is called, so that --help is quick. */
export function defineProgram(): Command {
  const program = new Command('recency')
    .description(
      'A per-user index in Redis of the contacts who were active most recently: a secondary index for MySQL.',
    )
    .showHelpAfterError('(--help shows how it is used)')
    .configureHelp({ showGlobalOptions: false })
    .version(readVersion(), '-V, --version')
    .addHelpText('after', exampleText('verify --help'))
    .exitOverride();
  for (const add of COMMANDS) add(program);
  return program;
}

/** Runs one command. @returns its exit code; nothing is thrown */
export async function runCommandLine(args: readonly string[]): Promise<ExitCode> {
  const program = defineProgram();
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCodeOf(program);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.wrongUse; // it has said why
    const { message, exitCode } = failureOf(error);
    process.stderr.write(`${message}\n`);
    return exitCode;
  }
}
