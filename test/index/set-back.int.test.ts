import type { Redis } from 'ioredis';
import { beforeEach, expect, it } from 'vitest';
import { ownerKey } from '../../src/index/ownership.ts';
import { SetBackWatch } from '../../src/index/set-back.ts';
import { type RedisMaster, readMasters } from '../../src/redis/masters.ts';
import { ownershipOf } from '../support/epoch-watch.ts';
import { freshStores, type Stores } from '../support/stores.ts';

let stores: Stores;
let masters: RedisMaster[];

beforeEach(async () => {
  stores = await freshStores();
  await ownershipOf(stores).claim();
  masters = await readMasters(stores.redis);
});

/** Processes that have looked. */
async function looking(count: number): Promise<SetBackWatch[]> {
  const { redis, prefix } = stores;
  const watches = Array.from({ length: count }, () => new SetBackWatch(redis, prefix, ownershipOf(stores)));
  for (const watch of watches) expect(await watch.look(masters, asked)).toBe(false);
  return watches;
}

const asked = async () => masters;
const id = () => ownershipOf(stores).id();

async function setBack(): Promise<void> {
  const redis = stores.redis as Redis;
  await redis.del(await redis.keys(`${stores.prefix}:{*}:mark:*`));
}

it('gives the ownership another id, once for all processes', async () => {
  const watches = await looking(3);
  const before = await id();
  await setBack();
  for (const watch of watches) expect(await watch.look(masters, asked)).toBe(true);
  expect(await id(), 'which a comparison changes').toBe(before);
  await Promise.all(watches.map((watch) => watch.settle()));
  const after = await id();
  expect(after).not.toBe(before);
  for (const watch of watches) {
    await watch.settle();
    expect(await watch.look(masters, asked)).toBe(false);
  }
  expect(await id()).toBe(after);
});

it('is known to be done by a process that looks later', async () => {
  const [first, second] = (await looking(2)) as [SetBackWatch, SetBackWatch];
  await setBack();
  await first.look(masters, asked);
  await first.settle();
  const after = await id();
  expect(await second.look(masters, asked)).toBe(true);
  await second.settle();
  expect(await id()).toBe(after);
});

it('is not forgotten while the masters do not answer', async () => {
  const [watch] = (await looking(1)) as [SetBackWatch];
  const before = await id();
  await setBack();
  expect(await watch.look(masters, async () => undefined)).toBe(false);
  await watch.settle();
  expect(await id()).toBe(before);
  expect(await watch.look(masters, asked)).toBe(true);
  await watch.settle();
  expect(await id()).not.toBe(before);
});

it('is left to the comparison where others have taken over', async () => {
  const [watch] = (await looking(1)) as [SetBackWatch];
  const before = await id();
  await setBack();
  const others = masters.map((master) => ({ ...master, replicationId: 'another' }));
  expect(await watch.look(masters, async () => others)).toBe(false);
  await watch.settle();
  expect(await watch.look(others, async () => others)).toBe(false);
  expect(await id()).toBe(before);
});

it('changes whatever id there is where none was known', async () => {
  const { redis, prefix } = stores;
  const owner = await redis.get(ownerKey(prefix));
  await redis.del(ownerKey(prefix));
  const [watch] = (await looking(1)) as [SetBackWatch];
  await redis.set(ownerKey(prefix), String(owner));
  const before = await id();
  await setBack();
  expect(await watch.look(masters, asked)).toBe(true);
  await watch.settle();
  expect(await id()).not.toBe(before);
});
