import type { Id } from '../../src/contracts/id.ts';
import type { KindName } from '../../src/contracts/kind.ts';
import { KEEP_ALL, type KeepRules } from '../../src/index/allowance.ts';
import { FORGOTTEN_MS, type Reading } from '../../src/index/contact-index.ts';
import type { RedisContactIndex } from '../../src/index/redis/redis-contact-index.ts';
import { Interner } from '../interner.ts';
import type { Product } from '../load-product.ts';
import { Keyspace } from '../redis/keyspace.ts';
import { ModelRedis } from '../redis/model-redis.ts';
import { kindOf } from '../site/site.ts';
import type { Violation } from '../violation.ts';
import { contentsText, type IndexContents, IndexKeys, type IndexOwner, ownersOf } from './index-contents.ts';
import { FRESH, type Renaming, renameDeep, renamingOf } from './nonces.ts';
import type { KindStep } from './operations.ts';
import { brokenBy } from './step-rules.ts';
import { Unknown } from './unknown.ts';

export interface IndexOptions {
  readonly kinds: readonly KindName[];
  readonly users: readonly Id[];
  readonly max: number;
  readonly min: number;
  readonly rules?: KeepRules;
}

/** Numbers replies. */
export type NumberOf = (reply: unknown) => number;

/** `first`: the reply is lost and the command will be sent again. `second`: it is sent again, with the same nonce. */
export type Sending = 'once' | 'first' | 'second';

/** The outcome of a step. */
export interface IndexEffect {
  readonly contents: number;
  /** By its number. */
  readonly reply: number;
  /** By its number; 0 changes nothing. */
  readonly renaming: number;
  /** What went wrong within the step itself; undefined: nothing. */
  readonly broken: Violation | undefined;
}

const PREFIX = 'prove';

/** The product's index on a model of Redis. Each distinct step on distinct contents is done once, and remembered. */
export class IndexStore {
  readonly contents = new Interner<IndexContents>(contentsText);
  readonly renamings = new Interner<Renaming>();
  readonly #keys: IndexKeys;
  readonly #max: number;
  readonly #numberOf: NumberOf;
  readonly #redis: ModelRedis;
  readonly #indexes: ReadonlyMap<KindName, RedisContactIndex>;
  readonly #effects: Readonly<Record<Sending, Map<number, IndexEffect>>> = {
    once: new Map(),
    first: new Map(),
    second: new Map(),
  };
  #nonce = FRESH;
  readonly #changes = new Map<string, IndexEffect>();
  readonly #readings = new Map<string, Reading>();

  constructor({ code, patchScript }: Product, options: IndexOptions, numberOf: NumberOf) {
    const { kinds, max, min, rules = KEEP_ALL } = options;
    this.#keys = new IndexKeys(code, PREFIX, ownersOf(options));
    this.#max = max;
    this.#numberOf = numberOf;
    this.#redis = new ModelRedis(patchScript);
    const limits = { max, min, prefix: PREFIX, freshNonce: () => this.#nonce, rules };
    this.#indexes = new Map(
      kinds.map((kind) => [kind, new code.RedisContactIndex(this.#redis.client, { ...limits, kind: kindOf(kind) })]),
    );
    this.renamings.number([]);
  }

  close(): void {
    this.#redis.close();
  }

  get empty(): number {
    return this.contents.number({ master: new Keyspace(0), replica: undefined, resent: undefined });
  }

  /** @param number the step's number, its cache key @throws Unknown */
  do(step: KindStep, number: number, contents: number, sending: Sending): IndexEffect {
    const effect = this.#effects[sending].get(number * 2 ** 24 + contents);
    if (effect === undefined) throw new Unknown(() => this.#compute(step, number, contents, sending));
    return effect;
  }

  /** @throws Unknown */
  read(contents: number, owner: IndexOwner): Reading {
    const reading = this.#readings.get(`${contents} ${owner.kind} ${owner.user}`);
    if (reading === undefined) throw new Unknown(() => this.#read(contents, owner));
    return reading;
  }

  /** Reads the index as an answer does, which counts as use. @throws Unknown */
  used(contents: number, owner: IndexOwner): IndexEffect {
    const key = `used ${owner.kind} ${owner.user} ${contents}`;
    const effect = this.#changes.get(key);
    if (effect === undefined)
      throw new Unknown(async () => void this.#changes.set(key, await this.#use(contents, owner)));
    return effect;
  }

  /** Deletes one key of an index, or both. */
  without(contents: number, owner: IndexOwner, which: 'set' | 'meta' | 'both'): IndexEffect {
    return this.#change(`${which} ${owner.kind} ${owner.user} ${contents}`, contents, ({ master, ...rest }) => {
      const left = master.copy();
      const [set, meta] = this.#keys.names(owner);
      if (which !== 'meta') left.delete(set);
      if (which !== 'set') left.delete(meta);
      return { master: left, ...rest };
    });
  }

  /** Forgets the user in this kind, as forget.lua does. */
  forgotten(contents: number, owner: IndexOwner): IndexEffect {
    return this.#change(`forgotten ${owner.kind} ${owner.user} ${contents}`, contents, ({ master, ...rest }) => {
      const left = master.copy();
      for (const name of this.#keys.names(owner)) left.delete(name);
      left.put(this.#keys.note(owner), { kind: 'string', text: 's' });
      return { master: left, ...rest };
    });
  }

  /** Does the forgotten user have an index or a placeholder again? */
  isBack(contents: number, owner: IndexOwner): boolean {
    const { master } = this.contents.thing(contents);
    return master.get(this.#keys.note(owner)) !== undefined && this.#keys.nonce(master, owner) !== '';
  }

  /** Copies the master to the replica. */
  synced(contents: number): IndexEffect {
    return this.#change(`synced ${contents}`, contents, ({ master, resent }) => ({ master, replica: master, resent }));
  }

  /** Promotes the replica. */
  failedOver(contents: number): IndexEffect {
    return this.#change(`failed over ${contents}`, contents, ({ replica, resent }) => {
      if (replica === undefined) throw new Error('there is no replica to fail over to');
      return { master: replica, replica: undefined, resent };
    });
  }

  /** Redis loses everything, on every node. */
  lost(contents: number): IndexEffect {
    return this.#change(`lost ${contents}`, contents, ({ master, resent }) => {
      return { master: new Keyspace(master.now), replica: undefined, resent };
    });
  }

  /** A caller that would retry the command does not. */
  notResent(contents: number): IndexEffect {
    return this.#change(`not resent ${contents}`, contents, (all) => ({ ...all, resent: undefined }));
  }

  /** An external change, cached by `key`. */
  #change(key: string, before: number, change: (contents: IndexContents) => IndexContents): IndexEffect {
    let effect = this.#changes.get(key);
    if (effect === undefined) {
      effect = this.#effect(before, change(this.contents.thing(before)), undefined);
      this.#changes.set(key, effect);
    }
    return effect;
  }

  async #compute(step: KindStep, number: number, contents: number, sending: Sending): Promise<void> {
    const { master, replica, resent } = this.contents.thing(contents);
    this.#redis.keyspace = master.copy();
    this.#nonce = sending === 'second' ? String(resent) : FRESH;
    const index = this.#of(step.of);
    const reply =
      step.name === 'forget'
        ? await index.bar(step.args[0] as Id[], 'soft', FORGOTTEN_MS)
        : await (index[step.name as 'nonces'] as (...args: unknown[]) => Promise<unknown>)(...step.args);
    const after = {
      master: this.#redis.keyspace,
      replica,
      resent: { once: resent, first: FRESH, second: undefined }[sending],
    };
    const broken = brokenBy(step, master, after.master, this.#keys, this.#max);
    const effect = { ...this.#effect(contents, after, reply), broken };
    this.#effects[sending].set(number * 2 ** 24 + contents, effect);
  }

  #of(kind: KindName): RedisContactIndex {
    return this.#indexes.get(kind) as RedisContactIndex;
  }

  async #read(contents: number, { kind, user }: IndexOwner): Promise<void> {
    this.#redis.keyspace = this.contents.thing(contents).master.copy();
    this.#readings.set(`${contents} ${kind} ${user}`, await this.#of(kind).read(user, 0, false));
  }

  async #use(contents: number, { kind, user }: IndexOwner): Promise<IndexEffect> {
    const before = this.contents.thing(contents);
    this.#redis.keyspace = before.master.copy();
    await this.#of(kind).read(user, 0, true);
    return this.#effect(contents, { ...before, master: this.#redis.keyspace }, undefined);
  }

  #effect(before: number, after: IndexContents, reply: unknown): IndexEffect {
    const renaming = renamingOf(this.#keys.nonces(this.contents.thing(before)), this.#keys.nonces(after));
    return {
      contents: this.contents.number(this.#keys.renamed(after, renaming)),
      reply: this.#numberOf(renameDeep(reply, renaming)),
      renaming: this.renamings.number(renaming),
      broken: undefined,
    };
  }
}
