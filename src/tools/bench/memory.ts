import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { contactsAmong } from '../../app/jobs.ts';
import { indexStores } from '../../app/stores.ts';
import type { Id } from '../../contracts/id.ts';
import type { Key } from '../../contracts/key.ts';
import { ENDLESS } from '../../index/allowance.ts';
import { KeyNames } from '../../index/redis/keys.ts';
import { chunks } from '../../timing/batches.ts';
import { poll } from '../harness/poll.ts';
import { removeKeys } from '../harness/remove-traces.ts';
import { bytesOfKeys } from '../harness/stores.ts';
import { idsFrom } from '../reference-site/load-graph.ts';
import type { Bench, Ground } from './bench.ts';
import { type Measurements, type ReportRow, rounded } from './report.ts';

export interface MemorySize {
  readonly users: number;
  readonly max: readonly number[];
}

/** Measures the growth of Redis per user: full indexes, ids of 8 digits, a prefix as long as the default one. */
export const memory: Bench<MemorySize> = {
  name: 'memory',
  summary: 'bytes of Redis for one user, keys and allocator included',
  transport: 'streams',
  ownRedis: true,
  settings: () => ({ KEY_PREFIX: `b${randomBytes(3).toString('hex')}` }), // as long as `recency`
  full: { users: 100_000, max: [12, 24, 60] },
  quick: { users: 300, max: [12, 24, 60] },
  measure,
};

// The server's own tables grow by doubling and shrink in their own time. So all is compared with what there was before any
// of it, and the variant with fewer keys is first: it needs no larger tables than the other leaves behind.
const VARIANTS = ['plain_zset', 'recency'] as const;
type MemoryVariant = (typeof VARIANTS)[number];

const FIRST_USER = 10_000_000n;
const FIRST_CONTACT = 20_000_000;
const CONTACTS = 79_999_999;
const DAYS_30_MS = 30 * 86_400_000;

const USERS_A_CALL = 500;

async function measure(ground: Ground, size: MemorySize): Promise<Measurements> {
  const { resources, namespace, signal, progress } = ground;
  const client = resources.adopt(new Redis(namespace.config.redisUrl), (opened) => opened.disconnect());
  const users = idsFrom(FIRST_USER, size.users);
  progress(`${size.users} users, each with a full index`);
  await fill(ground, client, 'recency', users.slice(0, 1), 1); // the scripts are loaded by now
  await removeKeys(client, `${namespace.config.keyPrefix}:*`);
  const before = await usedMemory(client);
  const rows: (ReportRow & { max: number; arm: MemoryVariant; bytes_per_user: number })[] = [];
  const names = new KeyNames(namespace.config.keyPrefix);
  for (const arm of VARIANTS) {
    for (const max of size.max) {
      signal.throwIfAborted();
      await fill(ground, client, arm, users, max);
      const grown = (await usedMemory(client)) - before;
      const keys =
        arm === 'recency'
          ? users.flatMap((user) => [names.set(user), names.meta(user)])
          : users.map((user) => `${namespace.config.keyPrefix}:${user}`);
      rows.push({
        ...{ max, arm, bytes_per_user: Math.round(grown / users.length) },
        key_bytes_per_user: Math.round(((await meanKeyBytes(client, keys)) * keys.length) / users.length),
      });
      await removeKeys(client, `${namespace.config.keyPrefix}:*`);
      await untilFreed(client, before);
    }
  }
  return { rows, ratios: memoryRatios(rows) };
}

/** Fills every index with `max` contacts, one being left out. */
async function fill(
  ground: Ground,
  client: Redis,
  arm: MemoryVariant,
  users: readonly Id[],
  max: number,
): Promise<void> {
  const { stores, namespace } = ground;
  const config = { ...namespace.config, max, min: Math.floor(max / 2) };
  const { index } = contactsAmong(indexStores(config, stores.primary, stores.redis));
  const now = Date.now();
  for (const page of chunks(users, USERS_A_CALL)) {
    if (arm === 'recency') {
      const seen = await index.claim(page);
      const requests = page.map((user, i) => ({
        ...{ user, seen: seen[i] ?? '', allowance: ENDLESS },
        top: contactsOf(user, max + 1, now),
      }));
      await index.replace('epoch', requests);
    } else {
      const pipeline = client.pipeline();
      for (const user of page) {
        const members = contactsOf(user, max, now).flatMap(({ id, at }) => [at, id]);
        pipeline.zadd(`${namespace.config.keyPrefix}:${user}`, ...members);
      }
      await pipeline.exec();
    }
  }
}

function contactsOf(user: Id, count: number, now: number): Key[] {
  return Array.from({ length: count }, (_, i) => ({
    id: String(FIRST_CONTACT + ((Number(user) * 7_919 + i * 104_729) % CONTACTS)),
    at: now - Math.floor(((i + 1) * DAYS_30_MS) / (count + 1)) - (Number(user) % 1_000),
  }));
}

const FREED_TIMEOUT_MS = 30_000;
const LOOK_MS = 100;

/** What the server's own tables may keep after all keys are gone, bytes. */
const TABLES = 12 * 1024 ** 2;

/** Waits, because keys are freed in the background. @throws Error when they are not */
async function untilFreed(client: Redis, before: number): Promise<void> {
  const isFreed = (used: number) => used <= before + TABLES;
  const used = await poll(() => usedMemory(client), isFreed, { everyMs: LOOK_MS, timeoutMs: FREED_TIMEOUT_MS });
  if (!isFreed(used)) throw new Error('Redis has not freed what was removed');
}

export function memoryRatios(
  rows: readonly { max: number; arm: MemoryVariant; bytes_per_user: number }[],
): Record<string, number> {
  const bytes = (arm: MemoryVariant, max: number) =>
    rows.find((row) => row.arm === arm && row.max === max)?.bytes_per_user ?? Number.NaN;
  const over = (max: number) => rounded(bytes('recency', max) / bytes('plain_zset', max));
  const sizes = [...new Set(rows.map(({ max }) => max))];
  return {
    over_plain_zset: over(24),
    ...Object.fromEntries(sizes.map((max) => [`over_plain_zset_${max}`, over(max)])),
  };
}

const KEYS_ASKED = 1_000;

/** Mean memory of the keys alone according to Redis, without its tables. */
async function meanKeyBytes(client: Redis, keys: readonly string[]): Promise<number> {
  const asked = keys.slice(0, KEYS_ASKED);
  return (await bytesOfKeys(client, asked)) / asked.length;
}

export async function usedMemory(client: Redis): Promise<number> {
  const used = /^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1];
  if (used === undefined) throw new Error('Redis does not report its memory');
  return Number(used);
}
