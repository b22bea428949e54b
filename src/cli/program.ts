import process from 'node:process';
import { Command, CommanderError } from 'commander';
import { readVersion } from '../app/run-process.ts';
import { addBackfill } from './backfill.ts';
import { addConfig } from './config.ts';
import { exampleText, exitCodeOf } from './define-command.ts';
import { addDlq } from './dlq.ts';
import { addDoctor } from './doctor.ts';
import { addEpoch } from './epoch.ts';
import { EXIT, type ExitCode, failureOf } from './exit-code.ts';
import { addFanOuts } from './fan-outs.ts';
import { addInit } from './init.ts';
import { addMigrate } from './migrate.ts';
import { addCapture, addConsume, addNotify, addRelay, addServe } from './processes.ts';
import { addRepair } from './repair.ts';
import { addRuns } from './runs.ts';
import { addTool, BENCH, DEMO, IMPORT, SIZE, STACK, type ToolCommand } from './tool-commands.ts';
import { addTriggers } from './triggers.ts';
import { addExplain, addForget, addInspect } from './user-commands.ts';
import { addVerify } from './verify.ts';
import { addWatches } from './watches.ts';

// In the order of the help: roughly the order in which a newcomer needs them.
const COMMANDS: readonly (((program: Command) => void) | ToolCommand)[] = [
  STACK,
  addMigrate,
  addInit,
  addTriggers,
  IMPORT,
  addServe,
  addConsume,
  addRelay,
  addCapture,
  addNotify,
  addBackfill,
  addVerify,
  addRepair,
  addRuns,
  addInspect,
  addExplain,
  addFanOuts,
  addDlq,
  addWatches,
  addForget,
  addDoctor,
  addConfig,
  addEpoch,
  DEMO,
  BENCH,
  SIZE,
];

/**
 * Defines every command. What a command needs is loaded when it is called, so that --help is quick.
 * @param called name of the command that is called; undefined loads every tool
 * @throws UsageError when it is one of the tools, and this build has none
 */
export async function defineProgram(called?: string): Promise<Command> {
  const program = new Command('recency')
    .description(
      'A per-user index in Redis of the contacts who were active most recently: a secondary index for MySQL.',
    )
    .showHelpAfterError('(run with --help for usage)')
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

/** Runs one command. @returns its exit code; never throws */
export async function runCommandLine(args: readonly string[]): Promise<ExitCode> {
  try {
    const [called = '', helpOn = ''] = args.filter((arg) => !arg.startsWith('-'));
    const program = await defineProgram(called === 'help' ? helpOn : called);
    await program.parseAsync(args, { from: 'user' });
    return exitCodeOf(program);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.wrongUse; // commander has printed why
    const { message, exitCode } = failureOf(error);
    process.stderr.write(`${message}\n`);
    return exitCode;
  }
}
