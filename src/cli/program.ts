import process from 'node:process';
import { type Command, CommanderError } from 'commander';
import { readVersion, type Times } from '../app/run-process.ts';
import { addCapture } from '../capture/command.ts';
import { addNotify, addWatches } from '../push/command.ts';
import { addConfig } from './config.ts';
import { exampleText, Program } from './define-command.ts';
import { addDlq } from './dlq.ts';
import { addDoctor } from './doctor.ts';
import { addEpoch } from './epoch.ts';
import { EXIT, type ExitCode, failureOf } from './exit-code.ts';
import { addInit } from './init.ts';
import { addMigrate } from './migrate.ts';
import { addConsume, addRelay, addServe } from './processes.ts';
import { addFanOuts, addRuns } from './progress.ts';
import { addBackfill, addRepair } from './repair.ts';
import { addTool, BENCH, DEMO, IMPORT, SIZE, STACK, type ToolCommand } from './tool-commands.ts';
import { addTriggers } from './triggers.ts';
import { addExplain, addForget, addInspect } from './user-commands.ts';
import { addVerify } from './verify.ts';

type AddedCommand = ((program: Command, times: Partial<Times>) => void) | ToolCommand;

// In the order of the help: roughly the order in which a newcomer needs them.
const COMMANDS: readonly (readonly [group: string, commands: readonly AddedCommand[]])[] = [
  ['To set up:', [STACK, addMigrate, addInit, addTriggers, IMPORT]],
  ['Processes:', [addServe, addConsume, addRelay, addCapture, addNotify]],
  ['Indexes:', [addBackfill, addVerify, addRepair, addRuns, addInspect, addExplain, addForget]],
  ['To operate:', [addDoctor, addConfig, addEpoch, addFanOuts, addDlq, addWatches]],
  ['To try and to measure:', [DEMO, BENCH, SIZE]],
];

/**
 * Defines every command. What a command needs is loaded when it is called, so that --help is quick.
 * @param called name of the command that is called; undefined loads every tool
 * @param times other than the default ones, for tests
 * @throws UsageError when it is one of the tools, and this build has none
 */
export async function defineProgram(called?: string, times: Partial<Times> = {}): Promise<Program> {
  const program = new Program('recency')
    .description(
      'A per-user index in Redis of the contacts who were active most recently: a secondary index for MySQL.',
    )
    .showHelpAfterError('(run with --help for usage)')
    .configureHelp({ showGlobalOptions: false })
    .version(readVersion(), '-V, --version')
    .addHelpText('after', exampleText('verify --help'))
    .exitOverride();
  for (const [group, commands] of COMMANDS) {
    program.commandsGroup(group);
    for (const command of commands) {
      if (typeof command === 'function') command(program, times);
      else await addTool(program, command, called === undefined || called === command.usage);
    }
  }
  program.commandsGroup('Help:').helpCommand(true);
  return program;
}

/** Runs one command. @param times other than the default ones, for tests @returns its exit code; never throws */
export async function runCommandLine(args: readonly string[], times: Partial<Times> = {}): Promise<ExitCode> {
  try {
    const [called = '', helpOn = ''] = args.filter((arg) => !arg.startsWith('-'));
    const program = await defineProgram(called === 'help' ? helpOn : called, times);
    await program.parseAsync(args, { from: 'user' });
    return program.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.wrongUse; // commander has printed why
    const { message, exitCode } = failureOf(error);
    process.stderr.write(`${message}\n`);
    return exitCode;
  }
}
