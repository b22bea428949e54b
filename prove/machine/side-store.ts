import { CONTACTS, type KindName } from '../../src/contracts/kind.ts';
import type { DelayedItem, DelayedWork } from '../../src/index/delayed-work.ts';
import type { WaitingPlans } from '../../src/index/redis/waiting-plans.ts';
import type { Held } from '../../src/redis/delay-queue.ts';
import { Interner } from '../interner.ts';
import type { Product } from '../load-product.ts';
import { Keyspace, textOf } from '../redis/keyspace.ts';
import { ModelRedis } from '../redis/model-redis.ts';
import { kindOf } from '../site/site.ts';
import type { NumberOf } from './index-store.ts';
import type { KindStep } from './operations.ts';
import { Unknown } from './unknown.ts';

export interface SideEffect {
  readonly contents: number;
  /** By its number. */
  readonly reply: number;
}

const PREFIX = 'prove';

/** As the composition root has them: every kind's delayed work waits for itself. */
function delayPrefix(kind: KindName): string {
  return kind === CONTACTS.name ? PREFIX : `${PREFIX}:${kind}`;
}

const dueKey = (kind: KindName) => `${delayPrefix(kind)}:{delay}:due`;
const heldKey = (kind: KindName) => `${delayPrefix(kind)}:{delay}:held`;

/** The model's clock begins here, far from 1970. */
const NOW = 1_000_000;
const LEASE_MS = 60_000;
const ITEMS_AT_ONCE = 200;

/**
 * The product's notes of plans and delay queue on a model of Redis. A waiting item may become due at any moment, so its time
 * is ignored. The clock advances by a millisecond whenever something is taken, so that no two leases end
 * together, and whenever a plan begins, so that no two have one name.
 */
export class SideStore {
  readonly contents = new Interner<Keyspace>((keyspace) => `${keyspace.now} ${textOf(keyspace)}`);
  readonly #numberOf: NumberOf;
  readonly #redis: ModelRedis;
  readonly #kinds: readonly KindName[];
  readonly #plans: ReadonlyMap<KindName, WaitingPlans>;
  readonly #delayed: ReadonlyMap<KindName, DelayedWork>;
  readonly #effects = new Map<string, SideEffect>();

  constructor({ code, patchScript }: Product, kinds: readonly KindName[], numberOf: NumberOf) {
    this.#numberOf = numberOf;
    this.#redis = new ModelRedis(patchScript);
    const { client } = this.#redis;
    this.#kinds = kinds;
    const freshName = () => `plan${this.#redis.keyspace.now - NOW}`;
    this.#plans = new Map(
      kinds.map((kind) => [kind, new code.WaitingPlans(client, { prefix: PREFIX, kind: kindOf(kind), freshName })]),
    );
    this.#delayed = new Map(
      kinds.map((kind) => [kind, new code.DelayedWork(new code.DelayQueue(client, delayPrefix(kind)))]),
    );
  }

  close(): void {
    this.#redis.close();
  }

  get empty(): number {
    return this.contents.number(new Keyspace(NOW));
  }

  /** @param number the step's number, its cache key @throws Unknown */
  do(step: KindStep, number: number, contents: number): SideEffect {
    const plans = this.#plans.get(step.of) as WaitingPlans;
    const store = (step.name in plans ? plans : this.#delayedOf(step.of)) as unknown as Record<string, Doing>;
    const now = step.name === 'beginPlan' ? this.contents.thing(contents).now + 1 : undefined;
    const work = () => (store[step.name] as Doing).apply(store, step.args as unknown[]);
    return this.#known(`${number}`, contents, work, now);
  }

  /** Takes what is due of this kind. @throws Unknown */
  take(contents: number, kind: KindName): SideEffect {
    const { now } = this.contents.thing(contents);
    const take = () => this.#delayedOf(kind).take(ITEMS_AT_ONCE, LEASE_MS);
    return this.#known(`take ${kind}`, contents, take, now + 1);
  }

  /** @throws Unknown */
  finish(contents: number, kind: KindName, held: Held<DelayedItem>): SideEffect {
    const finish = () => this.#delayedOf(kind).finish(held);
    return this.#known(`finish ${kind} ${JSON.stringify(held)}`, contents, finish);
  }

  /** Ends every lease: what was held is due again. */
  lapsed(contents: number): number {
    const keyspace = this.contents.thing(contents).copy();
    for (const kind of this.#kinds) setScores(keyspace, heldKey(kind), 0);
    return this.contents.number(keyspace);
  }

  /** Is anything of this kind due? */
  hasDue(contents: number, kind: KindName): boolean {
    const keyspace = this.contents.thing(contents);
    const held = keyspace.get(heldKey(kind));
    return (
      keyspace.get(dueKey(kind)) !== undefined ||
      (held?.kind === 'zset' && held.members.some(({ score }) => score <= keyspace.now))
    );
  }

  /** Redis lost everything. The clock goes on. */
  lost(contents: number): number {
    return this.contents.number(new Keyspace(this.contents.thing(contents).now));
  }

  /** Delayed items of this kind, and those that a worker holds. */
  items(contents: number, kind: KindName): DelayedItem[] {
    return [...this.#itemsOf(contents, dueKey(kind)), ...this.#itemsOf(contents, heldKey(kind))];
  }

  #delayedOf(kind: KindName): DelayedWork {
    return this.#delayed.get(kind) as DelayedWork;
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
    for (const kind of this.#kinds) setScores(this.#redis.keyspace, dueKey(kind), 0);
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
