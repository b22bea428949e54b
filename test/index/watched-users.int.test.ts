import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { WatchedUsers } from '../../src/index/redis/watched-users.ts';
import { openRedis, type RedisClient, untilReady } from '../../src/redis/connection.ts';
import { redisUrl } from '../support/servers.ts';
import { freshRedis } from '../support/stores.ts';
import { until } from '../support/until.ts';

let redis: RedisClient;
let watched: WatchedUsers;

beforeEach(async () => {
  redis = await freshRedis();
  watched = new WatchedUsers(redis, `test-${randomUUID()}`);
});

/** Ids of users who are due, by id. They are held from then on. */
async function due(): Promise<string[]> {
  const found: string[] = [];
  await until(async () => {
    found.push(...(await watched.queue.take(100, 60_000)).items);
    return (await watched.queue.size()) === found.length;
  });
  return found.toSorted();
}

/** What is told on a channel to a client whose commands may take only this long. */
async function listen(channel: string, commandTimeoutMs = 20_000): Promise<string[]> {
  const client = openRedis(redisUrl(), { commandTimeoutMs, connectTimeoutMs: 20_000, name: 'test' });
  onTestFinished(() => client.disconnect());
  await untilReady(client, 60_000);
  const heard: string[] = [];
  client.on('smessage', (_channel: string, text: string) => void heard.push(text));
  await until(() => client.ssubscribe(channel).then(() => true));
  return heard;
}

describe('a signal', () => {
  it('asks for a check of the watched, and of nobody else', async () => {
    await watched.signal(['1', '2']);
    expect(await watched.queue.size()).toBe(0);
    await watched.add(['2', '3', '18446744073709551615']);
    await watched.signal(['1', '2', '18446744073709551615']);
    expect(await due()).toEqual(['18446744073709551615', '2']);
    await watched.remove(['2']);
    await watched.signal(['2']);
    expect((await watched.queue.take(100, 1_000)).items).toEqual([]);
  });

  it('says when somebody begins to wait, and of nobody else', async () => {
    const heard = await listen(watched.queue.waitingChannel);
    await watched.add(['2']);
    for (const user of ['1', '2', '2']) await watched.signal([user]);
    expect(await due()).toEqual(['2']);
    await watched.signal(['2']);
    await until(async () => heard.length >= 2);
    expect(heard).toEqual(['', '']);
  });

  it('is for any number of users', async () => {
    const many = Array.from({ length: 1_234 }, (_, i) => String(i + 1));
    await watched.add(many);
    await watched.signal(many);
    expect(await watched.queue.size()).toBe(many.length);
  });

  it('tells who is streamed, until their time is over, and through a connection that was idle for long', async () => {
    const heard = await listen(watched.changed, 2_000);
    const subscribedAt = performance.now();
    await watched.stream(['5', '6'], Date.now(), 60_000);
    await watched.stream(['7'], Date.now() - 2_000, 1_000);
    await until(async () => performance.now() - subscribedAt > 3_000);
    await watched.signal(['4', '5', '6', '7']);
    await until(async () => heard.length > 0);
    expect(heard).toEqual(['5 6']);
    expect(await watched.queue.size()).toBe(0);
  });
});
