import { beforeEach, describe, expect, it } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { ENDLESS } from '../../src/index/allowance.ts';
import { IdleReaper } from '../../src/index/redis/idle-reaper.ts';
import { indexedUsers, KeyNames } from '../../src/index/redis/keys.ts';
import { RedisContactIndex } from '../../src/index/redis/redis-contact-index.ts';
import type { RedisClient } from '../../src/redis/connection.ts';
import { LONG_AGO, rewriteMeta } from '../support/index-meta.ts';
import { freshPrefix, redisUrl } from '../support/servers.ts';
import { freshNonce, freshRedis } from '../support/stores.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { logger } from '../transport/place.ts';

let redis: RedisClient;
let prefix: string;
let index: RedisContactIndex;

beforeEach(async () => {
  redis ??= await freshRedis();
  prefix = freshPrefix();
  index = new RedisContactIndex(redis, { max: 3, min: 2, prefix, freshNonce });
});

const usersFrom = (first: number, count: number): Id[] => Array.from({ length: count }, (_, i) => String(first + i));

async function build(users: readonly Id[]): Promise<void> {
  const nonces = await index.claim(users);
  const top = [{ id: '9', at: 90 }];
  const requests = users.map((user, i) => ({ user, seen: String(nonces[i]), top, allowance: ENDLESS }));
  await index.replace('epoch', requests);
}

async function leaveIdle(users: readonly Id[]): Promise<void> {
  const names = new KeyNames(prefix);
  await Promise.all(users.map((user) => rewriteMeta(redis, names.meta(user), { day: LONG_AGO })));
}

async function indexed(): Promise<Set<Id>> {
  const found = new Set<Id>();
  for await (const page of indexedUsers(redis, prefix)) for (const user of page) found.add(user);
  return found;
}

function sweep(on = index, client = redis) {
  const dropped: number[] = [];
  const options = { index: on, indexedUsers: () => indexedUsers(client, prefix), idleDays: 30, logger };
  return { dropped, sweep: new IdleReaper({ ...options, onDropped: (indexes) => dropped.push(indexes) }) };
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

describe('the idle reaper', () => {
  it('drops the indexes of idle users and of no others', async () => {
    const [idle, inUse] = [usersFrom(1, 900), usersFrom(2_001, 900)];
    await build([...idle, ...inUse]);
    await leaveIdle(idle);
    const { sweep: one, dropped } = sweep();
    expect(await one.runOnce()).toBe(idle.length);
    expect(sum(dropped)).toBe(idle.length);
    expect(await indexed()).toEqual(new Set(inUse));
    expect(await sweep().sweep.runOnce()).toBe(0);
  });

  it('continues while users are added and removed', async () => {
    const idle = usersFrom(1, 500);
    await build(idle);
    await leaveIdle(idle);
    const sweeping = sweep().sweep.runOnce();
    const coming = usersFrom(3_001, 500);
    await Promise.all([build(coming), index.drop(idle.slice(0, 100))]);
    await sweeping;
    expect(await indexed()).toEqual(new Set(coming));
  });

  it('runs periodically until it is stopped', async () => {
    const idle = usersFrom(1, 10);
    await build(idle);
    await leaveIdle(idle);
    const { sweep: one, dropped } = sweep();
    const ending = new AbortController();
    const running = one.run(ending.signal);
    await until(() => sum(dropped) === idle.length);
    ending.abort();
    await running;
  });

  it('fails with the error of Redis when it is unavailable, and has dropped no index in use', async () => {
    const users = usersFrom(1, 10);
    await build(users);
    await using proxy = await TcpProxy.before(redisUrl());
    const client = await freshRedis(proxy.url, { commandTimeoutMs: 1_000 });
    const beyond = new RedisContactIndex(client, { max: 3, min: 2, prefix, freshNonce });
    proxy.silence({ alsoNew: true });
    await expect(sweep(beyond, client).sweep.runOnce()).rejects.toThrow('Redis');
    expect(await indexed()).toEqual(new Set(users));
  });
});
