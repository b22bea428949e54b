import { Database } from '../../src/mysql/database.ts';

/** A database whose process may die at a write, before or after it is done. */
export class MortalDatabase extends Database {
  readonly #live: () => void;

  /** @param live called before and after each write; its error stands for the death */
  constructor(url: string, live: () => void) {
    super(url, { connections: 2, queue: 10, deadlineMs: 10_000 });
    this.#live = live;
  }

  override async write(...args: Parameters<Database['write']>) {
    this.#live();
    const result = await super.write(...args);
    this.#live();
    return result;
  }
}
