import type { Id } from '../../contracts/id.ts';
import type { Database } from '../../mysql/database.ts';
import { readLastOwner, readNextOwner } from '../../mysql/users.ts';
import { GREATEST_ID, pointBelow } from '../sample.ts';

/**
 * Draws users who own relationships, without end. Half of them at random, so that what is drawn in a few seconds stands
 * for everybody; the other half in turn, so that everybody is drawn some time: ids with large gaps between them would
 * leave those behind a gap to chance, and those before it out.
 */
export class UserDraw {
  readonly #database: Database;
  readonly #random: () => number;
  #turn: Id | '0' | undefined;

  /** @param random from 0 up to 1 */
  constructor(database: Database, random: () => number) {
    this.#database = database;
    this.#random = random;
  }

  /** Up to `count` users, each once; none only when there are none. @throws DatabaseUnavailable */
  async next(count: number): Promise<Id[]> {
    const last = await readLastOwner(this.#database, GREATEST_ID);
    if (last === undefined) return [];
    const inTurn = Math.floor(count / 2 + this.#random());
    const drawn = new Set<Id>();
    for (let i = 0; i < count; i++) drawn.add(await (i < inTurn ? this.#nextInTurn(last) : this.#anyone(last)));
    return [...drawn];
  }

  async #anyone(last: Id): Promise<Id> {
    return (await readNextOwner(this.#database, { after: pointBelow(last, this.#random()), to: last })) ?? last;
  }

  async #nextInTurn(last: Id): Promise<Id> {
    // Begun anywhere: whoever takes over does not begin with the same users again.
    const after = this.#turn ?? pointBelow(last, this.#random());
    this.#turn = (await readNextOwner(this.#database, { after, to: last })) ?? (await this.#first(last));
    return this.#turn;
  }

  async #first(last: Id): Promise<Id> {
    return (await readNextOwner(this.#database, { after: '0', to: last })) ?? last;
  }
}
