import type { Parameter, ReadOptions } from '../../src/mysql/database.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import type { Actor, Turns } from './turns.ts';

/** A database on which each read statement is a turn of the current actor. */
export class TurnDatabase extends ContactsDatabase {
  #asking: { readonly turns: Turns; readonly actor: Actor } | undefined;

  /** The current actor. */
  asking(turns: Turns, actor: Actor): void {
    this.#asking = { turns, actor };
  }

  override rows(statement: string, parameters: readonly Parameter[], options?: ReadOptions) {
    const read = () => super.rows(statement, parameters, options);
    return this.#asking === undefined ? read() : this.#asking.turns.take(this.#asking.actor, 'sql', read);
  }
}
