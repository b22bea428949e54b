import process from 'node:process';
import { Command, CommanderError } from 'commander';
import { readVersion } from '../app/run-process.ts';
import { addBackfill } from './backfill.ts';
import { addConfig } from './config.ts';
import { addConsume } from './consume.ts';
import { exampleText, exitCodeOf } from './define-command.ts';
import { addDlq } from './dlq.ts';
import { addDoctor } from './doctor.ts';
import { addEpoch } from './epoch.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { addExplain } from './explain.ts';
import { failureOf } from './failure.ts';
import { addForget } from './forget.ts';
import { addInspect } from './inspect.ts';
import { addMigrate } from './migrate.ts';
import { addRelay } from './relay.ts';
import { addRepair } from './repair.ts';
import { addServe } from './serve.ts';
import { addTool, BENCH, DEMO, IMPORT, SIZE, STACK, type ToolCommand } from './tool-commands.ts';
import { addVerify } from './verify.ts';

// In the order of the help: as somebody would need them.
const COMMANDS: readonly (((program: Command) => void) | ToolCommand)[] = [
  STACK,
  addMigrate,
  IMPORT,
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
  DEMO,
  BENCH,
  SIZE,
];

/**
 * Only definitions: what a command works with is loaded when it is called, so that --help is quick.
 * @param called the command that is called; undefined: any may be
 * @throws UsageError when it is one of the tools, and this build has none
 */
export async function defineProgram(called?: string): Promise<Command> {
  const program = new Command('recency')
    .description(
      'A per-user index in Redis of the contacts who were active most recently: a secondary index for MySQL.',
    )
    .showHelpAfterError('(--help shows how it is used)')
    .configureHelp({ showGlobalOptions: false })
    .version(readVersion(), '-V, --version')
    .addHelpText('after', exampleText('verify --help'))
    .exitOverride();
  for (const command of COMMANDS) {
    if (typeof command === 'function') command(program);
    else await addTool(program, command, called === undefined || called === command.usage);
  }
  return program;
}

/** Runs one command. @returns its exit code; nothing is thrown */
export async function runCommandLine(args: readonly string[]): Promise<ExitCode> {
  try {
    const program = await defineProgram(args.find((arg) => !arg.startsWith('-')) ?? '');
    await program.parseAsync(args, { from: 'user' });
    return exitCodeOf(program);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.wrongUse; // it has said why
    const { message, exitCode } = failureOf(error);
    process.stderr.write(`${message}\n`);
    return exitCode;
  }
}
