import type { Id } from '../../contracts/id.ts';
import type { Database } from '../../mysql/database.ts';
import { readNextOwner } from '../../mysql/users.ts';
import { type OwnerRange, pointWithin, readOwnerRange } from '../sample.ts';

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
    const range = await readOwnerRange(this.#database);
    if (range === undefined) return [];
    const inTurn = Math.floor(count / 2 + this.#random());
    const drawn = new Set<Id>();
    for (let i = 0; i < count; i++) drawn.add(await (i < inTurn ? this.#nextInTurn(range) : this.#anyone(range)));
    return [...drawn];
  }

  async #anyone(range: OwnerRange): Promise<Id> {
    return (await this.#next(range, pointWithin(range, this.#random()))) ?? range.last;
  }

  async #nextInTurn(range: OwnerRange): Promise<Id> {
    // Begun anywhere: whoever takes over does not begin with the same users again.
    const after = this.#turn ?? pointWithin(range, this.#random());
    this.#turn = (await this.#next(range, after)) ?? range.first;
    return this.#turn;
  }

  #next({ last }: OwnerRange, after: Id | '0'): Promise<Id | undefined> {
    return readNextOwner(this.#database, { after, to: last });
  }
}
