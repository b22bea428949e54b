import { createRequire } from 'node:module';
import type { SingleBar } from 'cli-progress';

export interface ProgressOptions {
  /** What is counted: `users`. */
  readonly unit: string;
  readonly total: number | undefined;
  /** A bar that redraws itself; otherwise a line from time to time. */
  readonly bar: boolean;
  readonly write: (line: string) => void;
  /** ms, monotonic. */
  readonly now?: () => number;
}

/** Between two plain lines. */
const LINE_EVERY_MS = 5_000;

/** How far a long command has come, with its rate and the time that is left. */
export class Progress {
  readonly #options: ProgressOptions;
  readonly #now: () => number;
  readonly #from: number;
  readonly #bar: SingleBar | undefined;
  #lastLine: number;

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#from = this.#now();
    this.#lastLine = this.#from;
    this.#bar = options.bar ? startBar(options.unit, options.total ?? 0) : undefined;
  }

  /** @param done so far @param total when it has become known @param detail a few words more */
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
