import { Database, type Parameter, type ReadOptions } from '../../src/mysql/database.ts';
import type { Actor, Turns } from './turns.ts';

/** A database on which each statement that reads is a turn of whoever asks just now. */
export class TurnDatabase extends Database {
  #asking: { readonly turns: Turns; readonly actor: Actor } | undefined;

  /** Who asks from now on. */
  asking(turns: Turns, actor: Actor): void {
    this.#asking = { turns, actor };
  }

  override rows(statement: string, parameters: readonly Parameter[], options?: ReadOptions) {
    const read = () => super.rows(statement, parameters, options);
    return this.#asking === undefined ? read() : this.#asking.turns.take(this.#asking.actor, 'sql', read);
  }
}
