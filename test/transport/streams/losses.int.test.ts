import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { DatabaseUnavailable } from '../../../src/mysql/database.ts';
import type { StreamRecord } from '../../../src/mysql/stream-record.ts';
import { ConsumerGroup } from '../../../src/transport/streams/consumer-group.ts';
import { StreamNotOnRecord } from '../../../src/transport/streams/recorded-stream.ts';
import type { OutgoingTask } from '../../../src/transport/task-publisher.ts';
import { closeAtEnd, freshPrefix, redisUrl } from '../../support/servers.ts';
import { recordInRedis } from '../../support/stream-record.ts';
import { until } from '../../support/until.ts';
import { freshTasks } from '../outgoing-task.ts';
import type { Opened } from '../place.ts';
import { useConsumers } from '../use-consumers.ts';

describe('the Redis Streams source', () => {
  const { at, run, other } = useConsumers();
  const redis = new Redis(redisUrl());
  closeAtEnd(() => redis.disconnect());

  const indexesExist = async () => true;
  const copies = new Map<string, Buffer>();
  const restored = (stream: string) => redis.restore(stream, 0, copies.get(stream) ?? '', 'REPLACE');

  const onlyLoss = (detail: RegExp) => [{ reason: 'stream_lost', detail: expect.stringMatching(detail) }];

  async function fresh() {
    const stream = `${freshPrefix()}:{tasks}:stream`;
    return { stream, ...(await at({ kind: 'streams', url: redisUrl(), stream })) };
  }

  /** Publishes as soon as that is not refused. */
  const publishAfterLoss = ({ publisher }: Opened, tasks: readonly OutgoingTask[]) =>
    until(async () => {
      const error = await publisher.publish(tasks).catch((thrown: unknown) => thrown);
      if (error !== undefined) expect(error).toBeInstanceOf(StreamNotOnRecord);
      return error === undefined;
    });

  it('retries while its record outside Redis can be neither read nor written', async () => {
    const opened = await fresh();
    let isAway = false;
    let refused = 0;
    const kept = recordInRedis(redis, opened.stream);
    const unlessAway = async <T>(ask: () => Promise<T>) => {
      if (!isAway) return await ask();
      refused++;
      throw new DatabaseUnavailable('MySQL is not available');
    };
    const record: StreamRecord = {
      read: () => unlessAway(() => kept.read()),
      replace: (known, next) => unlessAway(() => kept.replace(known, next)),
    };
    const one = run(opened, undefined, { streams: { record } });
    await opened.publisher.publish(freshTasks(1));
    await until(() => one.handled.size === 1);
    isAway = true;
    await until(() => refused > 2 || one.end() !== undefined);
    expect(one.end()).toBeUndefined();
    isAway = false;
    await opened.publisher.publish(freshTasks(1));
    await until(() => one.handled.size === 2);
    expect(one.losses).toEqual([]);
  });

  describe('finds a loss', () => {
    it('when the stream is gone although indexes exist, and then starts again', async () => {
      const opened = await fresh();
      const one = run(opened, undefined, { expectsOffsets: indexesExist });
      await until(() => one.losses.length === 1);
      expect(one.losses).toEqual(onlyLoss(/the stream or its consumer group is gone/));
      await opened.publisher.publish(freshTasks(2));
      await until(() => one.handled.size === 2);
      expect(one.losses).toHaveLength(1);
    });

    it('when the stream is deleted while it is consumed', async () => {
      const opened = await fresh();
      const one = run(opened);
      await opened.publisher.publish(freshTasks(2));
      await until(() => one.handled.size === 2);
      await redis.del(opened.stream);
      await publishAfterLoss(opened, freshTasks(1));
      await until(() => one.handled.size === 3);
      expect(one.losses).toEqual(onlyLoss(/2 entries up to \d+-\d+ were published to it; it has had 0 up to 0-0/));
    });

    it.each([
      ['nothing was added since', 0],
      ['as much was added since', 3],
      ['more was added since', 5],
    ])('when the stream began anew, although its group is there and %s', async (_, added) => {
      const opened = await fresh();
      const one = run(opened);
      await opened.publisher.publish(freshTasks(3));
      await until(() => one.handled.size === 3);
      const anew = redis.multi().del(opened.stream).xgroup('CREATE', opened.stream, 'g', '0', 'MKSTREAM');
      for (let i = 0; i < added; i++) anew.xadd(opened.stream, '*', 'body', String(i));
      await anew.exec();
      await until(() => one.losses.length === 1);
      await until(() => new Set(one.received.map(({ position }) => position)).size === 3 + added);
      // Two more checks.
      await sleep(2_500);
      expect(one.losses).toEqual(onlyLoss(/3 entries up to \d+-\d+ were published to it; it has had [035] up to/));
    });

    it('when the group is destroyed, and nothing later is delivered before the report succeeds', async () => {
      const opened = await fresh();
      let heard = 0;
      const one = run(opened, undefined, {
        onLoss: async () => {
          if (++heard < 3) throw new Error('MySQL is away');
        },
      });
      await opened.publisher.publish(freshTasks(1));
      await until(() => one.handled.size === 1);
      await redis.xgroup('DESTROY', opened.stream, 'g');
      await opened.publisher.publish(freshTasks(1));
      await until(() => one.received.length >= 2);
      expect(heard).toBe(3);
    });

    it('while a batch is rejected again and again, and gives it up', async () => {
      const opened = await fresh();
      let isAway = true;
      const one = run(opened, async () => {
        if (isAway) throw new Error('MySQL is away');
      });
      await opened.publisher.publish(freshTasks(1));
      await until(() => one.received.length > 1);
      await redis.del(opened.stream);
      await until(() => one.losses.length === 1);
      isAway = false;
      await publishAfterLoss(opened, freshTasks(1));
      await until(() => one.handled.size === 1);
    });

    it('when entries were trimmed before they were read, and only once', async () => {
      const opened = await fresh();
      const gate = Promise.withResolvers<void>();
      const one = run(opened, () => gate.promise, { streams: { batchesAtOnce: 1 } });
      await opened.publisher.publish(freshTasks(1));
      await until(() => one.received.length === 1);
      await opened.publisher.publish(freshTasks(5));
      await redis.xtrim(opened.stream, 'MAXLEN', '=', 2);
      gate.resolve();
      await until(() => one.losses.length > 0);
      await until(async () => (await one.source.lag()) === 0);
      await one.stop();
      const next = run(opened, undefined, { expectsOffsets: indexesExist });
      await opened.publisher.publish(freshTasks(1));
      await until(() => next.handled.size === 1);
      expect([...one.losses, ...next.losses]).toEqual(onlyLoss(/3 entries were removed before they were read/));
    });

    it('when entries were trimmed before the group existed', async () => {
      const opened = await fresh();
      await opened.publisher.publish(freshTasks(5));
      await redis.xtrim(opened.stream, 'MAXLEN', '=', 2);
      const one = run(opened);
      await until(() => one.handled.size === 2);
      expect(one.losses).toEqual(onlyLoss(/3 entries were removed by somebody else/));
      await one.stop();
      const next = run(opened, undefined, { expectsOffsets: indexesExist });
      await opened.publisher.publish(freshTasks(1));
      await until(() => next.handled.size === 1);
      expect(next.losses).toEqual([]);
    });

    it('when unread entries were deleted, although others before and behind them are there', async () => {
      const opened = await fresh();
      const gate = Promise.withResolvers<void>();
      const one = run(opened, () => gate.promise, { streams: { batchesAtOnce: 1 } });
      await opened.publisher.publish(freshTasks(1));
      await until(() => one.received.length === 1);
      await opened.publisher.publish(freshTasks(5));
      const entries = await redis.xrange(opened.stream, '-', '+');
      await redis.xdel(opened.stream, ...entries.slice(2, 4).map(([id]) => id));
      gate.resolve();
      await until(() => one.handled.size === 4);
      await until(() => one.losses.length > 0);
      expect(one.losses).toEqual(onlyLoss(/2 entries were removed by somebody else/));
      await one.stop();
      const next = run(opened);
      await opened.publisher.publish(freshTasks(1));
      await until(() => next.handled.size === 1);
      expect(next.losses).toEqual([]);
    });

    it.each([
      ['to the end, while nobody consumes', '$', 3],
      ['to one of its entries', 1, 2],
    ])('when somebody has moved the group, %s', async (_, to, lost) => {
      const opened = await fresh();
      const first = run(opened);
      await opened.publisher.publish(freshTasks(2));
      await until(() => first.handled.size === 2);
      await first.stop();
      await opened.publisher.publish(freshTasks(3));
      const unread = (await redis.xrange(opened.stream, '-', '+')).slice(-3);
      await redis.xgroup('SETID', opened.stream, 'g', to === '$' ? '$' : String(unread[Number(to)]?.[0]));
      const next = run(opened);
      await until(() => next.losses.length > 0);
      expect(next.losses).toEqual(onlyLoss(/where none of its consumers has left it/));
      await until(() => next.handled.size === 3 - lost);
      await next.stop();
      const last = run(opened);
      await opened.publisher.publish(freshTasks(1));
      await until(() => last.handled.size === 1);
      expect(last.losses).toEqual([]);
    });

    it('when somebody moves the group while it is consumed, before anything behind is delivered', async () => {
      const opened = await fresh();
      const gate = Promise.withResolvers<void>();
      const before: number[] = [];
      const one = run(opened, () => gate.promise, {
        streams: { batchesAtOnce: 1 },
        onLoss: async () => void before.push(one.received.length),
      });
      await opened.publisher.publish(freshTasks(1));
      await until(() => one.received.length === 1);
      await opened.publisher.publish(freshTasks(3));
      const entries = await redis.xrange(opened.stream, '-', '+');
      await redis.xgroup('SETID', opened.stream, 'g', String(entries[2]?.[0]));
      gate.resolve();
      await until(() => one.handled.size === 2);
      expect(before).toEqual([1]);
    });

    it.each([
      [
        'deleted with the consumer that held them',
        (stream: string) => redis.xgroup('DELCONSUMER', stream, 'g', 'dead+marks'),
      ],
      [
        'acknowledged',
        async (stream: string) => {
          const held = (await redis.xpending(stream, 'g', '-', '+', 9)) as [string][];
          await redis.xack(stream, 'g', ...held.map(([id]) => id));
        },
      ],
    ])('when delivered entries were %s by somebody else', async (_, settle) => {
      const opened = await fresh();
      const first = run(opened);
      await opened.publisher.publish(freshTasks(1));
      await until(() => first.handled.size === 1);
      await first.stop();
      const dead = new ConsumerGroup({ client: redis, stream: opened.stream, group: 'g', consumer: 'dead+marks' });
      await opened.publisher.publish(freshTasks(3));
      await dead.mark(await dead.read(redis, 9, 1), true);
      await settle(opened.stream);
      const next = run(opened);
      await until(() => next.losses.length > 0);
      expect(next.losses).toEqual(
        onlyLoss(/3 entries that were delivered are settled, and none of its consumers did it/),
      );
      await opened.publisher.publish(freshTasks(1));
      await until(() => next.handled.size === 1);
      expect(next.losses).toHaveLength(1);
    });

    it('when a stranger has read entries without having to acknowledge them', async () => {
      const opened = await fresh();
      const first = run(opened);
      await opened.publisher.publish(freshTasks(1));
      await until(() => first.handled.size === 1);
      await first.stop();
      await opened.publisher.publish(freshTasks(3));
      await redis.xreadgroup('GROUP', 'g', 'me', 'NOACK', 'STREAMS', opened.stream, '>');
      const next = run(opened);
      await until(() => next.losses.length > 0);
      expect(next.losses).toEqual(onlyLoss(/where none of its consumers has left it/));
    });

    it('but none while a former version, which marks nothing, is active in the group', async () => {
      const opened = await fresh();
      const own = run(opened);
      await opened.publisher.publish(freshTasks(2));
      await until(() => own.handled.size === 2);
      await own.stop();
      await opened.publisher.publish(freshTasks(2));
      const [found] = (await redis.xreadgroup('GROUP', 'g', 'host-7-0a1b2c3d', 'STREAMS', opened.stream, '>')) as [
        [string, [string, string[]][]],
      ];
      await redis.xack(opened.stream, 'g', ...(found?.[1].map(([id]) => id) ?? []));
      const beside = run(opened);
      await opened.publisher.publish(freshTasks(1));
      await until(() => beside.handled.size === 1);
      await beside.stop();
      expect(beside.losses).toEqual([]);
    });

    it('when entries were removed that a killed consumer held', async () => {
      const opened = await fresh();
      const killed = other(opened.place, 'hang', { holdMs: 600 });
      await opened.publisher.publish(freshTasks(3));
      await until(() => killed.all('received').length === 3);
      await killed.kill();
      await redis.xtrim(opened.stream, 'MAXLEN', '=', 1);
      const one = run(opened, undefined, { holdMs: 600 });
      await until(() => one.losses.length > 0 && one.handled.size === 1);
      expect(one.losses).toEqual(onlyLoss(/2 entries from \d+-\d+ were removed before they were acknowledged/));
    });

    it.each<[string, (stream: string) => Promise<unknown>]>([
      [
        'began anew with a group at its beginning',
        (stream) => redis.multi().del(stream).xgroup('CREATE', stream, 'g', '0', 'MKSTREAM').exec(),
      ],
      ['was deleted', (stream) => redis.del(stream)],
      ['went back to the copy of an earlier moment', (stream) => restored(stream)],
    ])('when unread entries are gone, because while nobody consumed the stream %s', async (_, lose) => {
      const opened = await fresh();
      const first = run(opened);
      await opened.publisher.publish(freshTasks(2));
      await until(() => first.handled.size === 2);
      await first.stop();
      copies.set(opened.stream, await redis.dumpBuffer(opened.stream));
      await opened.publisher.publish(freshTasks(1));
      await lose(opened.stream);
      await expect(opened.publisher.publish(freshTasks(1))).rejects.toThrow(StreamNotOnRecord);
      const next = run(opened);
      await until(() => next.losses.length > 0);
      await publishAfterLoss(opened, freshTasks(1));
      await until(() => next.handled.size === 1);
      expect(next.losses).toEqual(onlyLoss(/3 entries up to \d+-\d+ were published to it; it has had [02] up to/));
      await next.stop();
      // From here on it is watched as closely as before.
      await opened.publisher.publish(freshTasks(3));
      const [, second] = (await redis.xrange(opened.stream, '-', '+')).slice(-3);
      await redis.xdel(opened.stream, String(second?.[0]));
      const last = run(opened);
      await until(() => last.handled.size === 2);
      await until(() => last.losses.length > 0);
      expect(last.losses).toEqual(onlyLoss(/1 entries were removed by somebody else/));
    });
  });
});
