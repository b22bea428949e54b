/** How far something long is, for people: one bar in all terminals, one kind of line elsewhere. */

const BAR_WIDTH = 30;

/** Interval between plain lines, and between two pictures of a bar, ms. */
const LINE_EVERY_MS = 5_000;
const DRAW_EVERY_MS = 100;

interface Moment {
  readonly at: number;
  readonly done: number;
  readonly share: number;
}

const text = (value: number) => Math.round(value).toLocaleString('en-US');

/**
 * The texts. A total that was estimated too low is corrected as the work goes on: the share that is done waits meanwhile, and never
 * goes back. The time left is that at the mean pace since the first update, which is the beginning also of work that is resumed.
 */
export class ProgressText {
  readonly #unit: string;
  readonly #now: () => number;
  #first: Moment | undefined;
  #share = 0;
  #done = 0;
  #total: number | undefined;

  /** @param unit of what is counted, for example `users`; `seconds` have no pace @param now ms, monotonic */
  constructor(unit: string, now: () => number) {
    this.#unit = unit;
    this.#now = now;
  }

  /** @param total undefined or 0: unknown */
  update(done: number, total?: number): void {
    this.#done = done;
    this.#total = total ? Math.max(done, total) : undefined;
    if (this.#total !== undefined) this.#share = Math.max(this.#share, done / this.#total);
    this.#first ??= { at: this.#now(), done, share: this.#share };
  }

  /** `█████░░░░░ 50% | 500 of 1,000 users | 12 s left` */
  bar(): string {
    if (this.#total === undefined) return this.#counted();
    const full = Math.floor(this.#share * BAR_WIDTH);
    const percent = `${Math.floor(this.#share * 100)}%`.padStart(4);
    const bar = `${'█'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)}${percent}`;
    return [bar, this.#counted(), ...this.#left()].join(' | ');
  }

  /** `500 of 1,000 users, 50%, 42/s, 12 s left` */
  line(): string {
    const percent = this.#total === undefined ? [] : [`${Math.floor(this.#share * 100)}%`];
    const { at = 0, done = 0 } = this.#first ?? {};
    const seconds = (this.#now() - at) / 1000;
    const isPace = this.#unit !== 'seconds' && seconds > 0 && this.#done > done;
    const rate = isPace ? [`${text((this.#done - done) / seconds)}/s`] : [];
    return [this.#counted(), ...percent, ...rate, ...this.#left()].join(', ');
  }

  #counted(): string {
    return `${text(this.#done)}${this.#total === undefined ? '' : ` of ${text(this.#total)}`} ${this.#unit}`;
  }

  #left(): string[] {
    const { at = 0, share = 1 } = this.#first ?? {};
    if (this.#share <= share) return [];
    const seconds = (((this.#now() - at) / 1000) * (1 - this.#share)) / (this.#share - share);
    return [`${seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`} left`];
  }
}

type Terminal = Pick<NodeJS.WriteStream, 'write' | 'columns'>;

interface ProgressDisplayOptions {
  /** Where a bar is drawn; undefined: print a line now and then. */
  readonly terminal: Terminal | undefined;
  readonly print: (line: string) => void;
  /** Monotonic time, ms. */
  readonly now?: () => number;
  /** Puts more around a bar or line. */
  readonly layout?: (text: string) => string;
}

/** Shows how far a long command is. */
export class ProgressDisplay {
  readonly #options: ProgressDisplayOptions;
  readonly #progress: ProgressText;
  readonly #now: () => number;
  #shownAt: number;
  #isDrawn = false;

  constructor(unit: string, options: ProgressDisplayOptions) {
    const { now = () => performance.now(), terminal } = options;
    this.#options = options;
    this.#progress = new ProgressText(unit, now);
    this.#now = now;
    this.#shownAt = terminal === undefined ? now() : Number.NEGATIVE_INFINITY;
  }

  /** @param total pass it once it is known */
  update(done: number, total?: number): void {
    this.#progress.update(done, total);
    const { terminal, print, layout = (plain) => plain } = this.#options;
    const isDue = this.#now() - this.#shownAt >= (terminal === undefined ? LINE_EVERY_MS : DRAW_EVERY_MS);
    const isOver = done === total; // a bar is left full, and a line gives way to the result
    if (terminal === undefined ? isOver || !isDue : !isOver && !isDue) return;
    this.#shownAt = this.#now();
    if (terminal === undefined) {
      print(layout(this.#progress.line()));
      return;
    }
    terminal.write(`\r${layout(this.#progress.bar()).slice(0, (terminal.columns || 80) - 1)}\x1b[K`);
    this.#isDrawn = true;
  }

  /** Removes the bar. */
  stop(): void {
    if (this.#isDrawn) this.#options.terminal?.write('\r\x1b[K');
    this.#isDrawn = false;
  }
}
