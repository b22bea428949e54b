import type { Id } from '../../contracts/id.ts';
import { Batches } from '../../timing/batches.ts';
import type { Deadline } from '../../timing/deadline.ts';
import { type FoundHead, headEvent, type OpenStream } from './open-stream.ts';

/** What became of one head: it was found, or why not. */
export type HeadOutcome = { readonly found: FoundHead } | { readonly error: unknown };

/** Finds the heads of several users at once. @throws when none can be found */
type FindHeads = (users: readonly Id[], deadline: Deadline) => Promise<ReadonlyMap<Id, HeadOutcome>>;

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

/** What streams show. Streams with the same user and name share it. */
export interface HeadQuestion {
  readonly user: Id;
  /** Of the list and its parameters: `contacts any 10`. */
  readonly name: string;
  /** The names of the kinds whose indexes it is answered from. */
  readonly kinds: readonly string[];
  /** @throws what an answer throws */
  readonly find: (deadline: Deadline) => Promise<FoundHead>;
  /** Finds it together with those of other users. Undefined: it is always found by itself. */
  readonly batch?: HeadBatch | undefined;
}

/** `same`: nothing was sent. */
export type LookOutcome = 'told' | 'same';

/** What was looked for later has a higher number. */
interface NumberedHead {
  readonly found: FoundHead;
  readonly number: number;
}

/** A head that is kept current for the streams that show it. */
export class LiveHead {
  readonly question: HeadQuestion;
  /** Those that have begun. */
  readonly streams = new Set<OpenStream>();
  /** What it depends on, as read before it was last found; undefined: not known. */
  state: string | undefined;
  /** When it was last found, by the monotonic clock, ms. */
  foundAt = Number.NEGATIVE_INFINITY;
  /** Streams that show it, and requests that are about to. */
  holders = 0;
  #begun = 0;
  #running: Promise<LookOutcome> | undefined;
  #next: Promise<LookOutcome> | undefined;

  constructor(question: HeadQuestion) {
    this.question = question;
  }

  /**
   * Finds the head and tells it. One that is being found may have been read too early for this call, so another one is found
   * after it; once for all who call meanwhile.
   * @throws what an answer throws
   */
  refresh(deadlineOf: () => Deadline): Promise<LookOutcome> {
    if (this.#running === undefined) {
      this.#running = this.#tell(deadlineOf).finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.refresh(deadlineOf);
      });
    return this.#next;
  }

  /**
   * Finds the head and tells nobody.
   * @throws what an answer throws
   */
  async find(deadline: Deadline): Promise<NumberedHead> {
    return await this.#numbered(this.question.find(deadline));
  }

  async #tell(deadlineOf: () => Deadline): Promise<LookOutcome> {
    const { batch, user } = this.question;
    const { found, number } = await (batch ? this.#numbered(batch.find(user, deadlineOf)) : this.find(deadlineOf()));
    const event = headEvent(found);
    let told = false;
    for (const stream of this.streams) told = stream.tell(found.tag, event, number) || told;
    return told ? 'told' : 'same';
  }

  async #numbered(finding: Promise<FoundHead>): Promise<NumberedHead> {
    this.#begun += 1;
    const number = this.#begun;
    return { found: await finding, number };
  }
}
