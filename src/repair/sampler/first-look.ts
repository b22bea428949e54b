import type { Id } from '../../contracts/id.ts';
import type { Answers } from '../answers.ts';
import type { Examination } from '../examination.ts';
import type { UserDraw } from './user-draw.ts';

/** What one look at some users found. Users without an index are not among them. */
export interface Sight {
  readonly right: readonly Id[];
  /** Something differs: perhaps it is only on its way. */
  readonly suspects: readonly Id[];
}

/** Users drawn for each one wanted, at the most: where few have an index, few are looked at. */
const DRAWS = 10;

/** Draws users who have an index, and compares it and the answers that a client would get with plain SQL. */
export class FirstLook {
  readonly #draw: UserDraw;
  readonly #examination: Examination;
  readonly #answers: Answers;

  constructor(parts: { readonly draw: UserDraw; readonly examination: Examination; readonly answers: Answers }) {
    this.#draw = parts.draw;
    this.#examination = parts.examination;
    this.#answers = parts.answers;
  }

  /** @throws RedisUnavailable, DatabaseUnavailable, the signal's reason */
  async at(count: number, signal?: AbortSignal): Promise<Sight> {
    const right = new Set<Id>();
    const suspects = new Set<Id>();
    for (let draws = 0; draws < DRAWS && right.size + suspects.size < count; draws++) {
      const drawn = await this.#draw.next(count - right.size - suspects.size);
      const users = drawn.filter((user) => !right.has(user) && !suspects.has(user));
      for (const { user, state, mismatches } of await this.#examination.look(users, signal)) {
        if (state === 'cold') continue;
        const isRight = mismatches.length === 0 && (await this.#isAnsweredRightly(user));
        (isRight ? right : suspects).add(user);
      }
    }
    return { right: [...right], suspects: [...suspects] };
  }

  async #isAnsweredRightly(user: Id): Promise<boolean> {
    return (await this.#answers.check(user, this.#answers.someQuestions(user))).wrong.length === 0;
  }
}
