import { Redis } from 'ioredis';
import { createConnection } from 'mysql2/promise';
import { describe, expect, it } from 'vitest';
import { freshDatabase, freshPrefix, freshTopic, hasKafka, redisUrl } from './servers.ts';
import { until } from './until.ts';

describe('each test gets its own', () => {
  it('a database', async () => {
    const [first, second] = await Promise.all([freshDatabase(), freshDatabase()]);
    expect(first).not.toBe(second);
    const connection = await createConnection(first);
    const [rows] = await connection.query('SELECT DATABASE() AS name');
    await connection.end();
    expect(rows).toEqual([{ name: new URL(first).pathname.slice(1) }]);
  });

  it('a key prefix', async () => {
    const redis = new Redis(redisUrl());
    const prefix = freshPrefix();
    await redis.set(`${prefix}:x`, '1');
    expect(await redis.get(`${prefix}:x`)).toBe('1');
    redis.disconnect();
    expect(freshPrefix()).not.toBe(prefix);
  });

  it.runIf(hasKafka())('a topic', async () => {
    expect(await freshTopic({ partitions: 2 })).not.toBe(await freshTopic());
  });
});

describe('until', () => {
  it('returns the first truthy value of the condition', async () => {
    let looks = 0;
    expect(await until(() => ++looks > 2 && looks, { interval: 1 })).toBe(3);
  });

  it('says what it waited for and what it saw last', async () => {
    await expect(until(() => null, { timeout: 5, what: 'a row' })).rejects.toThrow(/5 ms: a row\nlast seen: null/);
  });

  it('treats an error as not yet met', async () => {
    let looks = 0;
    const late = () => {
      if (++looks < 3) throw new Error('not there');
      return 'there';
    };
    expect(await until(late, { interval: 1 })).toBe('there');
  });
});
