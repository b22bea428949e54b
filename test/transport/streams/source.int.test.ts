import { setTimeout as sleep } from 'node:timers/promises';
import { fc } from '@fast-check/vitest';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { startRedis } from '../../../src/tools/devservers/start-server.ts';
import { ConsumerGroup } from '../../../src/transport/streams/consumer-group.ts';
import type { Loss } from '../../../src/transport/task-source.ts';
import { cases } from '../../support/cases.ts';
import { closeAtEnd, freshPrefix, redisUrl } from '../../support/servers.ts';
import { until } from '../../support/until.ts';
import { freshTasks } from '../outgoing-task.ts';
import { useConsumers } from '../use-consumers.ts';

/** Behind every entry. */
const END = '9999999999999-0';

describe('the Redis Streams source', () => {
  const { at, run, other } = useConsumers();
  const redis = new Redis(redisUrl());
  closeAtEnd(() => redis.disconnect());

  const onlyLoss = (detail: RegExp) => [{ reason: 'stream_lost', detail: expect.stringMatching(detail) }];

  async function fresh(url = redisUrl()) {
    const stream = `${freshPrefix()}:{tasks}:stream`;
    return { stream, ...(await at({ kind: 'streams', url, stream })) };
  }

  async function groupOf(stream: string) {
    const [group = []] = (await redis.xinfo('GROUPS', stream)) as unknown[][];
    return Object.fromEntries(group.flatMap((name, i) => (i % 2 === 0 ? [[String(name), group[i + 1]]] : [])));
  }

  it('has nothing to deliver at the end of its stream, whatever Redis counts after a slot was moved and the node restarted', async () => {
    await using server = await startRedis({ args: ['--appendonly', 'yes'] });
    const own = new Redis(server.url).on('error', () => undefined);
    closeAtEnd(() => own.disconnect());
    const { stream } = await fresh();
    const group = new ConsumerGroup({ client: own, stream, group: 'g', consumer: 'c' });
    const add = async (count: number) => {
      for (let i = 0; i < count; i++) await own.xadd(stream, '*', 'n', String(i));
    };
    const read = async () => {
      const [[, entries] = ['', []]] = (await own.xreadgroup('GROUP', 'g', 'c', 'STREAMS', stream, '>')) ?? [];
      await own.xack(stream, 'g', ...entries.map(([id]) => id));
    };
    await own.xgroup('CREATE', stream, 'g', '0', 'MKSTREAM');
    await add(4);
    await read();
    const moved = await own.dumpBuffer(stream);
    await own.del(stream);
    await own.restore(stream, 0, moved);
    await add(6);
    expect(await group.backlog()).toEqual({ delivered: 0, undelivered: 6 });
    await read();
    await server.kill();
    await server.restart();
    expect(await until(() => group.backlog())).toEqual({ delivered: 0, undelivered: 0 });
    await add(2);
    expect((await group.backlog())?.undelivered).toBeGreaterThanOrEqual(2);
  });

  describe('trims', () => {
    it('what was acknowledged, and nothing else', async () => {
      const opened = await fresh();
      const gate = Promise.withResolvers<void>();
      const slow = run(opened, () => gate.promise, { holdMs: 60_000 });
      await opened.publisher.publish(freshTasks(200));
      await until(() => slow.received.length > 0);
      const quick = run(opened, undefined, { holdMs: 60_000 });
      await opened.publisher.publish(freshTasks(1_300));
      await until(() => quick.handled.size + slow.received.length === 1_500);
      const group = new ConsumerGroup({ client: redis, stream: opened.stream, group: 'g', consumer: 'c' });
      await group.trim(END);
      expect(await redis.xlen(opened.stream)).toBeGreaterThanOrEqual(1_300);
      gate.resolve();
      await until(async () => (await redis.xlen(opened.stream)) <= 100);
      expect(new Set([...slow.handled, ...quick.handled]).size).toBe(1_500);
      expect([...slow.losses, ...quick.losses]).toEqual([]);
    });

    it('nothing from the last entry on record on', async () => {
      const { stream } = await fresh();
      const group = new ConsumerGroup({ client: redis, stream, group: 'g', consumer: 'c' });
      await group.create();
      const ids: string[] = [];
      for (let i = 0; i < 500; i++) ids.push(String(await redis.xadd(stream, '*', 'n', i)));
      await group.mark(await group.read(redis, 500, 1), true);
      await group.acknowledge(ids);
      await group.trim(ids[250] ?? '');
      const left = (await redis.xrange(stream, '-', '+')).map(([id]) => id);
      expect(left).toEqual(ids.slice(-left.length));
      expect(left.length).toBeGreaterThanOrEqual(250);
      expect(left.length).toBeLessThan(500);
      await group.trim(END);
      expect(await redis.xlen(stream)).toBeLessThan(250);
    });

    it('only what the slowest group has acknowledged', async () => {
      const opened = await fresh();
      await redis.xgroup('CREATE', opened.stream, 'slow', '0', 'MKSTREAM');
      await opened.publisher.publish(freshTasks(1_200));
      await redis.xreadgroup('GROUP', 'slow', 'c', 'COUNT', 300, 'STREAMS', opened.stream, '>');
      const first = await redis.xpending(opened.stream, 'slow', '-', '+', 1);
      const [[oldest]] = first as [[string]];
      const one = run(opened);
      await until(() => one.handled.size === 1_200);
      const group = new ConsumerGroup({ client: redis, stream: opened.stream, group: 'g', consumer: 'c' });
      await group.trim(END);
      expect((await redis.xrange(opened.stream, oldest, oldest)).length).toBe(1);
      expect(await redis.xlen(opened.stream)).toBe(1_200);
    });
  });

  it('trims nothing unacknowledged, whatever was read and acknowledged', async () => {
    const numbers = fc.array(fc.nat({ max: 299 }), { maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 300 }), numbers, fc.nat({ max: 300 }), async (read, acknowledged, otherRead) => {
        const stream = `${freshPrefix()}:{tasks}:stream`;
        const group = new ConsumerGroup({ client: redis, stream, group: 'g', consumer: 'c' });
        await group.create();
        await redis.xgroup('CREATE', stream, 'other', '0');
        for (let i = 0; i < 300; i++) await redis.xadd(stream, `1-${i + 1}`, 'n', i);
        if (read > 0) await redis.xreadgroup('GROUP', 'g', 'c', 'COUNT', read, 'STREAMS', stream, '>');
        if (otherRead > 0) await redis.xreadgroup('GROUP', 'other', 'c', 'COUNT', otherRead, 'STREAMS', stream, '>');
        if (acknowledged.length > 0) await redis.xack(stream, 'g', ...acknowledged.map((n) => `1-${n + 1}`));
        if (otherRead > 0) {
          const all = Array.from({ length: otherRead }, (_, i) => `1-${i + 1}`);
          await redis.xack(stream, 'other', ...all);
        }
        await group.trim(END);
        const left = new Set((await redis.xrange(stream, '-', '+')).map(([id]) => id));
        const gone = Array.from({ length: 300 }, (_, i) => i).filter((i) => !left.has(`1-${i + 1}`));
        const done = new Set(acknowledged.filter((i) => i < read));
        for (const i of gone) expect(done.has(i) && i < otherRead).toBe(true);
        expect((await group.state())?.removedUnread).toBe(0);
      }),
      { numRuns: cases(20) },
    );
  });

  it('never reclaims a batch that another consumer has claimed', async () => {
    const stream = `${freshPrefix()}:{tasks}:stream`;
    const [a, b] = ['a', 'b'].map((consumer) => new ConsumerGroup({ client: redis, stream, group: 'g', consumer }));
    await a?.create();
    const ids = await Promise.all([1, 2, 3].map(() => redis.xadd(stream, '*', 'x', 'y') as Promise<string>));
    await a?.read(redis, 10, 1);
    expect(await a?.renew(ids)).toBe(3);
    await redis.xclaim(stream, 'g', 'b', 0, String(ids[1]));
    expect(await a?.renew(ids)).toBe(2);
    await redis.xack(stream, 'g', String(ids[0]));
    expect(await a?.renew(ids)).toBe(1);
    expect(await b?.renew(ids)).toBe(1);
    await a?.giveUp(ids);
    expect((await b?.claimIdle(60_000, 10))?.entries.map(([id]) => String(id))).toEqual([ids[2]]);
  });

  it('does at once what it was given over a connection that is gone', async () => {
    await using server = await startRedis();
    const own = new Redis(server.url);
    closeAtEnd(() => own.disconnect());
    const opened = await fresh(server.url);
    const gate = Promise.withResolvers<void>();
    const one = run(opened, () => gate.promise, { holdMs: 3_600_000 });
    await opened.publisher.publish(freshTasks(1));
    await until(() => one.received.length === 1);
    const [[, consumer] = []] = (await own.xinfo('CONSUMERS', opened.stream, 'g')) as unknown[][];
    await opened.publisher.publish(freshTasks(2));
    expect(await own.xreadgroup('GROUP', 'g', String(consumer), 'STREAMS', opened.stream, '>')).toHaveLength(1);
    await own.call('CLIENT', 'KILL', 'TYPE', 'normal');
    gate.resolve();
    await until(() => one.handled.size === 3);
    expect(one.losses).toEqual([]);
  });

  it('is deleted from its group when it stops, unless it still has entries', async () => {
    const opened = await fresh();
    const one = run(opened);
    await opened.publisher.publish(freshTasks(1));
    await until(() => one.handled.size === 1);
    const held = other(opened.place, 'hang');
    await until(async () => {
      await opened.publisher.publish(freshTasks(1));
      return held.all('received').length > 0;
    });
    await held.kill();
    await one.stop();
    expect(await groupOf(opened.stream)).toMatchObject({ consumers: 1 });
  });

  it('ends with an error when the key is not a stream', async () => {
    const opened = await fresh();
    await redis.set(opened.stream, 'text');
    const one = run(opened);
    await until(() => one.end() !== undefined);
    expect((one.end() as Error).message).toMatch(/is not a stream/);
  });

  it('continues after Redis was unavailable, and notices if it returns with less data', async () => {
    await using server = await startRedis();
    const opened = await fresh(server.url);
    const losses: Loss[] = [];
    const one = run(opened, undefined, { onLoss: async (loss) => void losses.push(loss) });
    await opened.publisher.publish(freshTasks(3));
    await until(() => one.handled.size === 3);
    await server.kill();
    await sleep(300);
    await expect(opened.publisher.publish(freshTasks(1))).rejects.toMatchObject({ name: 'RedisUnavailable' });
    expect(await one.source.lag()).toBeUndefined();
    await server.restart();
    await until(() => opened.publisher.publish(freshTasks(2)).then(() => true));
    // A publisher whose entries were not recorded adds them again.
    await until(() => one.handled.size >= 5 || Promise.reject(new Error(`handled ${[...one.handled]}`)));
    expect(one.end()).toBeUndefined();
    expect(losses).toEqual(onlyLoss(/gone|its group stands at/));
  });

  it('stops although Redis is unavailable', async () => {
    const server = await startRedis();
    const opened = await fresh(server.url);
    const one = run(opened);
    await opened.publisher.publish(freshTasks(1));
    await until(() => one.handled.size === 1);
    await server.remove();
    const from = performance.now();
    await one.stop();
    expect(performance.now() - from).toBeLessThan(30_000);
    expect(one.end()).toBe('stopped');
  });

  it('stops without Redis when a slow batch is in work', async () => {
    const server = await startRedis();
    const opened = await fresh(server.url);
    const gate = Promise.withResolvers<void>();
    const one = run(opened, () => gate.promise, { streams: { slowMs: 10 } });
    await opened.publisher.publish(freshTasks(1));
    await until(() => one.received.length === 1);
    // The next read goes on beside it.
    await until(async () => {
      await opened.publisher.publish(freshTasks(1));
      return one.received.length > 1;
    });
    await server.remove();
    const stopping = one.stop();
    gate.reject(new Error('away'));
    await stopping;
    expect(one.end()).toBe('stopped');
  });
});
