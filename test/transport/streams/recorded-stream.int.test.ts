import { fc } from '@fast-check/vitest';
import { Redis } from 'ioredis';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { GRANTS } from '../../../src/health/check-mysql.ts';
import { Database } from '../../../src/mysql/database.ts';
import { type StreamPoint, type StreamRecord, streamRecord } from '../../../src/mysql/stream-record.ts';
import { ConsumerGroup } from '../../../src/transport/streams/consumer-group.ts';
import { RecordedStream, StreamNotOnRecord } from '../../../src/transport/streams/recorded-stream.ts';
import { streamKeys } from '../../../src/transport/streams/stream-scripts.ts';
import { cases } from '../../support/cases.ts';
import { closeAtEnd, freshName, freshPrefix, redisUrl, sql } from '../../support/servers.ts';
import { freshStores, migratedDatabase } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { history, World } from './recorded-history.ts';

describe('a stream on record', () => {
  let database: Database;
  const redis = new Redis(redisUrl());
  closeAtEnd(() => redis.disconnect());
  beforeAll(async () => {
    database = (await freshStores()).primary;
  });

  it('has all that counts as added, or its consumers find that it has not; then entries are taken again', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const world = new World(redis, database, steps.length);
        await world.play(steps);
        expect(world.missed).toEqual([]);
        expect(await world.isTaken()).toBe(true);
      }),
      { numRuns: cases(2_000) },
    );
  }, 120_000);

  it.each([
    ['is another', false],
    ['was the master, and has the same and more', true],
  ])('takes no entry on a server that %s, once its consumers have found that', async (_, isFormer) => {
    const prefix = freshPrefix();
    const record = streamRecord(database, prefix);
    const streams = ['here', 'there'].map((name) => `${prefix}:${name}`) as [string, string];
    const [here, there] = streams.map((stream) => new RecordedStream({ client: redis, stream, record })) as [
      ...[RecordedStream, RecordedStream],
    ];
    if (isFormer) {
      await there.add([['n', '0']]);
      const [from, to] = [streamKeys(streams[1]), streamKeys(streams[0])];
      for (const [i, key] of from.entries())
        await redis.restore(to[i] ?? '', 0, await redis.dumpBuffer(key), 'REPLACE');
    }
    await there.add([['n', '1']]);
    const compared = await here.compare();
    expect(compared).toMatchObject({ isSame: false, now: { added: isFormer ? 1 : 0 } });
    await there.add([['n', '2']]); // counts, and so is to be reported as well
    expect(await here.restart(compared)).toBe(false);
    expect(await here.restart(await here.compare())).toBe(true);
    expect(await here.isSame()).toBe(true);
    for (let i = 0; i < 2; i++) await expect(there.add([['n', '3']])).rejects.toThrow(StreamNotOnRecord);
    expect([await here.isSame(), await there.isSame()]).toEqual([true, false]);
    await here.add([['n', '4']]);
    expect([await here.isSame(), await there.isSame()]).toEqual([true, false]);
  });

  it('is replaced on record also by the account of a relay, which may not update that table', async () => {
    const url = new URL(await migratedDatabase());
    const [name, user] = [url.pathname.slice(1), freshName()];
    const rights = ['SELECT', ...(GRANTS.relay.recency_settings ?? [])];
    expect(rights).not.toContain('UPDATE');
    await sql(
      url.href,
      `CREATE USER ${user}@'%' IDENTIFIED BY 'secret'`,
      `GRANT ${rights.join(', ')} ON ${name}.recency_settings TO ${user}@'%'`,
    );
    [url.username, url.password] = [user, 'secret'];
    const limited = new Database(url.href, { connections: 1, queue: 10, deadlineMs: 20_000 });
    onTestFinished(() => limited.close());
    const record = streamRecord(limited, freshPrefix());
    const [first, second] = [0, 1].map((added) => ({ origin: 'a', added, last: `${added}-0` })) as [
      ...[StreamPoint, StreamPoint],
    ];
    expect(await record.replace(undefined, first)).toBe(true);
    expect(await record.replace(first, second)).toBe(true);
    expect(await record.read()).toEqual(second);
  });

  it('adds nothing on a server when another was put on record first', async () => {
    const prefix = freshPrefix();
    const record = streamRecord(database, prefix);
    const [here, there] = [`${prefix}:here`, `${prefix}:there`];
    let isFirst = true;
    const late = {
      ...record,
      read: async () => {
        if (!isFirst) return await record.read();
        isFirst = false;
        await new RecordedStream({ client: redis, stream: here, record }).add([['n', '1']]);
        return undefined; // as it was a moment ago
      },
    };
    const refused = new RecordedStream({ client: redis, stream: there, record: late }).add([['n', '2']]);
    await expect(refused).rejects.toThrow(StreamNotOnRecord);
    expect(await redis.exists(there)).toBe(0);
  });

  it('adds again what went with its server before it was on record, although nothing there contradicts it', async () => {
    const prefix = freshPrefix();
    const record = streamRecord(database, prefix);
    const [here, there] = [`${prefix}:here`, `${prefix}:there`];
    const copy = async (from: string, to: string) => {
      const [[fromKey, fromNotes], [toKey, toNotes]] = [streamKeys(from), streamKeys(to)];
      if (await redis.exists(fromKey)) await redis.restore(toKey, 0, await redis.dumpBuffer(fromKey), 'REPLACE');
      await redis.restore(toNotes, 0, await redis.dumpBuffer(fromNotes), 'REPLACE');
    };
    const others = new RecordedStream({ client: redis, stream: here, record });
    await others.keepUp(await others.compare());
    await copy(here, there);
    const released = Promise.withResolvers<void>();
    const replace: StreamRecord['replace'] = (known, next) => released.promise.then(() => record.replace(known, next));
    const adding = new RecordedStream({ client: redis, stream: there, record: { ...record, replace } }).add([
      ['n', 'a'],
    ]);
    await until(async () => (await redis.xlen(there)) === 1);
    const ids = await others.add([
      ['n', 'b'],
      ['n', 'c'],
    ]);
    await redis.xtrim(here, 'MINID', String(ids.at(-1))); // both are done
    await copy(here, there);
    released.resolve();
    await adding;
    expect((await redis.xrange(there, '-', '+')).map(([, [, value]]) => value)).toEqual(['c', 'a']);
  });

  it('keeps its origin, and no other note, when its consumers create it', async () => {
    const stream = freshPrefix();
    const recorded = new RecordedStream({ client: redis, stream, record: streamRecord(database, stream) });
    await recorded.keepUp(await recorded.compare()); // a publisher that has not added anything yet
    const [, notes] = streamKeys(stream);
    await redis.set(notes, JSON.stringify({ ...JSON.parse((await redis.get(notes)) ?? ''), trimmed: 7 }));
    const group = new ConsumerGroup({ client: redis, stream, group: 'g', consumer: 'c' });
    await group.create();
    expect(await recorded.isSame()).toBe(true);
    expect(await group.state()).toMatchObject({ isForeign: false, isMoved: false });
  });

  it('is on record as far as its consumers have seen it, also where others have added to it', async () => {
    const stream = freshPrefix();
    const record = streamRecord(database, stream);
    const recorded = new RecordedStream({ client: redis, stream, record });
    await recorded.add([['n', '1']]);
    const last = String(await redis.xadd(stream, '*', 'n', '2')); // as version 0.1.0 does
    expect(await recorded.keepUp(await recorded.compare())).toBe(last);
    expect(await record.read()).toMatchObject({ added: 2, last });
    await redis.xtrim(stream, 'MINID', last);
    expect(await recorded.isSame()).toBe(true);
    await redis.del(stream);
    await redis.xadd(stream, '*', 'n', '3');
    expect(await recorded.isSame()).toBe(false);
  });

  it('is never set back on record by a publisher that others have overtaken', async () => {
    const stream = freshPrefix();
    const record = streamRecord(database, stream);
    const overtaken = Promise.withResolvers<void>();
    const slow = new RecordedStream({
      ...{ client: redis, stream },
      record: { ...record, replace: (known, next) => overtaken.promise.then(() => record.replace(known, next)) },
    });
    const quick = new RecordedStream({ client: redis, stream, record });
    await quick.add([['n', '0']]);
    const adding = slow.add([['n', '1']]);
    await until(async () => (await redis.xlen(stream)) === 2);
    await quick.add([['n', '2']]);
    overtaken.resolve();
    await adding;
    expect(await record.read()).toMatchObject({ added: 3 });
  });

  it('is replaced on record only by the one who knows it', async () => {
    const record = streamRecord(database, freshPrefix());
    const points = Array.from({ length: 9 }, (_, i) => ({ origin: 'a', added: i, last: `${i}-0` }));
    const [first, second] = points as [(typeof points)[0], (typeof points)[0]];
    expect(await record.read()).toBeUndefined();
    const begun = await Promise.all(points.map((point) => record.replace(undefined, point)));
    expect(begun.filter(Boolean)).toHaveLength(1);
    const known = await record.read();
    expect(await record.replace({ origin: 'a', added: 99, last: '0-0' }, first)).toBe(false);
    expect(await record.read()).toEqual(known);
    const next = { ...second, origin: 'b' };
    expect(await record.replace(known, next)).toBe(true);
    const moved = await Promise.all(points.map((point) => record.replace(next, point)));
    expect(moved.filter(Boolean)).toHaveLength(1);
    expect(await record.read()).toEqual(points[moved.indexOf(true)]);
  });
});
