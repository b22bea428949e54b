import { Redis } from 'ioredis';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { describe, expect, it } from 'vitest';
import { CONTACTS, KINDS } from '../../src/contracts/kind.ts';
import { migrate } from '../../src/mysql/migrate.ts';
import { readSchemaText } from './schema-copies.ts';
import { freshCopy, freshDatabase, freshPrefix, freshTopic, hasKafka, redisUrl } from './servers.ts';
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

describe('a database by copy', () => {
  it.each([[[CONTACTS]], [KINDS]])('is what migrate makes, with an epoch of its own', async (kinds) => {
    const migrated = await freshDatabase();
    await migrate({ url: migrated, kinds });
    const copies = [await freshCopy(kinds), await freshCopy(kinds)];
    const [ofMigrate, ...ofCopies] = await Promise.all([migrated, ...copies].map(schemaOf));
    expect(ofCopies.map(({ schema }) => schema)).toEqual([ofMigrate?.schema, ofMigrate?.schema]);
    expect(new Set([ofMigrate, ...ofCopies].map((one) => one?.epoch)).size).toBe(3);
    const after = await migrate({ url: copies[0] as string, kinds });
    expect(after.applied).toEqual([]);
    expect(after.views.filter(({ made }) => made)).toEqual([]);
  });
});

/** Everything in a database, apart from its epoch and the times of its migrations. */
async function schemaOf(url: string): Promise<{ schema: string; epoch: string }> {
  const connection = await createConnection(url);
  try {
    const [[row]] = await connection.query<RowDataPacket[]>('SELECT token FROM recency_epoch');
    await connection.query("UPDATE recency_epoch SET token = 'x', bumped_at = 0");
    await connection.query('UPDATE recency_migrations SET migration_time = NULL');
    return { schema: await readSchemaText(connection), epoch: row?.token };
  } finally {
    await connection.end();
  }
}

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
