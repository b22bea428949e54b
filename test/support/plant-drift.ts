import { INDEX_CLASSES, type IndexClass } from '../../src/contracts/drift.ts';
import type { Id } from '../../src/contracts/id.ts';
import type { WarmReading } from '../../src/index/contact-index.ts';
import { KeyNames } from '../../src/index/redis/keys.ts';
import { readTopContacts } from '../../src/mysql/statements/top-contacts.ts';
import { rewriteMeta, setMeta } from './index-meta.ts';
import { LIMITS } from './repair-site.ts';
import type { Stores } from './stores.ts';

type Plant = (garden: Garden) => Promise<void>;

/** Corrupts one user's index directly in Redis. */
class Garden {
  readonly z: string;
  readonly m: string;
  readonly #stores: Stores;
  readonly #user: Id;

  constructor(stores: Stores, user: Id) {
    const names = new KeyNames(stores.prefix);
    this.#stores = stores;
    this.#user = user;
    this.z = names.set(user);
    this.m = names.meta(user);
  }

  get redis() {
    return this.#stores.redis;
  }

  async reading(): Promise<WarmReading> {
    const reading = await this.#stores.index.read(this.#user, 0, false);
    if (reading.state !== 'warm') throw new Error(`user ${this.#user} is ${reading.state}, not warm`);
    return reading;
  }

  /** The user's best contacts in MySQL. */
  async truth() {
    return (await readTopContacts(this.#stores.primary, [this.#user], 100)).tops[0] ?? [];
  }

  /** The best `count` contacts, and the floor right below them: a correct index except for its size. */
  async keep(size: number): Promise<void> {
    const truth = await this.truth();
    const floor = truth[size];
    if (floor === undefined) throw new Error(`user ${this.#user} has too few contacts`);
    await this.redis.del(this.z);
    for (const { id, at } of truth.slice(0, size)) await this.redis.zadd(this.z, at, id);
    await setMeta(this.redis, this.m, { size, floor });
  }
}

/** Each creates exactly one class of drift in an index that a rebuild has just written. */
export const PLANTS: Readonly<Record<IndexClass, Plant>> = {
  missing: async (garden) => {
    const { head, size, floor } = await garden.reading();
    await garden.redis.zrem(garden.z, String(head[0]?.id));
    await setMeta(garden.redis, garden.m, { size: size - 1, floor });
  },
  hole: async ({ redis, m }) => {
    await setMeta(redis, m, { floor: undefined });
  },
  ghost: async (garden) => {
    const { head } = await garden.reading();
    await garden.redis.zrem(garden.z, String(head.at(-1)?.id));
    await garden.redis.zadd(garden.z, 1_000_000, '77');
    const [lowest] = head.slice(-1);
    await setMeta(garden.redis, garden.m, { floor: lowest });
  },
  score: async (garden) => {
    const [first] = (await garden.reading()).head;
    await garden.redis.zadd(garden.z, Number(first?.at) + 7, String(first?.id));
  },
  cap: (garden) => garden.keep(LIMITS.max + 2),
  floor: (garden) => garden.keep(LIMITS.min - 1),
  torn: async ({ redis, z }) => {
    await redis.del(z);
  },
  wrong_type: async ({ redis, z }) => {
    await redis.set(z, 'not ours');
  },
};

/** The ways in which an index can be torn. */
export const TEARS: Readonly<Record<string, Plant>> = {
  'the set is gone': PLANTS.torn,
  'what is known of it is gone': async ({ redis, m }) => {
    await redis.del(m);
  },
  'the nonce is gone': async ({ redis, m }) => {
    await rewriteMeta(redis, m, { nonce: '' });
  },
  'the size is gone': async ({ redis, m }) => {
    await rewriteMeta(redis, m, { size: undefined });
  },
  'the floor is gone': async ({ redis, m }) => {
    await rewriteMeta(redis, m, { floor: undefined });
  },
  'a member is gone': async ({ redis, z }) => {
    await redis.zremrangebyrank(z, 0, 0);
  },
};

export async function spoil(stores: Stores, user: Id, plant: Plant): Promise<void> {
  await plant(new Garden(stores, user));
}

/** The classes that a repair fixes; a key of the wrong type belongs to somebody else. */
export const REPAIRABLE = INDEX_CLASSES.filter((drift) => drift !== 'wrong_type');

/** Creates each class of drift for some of the users, spread among unchanged ones. Returns each user's class. */
export async function plantEach(stores: Stores, users: readonly Id[], ofEach: number): Promise<Map<Id, IndexClass>> {
  const count = ofEach * REPAIRABLE.length;
  const planted = new Map<Id, IndexClass>();
  for (let i = 0; i < count; i++) {
    const user = users[Math.floor((i * users.length) / count)] as Id;
    planted.set(user, REPAIRABLE[i % REPAIRABLE.length] as IndexClass);
  }
  await Promise.all([...planted].map(([user, drift]) => spoil(stores, user, PLANTS[drift])));
  return planted;
}

/** The floor is not a number. */
export const unreadableFloor: Plant = async ({ redis, m }) => {
  await rewriteMeta(redis, m, { floor: 'high' });
};
