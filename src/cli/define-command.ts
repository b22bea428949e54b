import process from 'node:process';
import { Command } from 'commander';
import { onEndingSignals } from '../app/ending.ts';
import { UserError } from '../contracts/user-error.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { Output } from './output.ts';

export interface CommandText {
  /** The command's name. */
  readonly usage: string;
  readonly summary: string;
  /** A valid call, without `recency`. */
  readonly example: string;
}

/** The command line as a whole. */
export class Program extends Command {
  /** Of the command that was called. */
  exitCode: ExitCode = EXIT.done;
}

/** Adds a command that only has subcommands. */
export function defineGroup(parent: Command, { usage, summary, example }: CommandText): Command {
  return parent.command(usage).description(summary).addHelpText('after', exampleText(example));
}

/** Adds a command, with --json and an example in its help. */
export function defineCommand(parent: Command, { usage, summary, example }: CommandText): Command {
  return parent
    .command(usage)
    .description(summary)
    .option('--json', 'write the result to stdout as one JSON object; everything else goes to stderr')
    .addHelpText('after', exampleText(example));
}

/** @param example a valid call, without `recency` */
export function exampleText(example: string): string {
  return `\nExample:\n  recency ${example}`;
}

/** What a command does with its parsed arguments. It sets `output.exitCode` when it did not succeed. */
type CommandAction<Arguments extends unknown[], Options> = (
  output: Output,
  options: Options,
  ...args: Arguments
) => Promise<void>;

/** Sets the action of a command. Its exit code is that of the {@link Program}. */
export function action<Options extends object, Arguments extends unknown[] = []>(
  command: Command,
  action: CommandAction<Arguments, Options>,
): void {
  command.action(async (...all: unknown[]) => {
    const options = command.opts<Options & { json?: boolean }>();
    const args = all.slice(0, command.registeredArguments.length) as Arguments;
    const output = new Output(options.json === true);
    await action(output, options, ...args);
    const program = rootOf(command);
    if (program instanceof Program) program.exitCode = output.exitCode;
  });
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}

/** Ctrl-C or SIGTERM ended a command, between two of its steps. */
export class Interrupted extends UserError {
  override readonly name = 'Interrupted';
  constructor() {
    super('interrupted');
  }
}

/**
 * Runs work whose signal Ctrl-C and SIGTERM abort. A second Ctrl-C or SIGTERM ends the process at once.
 * @throws Interrupted; what the work throws
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController();
  const forget = onEndingSignals({
    onFirst: () => ending.abort(new Interrupted()),
    onSecond: () => process.exit(EXIT.failed),
  });
  try {
    return await work(ending.signal);
  } catch (error) {
    throw ending.signal.aborted ? ending.signal.reason : error;
  } finally {
    forget();
  }
}
