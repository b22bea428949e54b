import { createRequire } from 'node:module';
import process from 'node:process';
import type { SingleBar } from 'cli-progress';
import { EXIT, type ExitCode } from './exit-code.ts';

/** A command's output: its result on stdout, everything else on stderr. */
export class Output {
  readonly json: boolean;
  /** The exit code of the command. */
  exitCode: ExitCode = EXIT.done;

  constructor(json: boolean) {
    this.json = json;
  }

  /** Writes the result, or one row of it: as a JSON object with --json, otherwise as text. */
  async result(value: object, text: string | (() => string | Promise<string>)): Promise<void> {
    if (this.json) this.#write(JSON.stringify(value));
    else this.#write(typeof text === 'string' ? text : await text());
  }

  /** Writes a line to stderr: what is happening, what to do next. */
  note(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  /** Shows progress: a bar in a terminal, plain lines elsewhere. @param total number of units; undefined if unknown */
  progress(unit: string, total?: number): ProgressDisplay {
    return new ProgressDisplay({
      unit,
      total,
      bar: process.stderr.isTTY && !this.json,
      write: (text) => this.note(text),
    });
  }

  #write(text: string): void {
    process.stdout.write(`${text}\n`);
  }
}

export interface ProgressDisplayOptions {
  /** What is counted, for example `users`. */
  readonly unit: string;
  readonly total: number | undefined;
  /** Draw a bar; otherwise print a line now and then. */
  readonly bar: boolean;
  readonly write: (line: string) => void;
  /** Monotonic time, ms. */
  readonly now?: () => number;
}

/** Interval between plain lines, ms. */
const LINE_EVERY_MS = 5_000;

/** Shows how far a long command is, its rate and the time left. */
class ProgressDisplay {
  readonly #options: ProgressDisplayOptions;
  readonly #now: () => number;
  readonly #from: number;
  readonly #bar: SingleBar | undefined;
  #lastLine: number;

  constructor(options: ProgressDisplayOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#from = this.#now();
    this.#lastLine = this.#from;
    this.#bar = options.bar ? startBar(options.unit, options.total ?? 0) : undefined;
  }

  /** @param done units done so far @param total pass it once it is known @param detail a short remark */
  update(done: number, { total = this.#options.total, detail = '' }: { total?: number; detail?: string } = {}): void {
    if (this.#bar) {
      if (total !== undefined) this.#bar.setTotal(total);
      this.#bar.update(done, { detail });
      return;
    }
    if (this.#now() - this.#lastLine < LINE_EVERY_MS) return;
    this.#lastLine = this.#now();
    this.#options.write(this.#line(done, total, detail));
  }

  /** Removes the bar. */
  stop(): void {
    this.#bar?.stop();
  }

  #line(done: number, total: number | undefined, detail: string): string {
    const seconds = (this.#now() - this.#from) / 1000;
    const rate = seconds > 0 ? done / seconds : 0;
    const parts = [
      `${done}${total === undefined ? '' : ` of ${total}`} ${this.#options.unit}`,
      `${Math.round(rate)}/s`,
    ];
    if (total !== undefined && rate > 0) parts.push(`${Math.ceil(Math.max(0, total - done) / rate)} s left`);
    return [...parts, ...(detail ? [detail] : [])].join(', ');
  }
}

function startBar(unit: string, total: number): SingleBar {
  const { SingleBar, Presets } = createRequire(import.meta.url)('cli-progress') as typeof import('cli-progress');
  const format = ` {bar} {percentage}% | {value} of {total} ${unit} | {eta_formatted} left {detail}`;
  const bar = new SingleBar(
    { format, hideCursor: true, clearOnComplete: true, stream: process.stderr },
    Presets.shades_grey,
  );
  bar.start(total, 0, { detail: '' });
  return bar;
}

/** Ends this process silently when the reader of its output closes the pipe, as `… | head` does. */
export function endWhenUnread(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(EXIT.failed);
  });
}
