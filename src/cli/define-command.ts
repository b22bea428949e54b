import type { Command } from 'commander';
import { EXIT, type ExitCode } from './exit-code.ts';
import { Output } from './output.ts';

export interface CommandText {
  /** The command's name. */
  readonly usage: string;
  readonly summary: string;
  /** A valid call, without `recency`. */
  readonly example: string;
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
    .option('--json', 'write the result to stdout as one JSON object, or one per line; everything else goes to stderr')
    .addHelpText('after', exampleText(example));
}

/** @param example a valid call, without `recency` */
export function exampleText(example: string): string {
  return `\nExample:\n  recency ${example}`;
}

/** What a command does with its parsed arguments. It sets `output.exitCode` when it did not succeed. */
export type CommandAction<Arguments extends unknown[], Options> = (
  output: Output,
  options: Options,
  ...args: Arguments
) => Promise<void>;

/** Sets the action of a command. Its exit code is kept for `runCommandLine`. */
export function whenCalled<Options extends object, Arguments extends unknown[] = []>(
  command: Command,
  action: CommandAction<Arguments, Options>,
): void {
  command.action(async (...all: unknown[]) => {
    const options = command.opts<Options & { json?: boolean }>();
    const args = all.slice(0, command.registeredArguments.length) as Arguments;
    const output = new Output(options.json === true);
    await action(output, options, ...args);
    exitCodes.set(rootOf(command), output.exitCode);
  });
}

const exitCodes = new WeakMap<Command, ExitCode>();

/** The exit code of the command that was called. */
export function exitCodeOf(program: Command): ExitCode {
  return exitCodes.get(program) ?? EXIT.done;
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}
