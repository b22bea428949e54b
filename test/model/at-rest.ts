import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';

import type { Id } from '../../src/contracts/id.ts';
import { isAbove, type Key } from '../../src/contracts/key.ts';
import type { Kind } from '../../src/contracts/kind.ts';
import type { Epoch, Limits, Reading } from '../../src/index/contact-index.ts';
import { KeyNames } from '../../src/index/redis/keys.ts';
import type { RedisContactIndex } from '../../src/index/redis/redis-contact-index.ts';
import { readEpoch } from '../../src/mysql/epoch.ts';
import type { KindDatabase } from '../../src/mysql/statements/kind-statements.ts';
import type { RedisClient } from '../../src/redis/connection.ts';

export interface RestStores {
  readonly index: RedisContactIndex;
  readonly primary: KindDatabase;
  readonly redis: RedisClient;
  readonly prefix: string;
  readonly limits: Limits;
  /** Contacts if left out. */
  readonly kind?: Kind;
}

/** An index that a reader would use: complete, and of the epoch in force. */
function isInUse(reading: Reading, epoch: Epoch): boolean {
  return reading.state === 'warm' && reading.epoch === epoch;
}

/**
 * Checks I1 to I4 and I9 of these users' indexes when no work is pending.
 * @returns how many of them have an index
 * @throws AssertionError
 */
export async function expectIndexesExact(
  stores: RestStores,
  users: readonly Id[],
  truth: ReadonlyMap<Id, readonly Key[]>,
): Promise<number> {
  const { token } = await readEpoch(stores.primary.server);
  const readings = await Promise.all(users.map((user) => stores.index.read(user, 0, false)));
  let warm = 0;
  for (const [i, user] of users.entries()) {
    const reading = readings[i];
    if (reading === undefined || !isInUse(reading, token)) continue;
    warm++;
    const who = stores.kind === undefined ? `user ${user}` : `user ${user}, ${stores.kind.name}`;
    expectExact(reading, truth.get(user) ?? [], stores.limits, who);
  }
  await Promise.all(users.map((user) => expectCompact(stores, user)));
  return warm;
}

function expectExact(reading: Reading, truth: readonly Key[], { max, min }: Limits, who: string): void {
  if (reading.state !== 'warm') throw new Error(`${who} is ${reading.state}`);
  const { head, floor, size } = reading;
  const above = truth.map(({ id, at }) => ({ id, at })).filter((key) => isAbove(key, floor));
  deepStrictEqual(head, above, `${who}: I1, and I3: in the index is who is above its floor`);
  ok(size <= max, `${who}: I2: ${size} members, at most ${max}`);
  ok(floor === undefined || size >= min, `${who}: I2: ${size} members above a floor, at least ${min}`);
  strictEqual(size, head.length, `${who}: I4`);
}

async function expectCompact({ redis, prefix, kind }: RestStores, user: Id): Promise<void> {
  const key = new KeyNames(prefix, kind).set(user);
  // An empty set has no key.
  const encoding = await redis.object('ENCODING', key).catch(() => null);
  ok(encoding === 'listpack' || encoding === null, `user ${user}: I9: ${key} is a ${encoding}`);
}

/** The state that must not change when processed tasks are delivered again: I5. Undefined: no index in use. */
export async function indexesInUse({ index, primary }: RestStores, users: readonly Id[]): Promise<unknown[]> {
  const { token } = await readEpoch(primary.server);
  const readings = await Promise.all(users.map((user) => index.read(user, 0, false)));
  return readings.map((reading) => (isInUse(reading, token) ? { ...reading, nonce: '' } : undefined));
}
