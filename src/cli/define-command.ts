import type { Command } from 'commander';
import { EXIT, type ExitCode } from './exit-code.ts';
import { Output } from './output.ts';

export interface CommandText {
  /** With its arguments: `inspect <user>`. */
  readonly usage: string;
  readonly summary: string;
  /** A call that works, without `recency`. */
  readonly example: string;
}

/** Adds a command that only has others below it. */
export function defineGroup(parent: Command, { usage, summary, example }: CommandText): Command {
  return parent.command(usage).description(summary).addHelpText('after', exampleText(example));
}

/** Adds a command as every command of `recency` is: with --json, and an example in its help. */
export function defineCommand(parent: Command, { usage, summary, example }: CommandText): Command {
  return parent
    .command(usage)
    .description(summary)
    .option('--json', 'one JSON object, or one a line, on stdout; everything else on stderr')
    .addHelpText('after', exampleText(example));
}

/** @param example a call that works, without `recency` */
export function exampleText(example: string): string {
  return `\nExample:\n  recency ${example}`;
}

/** What a command does with what was parsed. It says how it ended by `output.exitCode`. */
export type Work<Arguments extends unknown[], Options> = (
  output: Output,
  options: Options,
  ...args: Arguments
) => Promise<void>;

/** Gives a command its work. The exit code is kept for `runCommandLine`. */
export function whenCalled<Options extends object, Arguments extends unknown[] = []>(
  command: Command,
  work: Work<Arguments, Options>,
): void {
  command.action(async (...all: unknown[]) => {
    const options = command.opts<Options & { json?: boolean }>();
    const args = all.slice(0, command.registeredArguments.length) as Arguments;
    const output = new Output(options.json === true);
    await work(output, options, ...args);
    exitCodes.set(rootOf(command), output.exitCode);
  });
}

const exitCodes = new WeakMap<Command, ExitCode>();

/** How the command that was called ended. */
export function exitCodeOf(program: Command): ExitCode {
  return exitCodes.get(program) ?? EXIT.done;
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}
