import type { Id } from '../../contracts/id.ts';
import { Batches } from '../../timing/batches.ts';
import type { Deadline } from '../../timing/deadline.ts';
import type { FoundHead } from './event-text.ts';

/** What became of one head: it was found, or why not. */
export type HeadOutcome = { readonly found: FoundHead } | { readonly error: unknown };

/** Finds the heads of several users at once. @throws when none can be found */
export type FindHeads = (users: readonly Id[], deadline: Deadline) => Promise<ReadonlyMap<Id, HeadOutcome>>;

interface WaitingHead {
  readonly user: Id;
  readonly deadlineOf: () => Deadline;
}

/** Users of one batch: as many as one request may name. */
const USERS = 100;

const AT_ONCE = 2;

/**
 * Finds heads that answer the same question about different users together: of the time that a head takes by itself, most is spent on
 * the statement, not on its rows.
 */
export class HeadBatch {
  readonly #batches: Batches<WaitingHead, HeadOutcome>;

  constructor(findHeads: FindHeads) {
    const work = async (asked: readonly WaitingHead[]) => {
      const [{ deadlineOf }] = asked as readonly [WaitingHead, ...WaitingHead[]];
      const outcomes = await findHeads([...new Set(asked.map(({ user }) => user))], deadlineOf());
      return asked.map(({ user }) => outcomes.get(user) ?? { error: new Error(`nothing was said about user ${user}`) });
    };
    this.#batches = new Batches({ work, atOnce: AT_ONCE, most: USERS });
  }

  /** The head as it is after this call. @param deadlineOf a deadline, from when its turn comes @throws what an answer throws */
  async find(user: Id, deadlineOf: () => Deadline): Promise<FoundHead> {
    const outcome = await this.#batches.run({ user, deadlineOf });
    if ('found' in outcome) return outcome.found;
    throw outcome.error;
  }
}
