import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { Id } from '../../contracts/id.ts';
import { chunks } from '../../timing/batches.ts';
import { Deadline } from '../../timing/deadline.ts';
import { loop } from '../../timing/loop.ts';
import type { HeadQuestion, LiveHead, LookOutcome } from './live-head.ts';

export interface HeadLooksOptions {
  /** The nonces of these users' indexes, in their order; '': no index. */
  readonly nonces: (kind: string, users: readonly Id[]) => Promise<readonly string[]>;
  /** The token of the epoch in force. */
  readonly epoch: () => Promise<string>;
  /** Are answers from an index not exact now, because it may lack more than an exact one may? */
  readonly isLate: () => boolean;
  /** Answers come from a replica, which may lack what a nonce stands for. */
  readonly isReplica: boolean;
  /** Time limit of finding one head, ms. */
  readonly findMs: number;
  /** Monotonic clock, ms. */
  readonly now: () => number;
  readonly logger: Logger;
  readonly count: (outcome: LookOutcome | 'failed') => void;
  /** Between two looks at all heads, ms (1,000). */
  readonly lookMs?: number;
  /** A head is found again after this long whatever its index says, ms (60,000); without an index, or on a replica, after coldMs (9,000). */
  readonly wholeMs?: number;
  readonly coldMs?: number;
}

const LOOK_MS = 1_000;
const WHOLE_MS = 60_000;
const COLD_MS = 9_000;

/** Users whose nonces are read in one call. */
const PAGE = 500;

/** Heads that are found at once, each by itself: for hints, and for the looks that go on beside them. Requests share the connections. */
const AT_ONCE = { hinted: 6, round: 2 };

/** No index: the nonce is ''. */
const COLD = '';

/**
 * Finds heads again that may have changed. Every write to an index replaces its nonce, and a refresh writes whatever its
 * outcome. So while the nonces and the epoch are those that were read BEFORE a head was found, no task has been applied since,
 * and the head need not be found again: a look at ten thousand heads is twenty reads in Redis. Nor is it exact or not any longer while the
 * lag stays on one side of the limit. What changes without a task (what the user has seen) is noticed by the look that trusts no nonce.
 */
export class HeadPoller {
  readonly #options: HeadLooksOptions;
  readonly #hinted = new Set<LiveHead>();
  readonly #limits = { hinted: pLimit(AT_ONCE.hinted), round: pLimit(AT_ONCE.round) };
  #isTaking = false;
  /** The epoch at the last look. */
  #epoch: string | undefined;
  #lastWarnedAt = Number.NEGATIVE_INFINITY;

  constructor(options: HeadLooksOptions) {
    this.#options = options;
  }

  /** What the answer to a question depends on now; undefined: not known. To be read before the head is found. */
  async stateOf(question: HeadQuestion): Promise<string | undefined> {
    try {
      this.#epoch ??= await this.#options.epoch();
      const [state] = await this.#states([question], this.#epoch);
      return state;
    } catch {
      return undefined;
    }
  }

  /** @param state that was read before the head was found */
  foundIn(head: LiveHead, state: string | undefined): void {
    head.state = state;
    head.foundAt = this.#options.now();
  }

  /** Looks at heads that a hint has named. */
  soon(heads: readonly LiveHead[]): void {
    for (const head of heads) this.#hinted.add(head);
    if (!this.#isTaking) void this.#takeHinted();
  }

  /** Finds a head again. */
  again(head: LiveHead): void {
    head.state = undefined;
    this.soon([head]);
  }

  /** Looks at all heads every second, until aborted. */
  async run(heads: () => readonly LiveHead[], signal: AbortSignal): Promise<void> {
    const { now, lookMs = LOOK_MS } = this.#options;
    const round = async () => {
      const startedAt = now();
      for (const page of chunks(heads(), PAGE)) {
        if (!signal.aborted) await this.#look(page, 'round');
      }
      return Math.max(0, startedAt + lookMs - now());
    };
    await loop({ signal, round });
  }

  async #takeHinted(): Promise<void> {
    this.#isTaking = true;
    await Promise.resolve(); // hints of one message are taken together
    while (this.#hinted.size > 0) {
      const heads = [...this.#hinted];
      this.#hinted.clear();
      for (const page of chunks(heads, PAGE)) await this.#look(page, 'hinted');
    }
    this.#isTaking = false;
  }

  /** Never rejects. */
  async #look(heads: readonly LiveHead[], why: 'hinted' | 'round'): Promise<void> {
    const states = await this.#readStates(heads, why);
    await Promise.all(
      heads.map(async (head, i) => {
        const state = states[i];
        if (!this.#mayHaveChanged(head, state, why)) return;
        const find = () => this.#find(head, state);
        await (head.question.batch ? find() : this.#limits[why](find));
      }),
    );
  }

  async #readStates(heads: readonly LiveHead[], why: 'hinted' | 'round'): Promise<readonly string[]> {
    try {
      if (why === 'round' || this.#epoch === undefined) this.#epoch = await this.#options.epoch();
      return await this.#states(
        heads.map(({ question }) => question),
        this.#epoch,
      );
    } catch (err) {
      this.#warn(err, 'the state of streamed indexes could not be read; looking again');
      return [];
    }
  }

  #mayHaveChanged(head: LiveHead, state: string | undefined, why: 'hinted' | 'round'): boolean {
    if (head.holders === 0) return false;
    if (why === 'round' && head.streams.size === 0) return false; // it is being found for the stream that is about to begin
    const { now, isReplica, wholeMs = WHOLE_MS, coldMs = COLD_MS } = this.#options;
    const age = now() - head.foundAt;
    if (age >= wholeMs || (why === 'hinted' && state === undefined)) return true;
    if (state === undefined) return false; // without Redis the plain query would answer, for everybody at once
    if (state !== head.state) return true;
    return (isReplica || isCold(state)) && (why === 'hinted' || age >= coldMs);
  }

  async #find(head: LiveHead, state: string | undefined): Promise<void> {
    const { count, findMs } = this.#options;
    try {
      const outcome = await head.refresh(() => new Deadline(findMs));
      this.foundIn(head, state);
      count(outcome);
    } catch (err) {
      count('failed');
      this.#warn(err, 'a streamed head could not be found; looking again');
    }
  }

  /** The epoch, whether answers are late, and the nonces of each question. @throws RedisUnavailable */
  async #states(questions: readonly HeadQuestion[], epoch: string): Promise<string[]> {
    const kinds = [...new Set(questions.flatMap((question) => question.kinds))];
    const found = new Map<string, string>();
    for (const kind of kinds) {
      const users = new Set(questions.filter((question) => question.kinds.includes(kind)).map(({ user }) => user));
      const nonces = await this.#options.nonces(kind, [...users]);
      for (const [i, user] of [...users].entries()) found.set(`${kind} ${user}`, nonces[i] ?? COLD);
    }
    const ofAll = [epoch, this.#options.isLate() ? 'late' : 'prompt'];
    return questions.map(({ user, kinds }) =>
      [...ofAll, ...kinds.map((kind) => found.get(`${kind} ${user}`))].join(' '),
    );
  }

  /** While MySQL or Redis is away, every look fails, all alike: one line in a second says so. */
  #warn(err: unknown, message: string): void {
    const { now, logger, lookMs = LOOK_MS } = this.#options;
    if (now() - this.#lastWarnedAt < lookMs) return;
    this.#lastWarnedAt = now();
    logger.warn({ err }, message);
  }
}

/** Has any of its kinds no index? */
function isCold(state: string): boolean {
  return state.split(' ').includes(COLD);
}
