import type { DelayedItem, DelayedWork } from '../../src/index/delayed-work.ts';
import type { Step } from '../../src/index/protocol.ts';
import type { RedisFanOutCursors } from '../../src/index/redis/fan-out-cursors.ts';
import type { Held } from '../../src/redis/delay-queue.ts';
import { Interner } from '../interner.ts';
import type { Product } from '../load-product.ts';
import { Keyspace, textOf } from '../redis/keyspace.ts';
import { ModelRedis } from '../redis/model-redis.ts';
import type { NumberOf } from './index-store.ts';
import { Unknown } from './unknown.ts';

export interface SideEffect {
  readonly contents: number;
  /** By its number. */
  readonly reply: number;
}

const PREFIX = 'prove';
const DUE = `${PREFIX}:{delay}:due`;
const HELD = `${PREFIX}:{delay}:held`;

/** The model's clock begins here, far from 1970. */
const NOW = 1_000_000;
const LEASE_MS = 60_000;
const ITEMS_AT_ONCE = 200;

/**
 * The product's cursors and delay queue on a model of Redis. A waiting item may become due at any moment, so its time
 * is ignored. The clock advances by a millisecond whenever something is taken, so that no two leases end
 * together.
 */
export class SideStore {
  readonly contents = new Interner<Keyspace>((keyspace) => `${keyspace.now} ${textOf(keyspace)}`);
  readonly #numberOf: NumberOf;
  readonly #redis: ModelRedis;
  readonly #cursors: RedisFanOutCursors;
  readonly #delayed: DelayedWork;
  readonly #effects = new Map<string, SideEffect>();

  constructor({ code, patchScript }: Product, numberOf: NumberOf) {
    this.#numberOf = numberOf;
    this.#redis = new ModelRedis(patchScript);
    this.#cursors = new code.RedisFanOutCursors(this.#redis.client, PREFIX);
    this.#delayed = new code.DelayedWork(new code.DelayQueue(this.#redis.client, PREFIX));
  }

  close(): void {
    this.#redis.close();
  }

  get empty(): number {
    return this.contents.number(new Keyspace(NOW));
  }

  /** @param number the step's number, its cache key @throws Unknown */
  do(step: Step, number: number, contents: number): SideEffect {
    const store = (step.name in this.#cursors ? this.#cursors : this.#delayed) as unknown as Record<string, Doing>;
    return this.#known(`${number}`, contents, () => (store[step.name] as Doing).apply(store, step.args as unknown[]));
  }

  /** Takes what is due. @throws Unknown */
  take(contents: number): SideEffect {
    const { now } = this.contents.thing(contents);
    return this.#known('take', contents, () => this.#delayed.take(ITEMS_AT_ONCE, LEASE_MS), now + 1);
  }

  /** @throws Unknown */
  finish(contents: number, held: Held<DelayedItem>): SideEffect {
    return this.#known(`finish ${JSON.stringify(held)}`, contents, () => this.#delayed.finish(held));
  }

  /** Ends every lease: what was held is due again. */
  lapsed(contents: number): number {
    const keyspace = this.contents.thing(contents).copy();
    setScores(keyspace, HELD, 0);
    return this.contents.number(keyspace);
  }

  /** Is anything due? */
  hasDue(contents: number): boolean {
    const keyspace = this.contents.thing(contents);
    const held = keyspace.get(HELD);
    return (
      keyspace.get(DUE) !== undefined ||
      (held?.kind === 'zset' && held.members.some(({ score }) => score <= keyspace.now))
    );
  }

  /** Redis lost everything. The clock goes on. */
  lost(contents: number): number {
    return this.contents.number(new Keyspace(this.contents.thing(contents).now));
  }

  /** Delayed items, and those that a worker holds. */
  items(contents: number): DelayedItem[] {
    return [...this.#itemsOf(contents, DUE), ...this.#itemsOf(contents, HELD)];
  }

  #itemsOf(contents: number, key: string): DelayedItem[] {
    const value = this.contents.thing(contents).get(key);
    return value?.kind === 'zset' ? value.members.map(({ member }) => JSON.parse(member) as DelayedItem) : [];
  }

  #known(what: string, contents: number, work: () => Promise<unknown>, now?: number): SideEffect {
    const effect = this.#effects.get(`${what} ${contents}`);
    if (effect === undefined) throw new Unknown(() => this.#compute(what, contents, work, now));
    return effect;
  }

  async #compute(what: string, contents: number, work: () => Promise<unknown>, now?: number): Promise<void> {
    this.#redis.keyspace = this.contents.thing(contents).copy(now);
    const reply = await work();
    setScores(this.#redis.keyspace, DUE, 0);
    this.#effects.set(`${what} ${contents}`, {
      contents: this.contents.number(this.#redis.keyspace),
      reply: this.#numberOf(reply),
    });
  }
}

type Doing = (...args: unknown[]) => Promise<unknown>;

function setScores(keyspace: Keyspace, key: string, score: number): void {
  const value = keyspace.get(key);
  if (value?.kind !== 'zset') return;
  keyspace.put(key, { kind: 'zset', members: value.members.map(({ member }) => ({ member, score })) });
}
