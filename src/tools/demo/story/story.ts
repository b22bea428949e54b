import { styleText } from 'node:util';
import { columnsOf, tableOf } from './layout.ts';
import { type Progress, type ShownStep, stepInPlainLines, stepInTerminal } from './step-progress.ts';

/**
 * Tells what happens, for people: one line a step, with its time. In a terminal the step under way is shown with its
 * bar and then replaced; otherwise there are only plain lines.
 */
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

  /** Does the work, then says what came of it. @param unit of its progress, where it tells of one */
  async step<T>(
    label: string,
    work: (progress: Progress) => Promise<T>,
    tell: (result: T) => string,
    unit = '',
  ): Promise<T> {
    const from = this.#now();
    const shown = this.#show(label, unit);
    try {
      const result = await work(shown.update);
      shown.end();
      const seconds = `${((this.#now() - from) / 1000).toFixed(1)} s`;
      this.#line(this.#styled('dim', seconds), label, tell(result));
      return result;
    } catch (error) {
      shown.end();
      throw error;
    }
  }

  /** More of the step before, or what took no time of its own. */
  more(text: string, label = ''): void {
    this.#line('', label, text);
  }

  warn(text: string): void {
    this.#line('', this.#styled('yellow', 'note'), text);
  }

  table(head: readonly string[], rows: readonly (readonly string[])[]): void {
    this.plain(`\n${tableOf(head, rows)}\n`);
  }

  /** The end of the story, good or bad. */
  end(good: boolean, text: string): void {
    this.plain(`\n${this.#styled(good ? 'green' : 'red', text)}\n`);
  }

  /** Text as it is. */
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
