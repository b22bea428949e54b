import type { Redis } from 'ioredis';
import type { Id } from '../../src/contracts/id.ts';
import type { Kind } from '../../src/contracts/kind.ts';
import type { ApplyRequest, Nonce, ReplaceRequest } from '../../src/index/contact-index.ts';
import type { StepName, Steps } from '../../src/index/protocol.ts';
import { KeyNames } from '../../src/index/redis/keys.ts';
import type { Pair } from '../../src/mysql/statements/pairs.ts';
import { LIMITS } from './cast.ts';
import type { Truths } from './truths.ts';

/** Outcomes of a script that found the nonce its caller had seen, and those that wrote MySQL's state. */
const FOUND: ReadonlySet<string> = new Set(['applied', 'rebuild_due', 'replaced', 'dropped']);
const WRITTEN: ReadonlySet<string> = new Set(['applied', 'rebuild_due', 'replaced']);
const UNTOUCHED: ReadonlySet<string> = new Set(['raced', 'cold']);
/** Outcomes that finish a task for this index. */
const DONE: ReadonlySet<string> = new Set(['applied', 'rebuild_due', 'dropped', 'cold']);

interface WriteWatchOptions {
  /** On real stores. */
  readonly steps: Steps;
  readonly redis: Redis;
  readonly prefix: string;
  readonly kind: Kind;
  readonly truths: Truths;
  readonly now: () => number;
}

type AnyStep = (...args: readonly unknown[]) => Promise<unknown>;
type Request = ApplyRequest | ReplaceRequest;

/**
 * Does steps, one at a time, and checks what they write:
 * - I6: a write had the nonce in force and replaced it;
 * - the state written was in force at some time after the previous write, and after every read that finished a task:
 *   no outdated state is written;
 * - I9: the encoding is the compact one.
 */
export class WriteWatch {
  readonly steps: Steps;
  readonly #options: WriteWatchOptions;
  readonly #names: KeyNames;
  /** When each nonce was issued. */
  readonly #given = new Map<Nonce, number>();
  /** When each reader last read each pair. */
  readonly #read = new WeakMap<object, Map<string, number>>();
  /** For each user and contact: when the state that finished a task was read. */
  readonly #done = new Map<Id, Map<Id, number>>();

  constructor(options: WriteWatchOptions) {
    this.steps = options.steps;
    this.#options = options;
    this.#names = new KeyNames(options.prefix, options.kind);
  }

  /** @param who does it @throws Error for a broken invariant, and what the step throws */
  async do(who: object, name: StepName, args: readonly unknown[]): Promise<unknown> {
    const work = () => (this.steps[name] as AnyStep)(...args);
    if (name === 'claim') return this.#learn((await work()) as Nonce[]);
    if (name === 'pairs' || name === 'neighbours') this.#noteRead(who, args[0] as readonly Pair[]);
    if (name !== 'apply' && name !== 'replace') return await work();
    return await this.#write(who, args[1] as readonly Request[], work as () => Promise<string[]>);
  }

  /** Forgets what was written and finished: Redis has fallen back. */
  forget(): void {
    this.#done.clear();
  }

  /** Records the nonces in force, which were just issued. */
  async begin(users: readonly Id[]): Promise<void> {
    this.#learn(await this.steps.nonces(users));
  }

  #learn(nonces: readonly Nonce[]): readonly Nonce[] {
    for (const nonce of nonces) if (!this.#given.has(nonce)) this.#given.set(nonce, this.#options.now());
    return nonces;
  }

  #noteRead(who: object, pairs: readonly Pair[]): void {
    const read = this.#read.get(who) ?? new Map<string, number>();
    this.#read.set(who, read);
    for (const { user, contact } of pairs) read.set(`${user} ${contact}`, this.#options.now());
  }

  #noteDone(who: object, { user, changes }: ApplyRequest): void {
    const done = this.#done.get(user) ?? new Map<Id, number>();
    this.#done.set(user, done);
    for (const { id } of changes) {
      const readAt = this.#read.get(who)?.get(`${user} ${id}`) ?? 0;
      done.set(id, Math.max(done.get(id) ?? 0, readAt));
    }
  }

  async #write(who: object, requests: readonly Request[], write: () => Promise<string[]>): Promise<string[]> {
    const users = requests.map(({ user }) => user);
    const before = await this.steps.nonces(users);
    const outcomes = await write();
    const after = await this.steps.nonces(users);
    for (const [i, request] of requests.entries()) {
      const outcome = String(outcomes[i]);
      const { user, seen } = request;
      if (FOUND.has(outcome) && seen !== before[i]) throw new Error(`I6: ${outcome}: a stale nonce of user ${user}`);
      if (FOUND.has(outcome) && seen === after[i]) throw new Error(`I6: ${outcome}: user ${user} has the same nonce`);
      if (UNTOUCHED.has(outcome) && after[i] !== before[i]) throw new Error(`I6: ${outcome}: user ${user} was written`);
      if (WRITTEN.has(outcome)) this.#expectFresh(request);
      if (DONE.has(outcome) && 'changes' in request) this.#noteDone(who, request);
    }
    this.#learn(after);
    for (const user of users) await this.#checkEncoding(user);
    return outcomes;
  }

  #expectFresh(request: Request): void {
    const { truths } = this.#options;
    const { user, seen } = request;
    const given = this.#given.get(seen) ?? 0;
    const done = this.#done.get(user) ?? new Map<Id, number>();
    const isFresh =
      'top' in request
        ? truths.wereBest(user, request.top ?? [], LIMITS.max + 1, Math.max(given, ...done.values()))
        : request.changes.every((change) => truths.wasSo(user, change, Math.max(given, done.get(change.id) ?? 0)));
    if (!isFresh) throw new Error(`user ${user} was written with what was over by the write before`);
  }

  async #checkEncoding(user: Id): Promise<void> {
    const { redis } = this.#options;
    const z = this.#names.set(user);
    const [kind, encoding] = await Promise.all([redis.type(z), redis.object('ENCODING', z).catch(() => null)]);
    if (kind === 'zset' && encoding !== 'listpack') throw new Error(`I9: the set of user ${user} is a ${encoding}`);
  }
}
