import process from 'node:process';
import Table from 'cli-table3';
import { EXIT, type ExitCode } from './exit-code.ts';
import { ProgressDisplay } from './progress-display.ts';

/** A command's output: its result on stdout, everything else on stderr. */
export class Output {
  readonly json: boolean;
  /** The exit code of the command. */
  exitCode: ExitCode = EXIT.done;

  constructor(json: boolean) {
    this.json = json;
  }

  /** Writes the result: as a JSON object with --json, in which a list is a field, otherwise as text. */
  async result(value: object, text: string | (() => string | Promise<string>)): Promise<void> {
    if (this.json) this.#write(JSON.stringify(value));
    else this.#write(typeof text === 'string' ? text : await text());
  }

  /** Writes a line to stderr: what is happening, what to do next. */
  note(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  /** Shows progress: a bar in a terminal, plain lines elsewhere. @param unit of what is counted, for example `users` */
  progress(unit: string): ProgressDisplay {
    const terminal = process.stderr.isTTY && !this.json ? process.stderr : undefined;
    return new ProgressDisplay(unit, { terminal, print: (line) => this.note(line) });
  }

  #write(text: string): void {
    process.stdout.write(`${text}\n`);
  }
}

/** Ends this process silently when the reader of its output closes the pipe, as `… | head` does. */
export function endWhenUnread(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(EXIT.failed);
  });
}

/** Columns for people, without lines. */
export function textTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const table = new Table({
    head: [...head],
    chars: NO_LINES,
    style: { 'padding-left': 0, 'padding-right': 2, head: [], border: [] },
  });
  table.push(...rows.map((row) => [...row]));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

const NO_LINES = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid', 'middle']
    .flatMap((name) => [name, `${name}-mid`, `${name}-left`, `${name}-right`, `mid-${name}`])
    .map((name) => [name, '']),
);
