import { styleText } from 'node:util';
import { SingleBar } from 'cli-progress';
import { columnsOf, count, tableOf } from './layout.ts';

/** Prints what happens: one line per step, with its time. A terminal shows the running step with a progress bar. */
export class Story {
  readonly #out: NodeJS.WriteStream;
  readonly #now: () => number;

  /** @param now ms, monotonic */
  constructor(out: NodeJS.WriteStream, now: () => number) {
    this.#out = out;
    this.#now = now;
  }

  title(text: string): void {
    this.plain(`\n${this.#styled('bold', text)}\n`);
  }

  /** Runs a step and prints its result. @param unit of its progress, if it reports any */
  async step<T>(
    label: string,
    work: (progress: Progress) => Promise<T>,
    format: (result: T) => string,
    unit = '',
  ): Promise<T> {
    const from = this.#now();
    const shown = this.#show(label, unit);
    try {
      const result = await work(shown.update);
      shown.end();
      const seconds = `${((this.#now() - from) / 1000).toFixed(1)} s`;
      this.#line(this.#styled('dim', seconds), label, format(result));
      return result;
    } catch (error) {
      shown.end();
      throw error;
    }
  }

  /** Adds to the previous step. */
  more(text: string, label = ''): void {
    this.#line('', label, text);
  }

  warn(text: string): void {
    this.#line('', this.#styled('yellow', 'note'), text);
  }

  table(head: readonly string[], rows: readonly (readonly string[])[]): void {
    this.plain(`\n${tableOf(head, rows)}\n`);
  }

  end(good: boolean, text: string): void {
    this.plain(`\n${this.#styled(good ? 'green' : 'red', text)}\n`);
  }

  plain(text: string): void {
    this.#out.write(`${text}\n`);
  }

  #show(label: string, unit: string): ShownStep {
    if (this.#out.isTTY) return stepInTerminal(this.#out, label, unit);
    return stepInPlainLines((line) => this.plain(line), this.#now, label, unit);
  }

  #line(time: string, label: string, text: string): void {
    this.plain(columnsOf(time, label, text, this.#out.columns));
  }

  #styled(style: 'bold' | 'dim' | 'green' | 'red' | 'yellow', text: string): string {
    return styleText(style, text, { stream: this.#out });
  }
}

/** Reports how far a step is. */
export type Progress = (done: number, total: number) => void;

export interface ShownStep {
  readonly update: Progress;
  /** Removes the step from the terminal. */
  readonly end: () => void;
}

const BAR_WIDTH = 30;

/** In a terminal: the label, and a bar once there is progress. */
function stepInTerminal(out: NodeJS.WriteStream, label: string, unit: string): ShownStep {
  const format = columnsOf('…', label, `{bar} {percentage}% of {total} ${unit}`, Number.POSITIVE_INFINITY);
  const bar = new SingleBar({ stream: out, format, clearOnComplete: true, barsize: BAR_WIDTH, gracefulExit: false });
  out.write(columnsOf('…', label, ''));
  let started = false;
  return {
    update: (done, total) => {
      if (!started) clearLine(out);
      if (!started) bar.start(total, 0);
      started = true;
      bar.setTotal(total);
      bar.update(Math.round(done));
    },
    end: () => {
      bar.stop();
      clearLine(out);
    },
  };
}

/** Minimum time between two progress lines. */
const LINE_EVERY_MS = 10_000;

/** Not in a terminal: a progress line from time to time. @param now ms, monotonic */
function stepInPlainLines(print: (line: string) => void, now: () => number, label: string, unit: string): ShownStep {
  let printed = now();
  return {
    update: (done, total) => {
      if (now() - printed < LINE_EVERY_MS || done >= total) return;
      printed = now();
      print(columnsOf('…', label, `${count(done)} of ${count(total)} ${unit}`));
    },
    end: () => undefined,
  };
}

function clearLine(out: NodeJS.WriteStream): void {
  out.clearLine(0);
  out.cursorTo(0);
}
