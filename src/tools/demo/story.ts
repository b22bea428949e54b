import { styleText } from 'node:util';
import { ProgressDisplay } from '../../cli/progress-display.ts';
import { columnsOf, tableOf } from './layout.ts';

/** A step as it has been told so far. */
export interface ToldStep {
  readonly label: string;
  readonly lines: string[];
  /** From 0 to 1; undefined: not known. */
  share: number | undefined;
  /** Its duration; undefined: it is under way, or has failed. */
  seconds: number | undefined;
}

/** Prints what happens: one line per step, with its time. A terminal shows the running step with a progress bar. */
export class Story {
  /** For others who tell it. */
  readonly told: ToldStep[] = [];
  /** How it ended; undefined: it has not. */
  verdict: { readonly good: boolean; readonly text: string } | undefined;
  readonly #out: NodeJS.WriteStream;
  readonly #now: () => number;

  /** @param now ms, monotonic */
  constructor(out: NodeJS.WriteStream, now: () => number) {
    this.#out = out;
    this.#now = now;
  }

  /** The label of the step that is under way. */
  get running(): string | undefined {
    const last = this.told.at(-1);
    return last?.seconds === undefined ? last?.label : undefined;
  }

  title(text: string): void {
    this.plain(`\n${this.#styled('bold', text)}\n`);
  }

  /** Runs a step and prints its result. @param unit of its progress, if it reports any */
  async step<T>(
    label: string,
    work: (progress: ReportProgress) => Promise<T>,
    format: (result: T) => string,
    unit = '',
  ): Promise<T> {
    const from = this.#now();
    const shown = this.#show(label, unit);
    const told: ToldStep = { label, lines: [], share: undefined, seconds: undefined };
    this.told.push(told);
    const update: ReportProgress = (done, total) => {
      told.share = total > 0 ? Math.min(1, done / total) : undefined;
      shown.update(done, total);
    };
    try {
      const result = await work(update);
      shown.end();
      told.seconds = (this.#now() - from) / 1000;
      told.lines.push(format(result));
      this.#line(this.#styled('dim', `${told.seconds.toFixed(1)} s`), label, format(result));
      return result;
    } catch (error) {
      shown.end();
      throw error;
    }
  }

  /** Adds to the previous step. */
  more(text: string, label = ''): void {
    this.told.at(-1)?.lines.push(label === '' ? text : `${label}: ${text}`);
    this.#line('', label, text);
  }

  warn(text: string): void {
    this.told.at(-1)?.lines.push(`note: ${text}`);
    this.#line('', this.#styled('yellow', 'note'), text);
  }

  table(head: readonly string[], rows: readonly (readonly string[])[]): void {
    this.plain(`\n${tableOf(head, rows)}\n`);
  }

  end(good: boolean, text: string): void {
    this.verdict = { good, text };
    this.plain(`\n${this.#styled(good ? 'green' : 'red', text)}\n`);
  }

  plain(text: string): void {
    this.#out.write(`${text}\n`);
  }

  #show(label: string, unit: string): ShownStep {
    const out = this.#out;
    const shown = new ProgressDisplay(unit, {
      terminal: out.isTTY ? out : undefined,
      print: (line) => this.plain(line),
      now: this.#now,
      layout: (text) => columnsOf('…', label, text, Number.POSITIVE_INFINITY),
    });
    if (out.isTTY) out.write(columnsOf('…', label, ''));
    const end = () => {
      shown.stop();
      if (out.isTTY) clearLine(out);
    };
    return { update: (done, total) => shown.update(done, total), end };
  }

  #line(time: string, label: string, text: string): void {
    this.plain(columnsOf(time, label, text, this.#out.columns));
  }

  #styled(style: 'bold' | 'dim' | 'green' | 'red' | 'yellow', text: string): string {
    return styleText(style, text, { stream: this.#out });
  }
}

/** Reports how far a step is. */
export type ReportProgress = (done: number, total: number) => void;

export interface ShownStep {
  readonly update: ReportProgress;
  /** Removes the step from the terminal. */
  readonly end: () => void;
}

function clearLine(out: NodeJS.WriteStream): void {
  out.clearLine(0);
  out.cursorTo(0);
}
