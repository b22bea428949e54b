import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, it } from 'vitest';
import { DatabaseUnavailable } from '../../../src/mysql/database.ts';
import { freshPrefix, redisUrl } from '../../support/servers.ts';
import { until } from '../../support/until.ts';
import { freshTasks } from '../outgoing-task.ts';
import { useConsumers } from '../use-consumers.ts';

describe('the Redis Streams source', { timeout: 60_000 }, () => {
  const { at, run, other } = useConsumers();
  const redis = new Redis(redisUrl());
  afterAll(() => redis.disconnect());

  const indexesExist = async () => true;
  const onlyLoss = (detail: RegExp) => [{ reason: 'stream_lost', detail: expect.stringMatching(detail) }];

  async function fresh() {
    const stream = `${freshPrefix()}:{tasks}:stream`;
    return { stream, ...(await at({ kind: 'streams', url: redisUrl(), stream })) };
  }

  it('retries while its mark outside Redis can be neither read nor written', async () => {
    const opened = await fresh();
    let isAway = false;
    let refused = 0;
    const away = async () => {
      if (!isAway) return undefined;
      refused++;
      throw new DatabaseUnavailable('MySQL is not available');
    };
    const one = run(opened, undefined, { streams: { mark: { load: away, save: away } } });
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
      await opened.publisher.publish(freshTasks(1));
      await until(() => one.handled.size === 3);
      expect(one.losses).toEqual(onlyLoss(/gone|its group stands at/));
    });

    it.each([
      ['nothing was added since', 0, /its group stands at 0-0, and \d+-\d+ was consumed before/],
      ['something was', 2, /it has had [12] entries, and 3 before/],
    ])('when the stream began anew, although its group is there and %s', async (_, added, detail) => {
      const opened = await fresh();
      const one = run(opened);
      await opened.publisher.publish(freshTasks(3));
      await until(() => one.handled.size === 3);
      // Until a check has seen all three.
      await sleep(1_500);
      const anew = redis.multi().del(opened.stream).xgroup('CREATE', opened.stream, 'g', '0', 'MKSTREAM');
      for (let i = 0; i < added; i++) anew.xadd(opened.stream, '*', 'body', String(i));
      await anew.exec();
      await until(() => one.losses.length === 1);
      await until(() => one.received.length === 3 + added);
      // Two more checks.
      await sleep(2_500);
      expect(one.losses).toEqual(onlyLoss(detail));
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
      await opened.publisher.publish(freshTasks(1));
      await until(() => one.handled.size === 1);
    });

    it('when entries were trimmed before they were read, and only once', async () => {
      const opened = await fresh();
      const gate = Promise.withResolvers<void>();
      const one = run(opened, () => gate.promise);
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

    it('when entries were removed that a killed consumer held', async () => {
      const opened = await fresh();
      const killed = other(opened.place, 'hang', { holdMs: 600 });
      await opened.publisher.publish(freshTasks(3));
      await until(() => killed.all('received').length === 3);
      await killed.kill();
      await redis.xtrim(opened.stream, 'MAXLEN', '=', 1);
      const one = run(opened);
      await until(() => one.losses.length > 0 && one.handled.size === 1);
      expect(one.losses).toEqual(onlyLoss(/2 entries from \d+-\d+ were removed before they were acknowledged/));
    });

    it('when the stream ends before the mark recorded outside it', async () => {
      const opened = await fresh();
      let noted: string | undefined;
      const mark = {
        load: async () => noted,
        save: async (entry: string) => {
          noted = entry;
        },
      };
      const first = run(opened, undefined, { streams: { mark } });
      await opened.publisher.publish(freshTasks(2));
      await until(() => first.handled.size === 2);
      const { position } = first.received.at(-1) ?? {};
      await until(() => position?.endsWith(`:${noted}`));
      await first.stop();
      await redis.del(opened.stream);
      await redis.xgroup('CREATE', opened.stream, 'g', '0', 'MKSTREAM');
      const next = run(opened, undefined, { streams: { mark } });
      await until(() => next.losses.length === 1);
      expect(next.losses).toEqual(onlyLoss(/it ends at 0-0, and \d+-\d+ was consumed before/));
      await next.stop();
      const last = run(opened, undefined, { streams: { mark } });
      await opened.publisher.publish(freshTasks(1));
      await until(() => last.handled.size === 1);
      expect(last.losses).toEqual([]);
    });
  });
});
