import { setTimeout as sleep } from 'node:timers/promises';
import { fc } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { encodeTask } from '../../src/transport/cloud-events.ts';
import type { Batch, Delivery } from '../../src/transport/task-source.ts';
import { until } from '../support/until.ts';
import { anyOutgoingTask, freshTasks } from './outgoing-task.ts';
import type { Transport } from './place.ts';
import { useConsumers } from './use-consumers.ts';

/** What every transport must do, on real servers. */
export function describeTransport(name: string, { freshPlace }: Pick<Transport, 'freshPlace'>): void {
  const { at, run } = useConsumers();
  const fresh = async () => at(await freshPlace());
  const ids = (deliveries: readonly Delivery[]) => deliveries.map(({ headers }) => headers.ce_id);
  // Each of them once: delivery is at least once, and so is publishing if a reply is late.
  const different = (deliveries: readonly Delivery[]) => new Set(ids(deliveries)).size;
  const places = (deliveries: readonly Delivery[]) => new Set(deliveries.map(({ position }) => position)).size;

  describe(`${name} as a transport`, () => {
    it('delivers what was published, byte by byte', async () => {
      const opened = await fresh();
      const tasks = fc.sample(anyOutgoingTask, 20);
      await opened.publisher.publish(tasks);
      const { received } = run(opened);
      await until(() => different(received) === tasks.length);
      const byId = new Map(received.map((delivery) => [delivery.headers.ce_id, delivery]));
      for (const task of tasks) {
        const { body, headers } = encodeTask(task);
        expect(byId.get(task.id)?.body?.equals(body)).toBe(true);
        expect(byId.get(task.id)?.headers).toEqual(headers);
      }
      expect(places(received)).toBeGreaterThanOrEqual(tasks.length);
    });

    it('also delivers messages that are not tasks', async () => {
      const opened = await fresh();
      const bytes = Buffer.from([0, 255, 10, 13, 123]);
      const from = Date.now();
      await opened.put(bytes, { 'x-site': 'é ✓', empty: '' });
      await opened.put(Buffer.alloc(0), { n: '1' });
      await opened.put(null, { n: '2' });
      const { received } = run(opened);
      await until(() => places(received) >= 3);
      const [odd, empty, tombstone] = ['x-site', '1', '2'].map((wanted) =>
        received.find(({ headers }) =>
          headers['x-site'] !== undefined && wanted === 'x-site' ? true : headers.n === wanted,
        ),
      );
      expect(odd?.body?.equals(bytes)).toBe(true);
      expect(odd?.headers).toEqual({ 'x-site': 'é ✓', empty: '' });
      expect(empty?.body).toEqual(Buffer.alloc(0));
      expect(tombstone?.body).toBeNull();
      expect(Math.abs(Number(odd?.timestamp) - from)).toBeLessThan(60_000);
    });

    it('gives batches of at most 500, one at a time', async () => {
      const opened = await fresh();
      await opened.publisher.publish(freshTasks(1_200, '7'));
      let inWork = 0;
      let most = 0;
      const { received, batches } = run(opened, async () => {
        most = Math.max(most, ++inWork);
        await sleep(5);
        inWork--;
      });
      await until(() => different(received) === 1_200);
      expect(Math.max(...batches)).toBe(500);
      expect(most).toBe(1);
    });

    it('delivers the next batches beside a slow one, which is acknowledged when it is done', async () => {
      const opened = await fresh();
      const gate = Promise.withResolvers<void>();
      const isSlow = ({ deliveries }: Batch) => deliveries.some(({ headers }) => headers.ce_id === 'slow');
      const { handled, received, source } = run(opened, (batch) => (isSlow(batch) ? gate.promise : Promise.resolve()));
      await opened.publisher.publish(freshTasks(1, '7').map((task) => ({ ...task, id: 'slow' })));
      await until(() => received.length >= 1);
      // Of a hundred keys, some are in other partitions than the slow one.
      for (let round = 0; round < 3; round++) {
        await opened.publisher.publish(freshTasks(100));
        await until(() => handled.size > round * 50 + 20);
      }
      expect(received.filter(({ headers }) => headers.ce_id === 'slow').length).toBe(1);
      expect(await source.lag()).toBeGreaterThan(0);
      gate.resolve();
      await until(async () => (await source.lag()) === 0);
      expect(different(received)).toBe(301);
      expect(handled.size).toBeGreaterThanOrEqual(301);
    });

    it('acknowledges only when the handler has resolved', async () => {
      const opened = await fresh();
      await opened.publisher.publish(freshTasks(3));
      const gate = Promise.withResolvers<void>();
      const { received, source } = run(opened, () => gate.promise);
      await until(() => received.length > 0);
      expect(await source.lag()).toBeGreaterThanOrEqual(3);
      gate.resolve();
      await until(async () => (await source.lag()) === 0);
    });

    it('counts the waiting messages', async () => {
      const opened = await fresh();
      const source = opened.source();
      await opened.publisher.publish(freshTasks(5));
      // More if the reply to a publish was late: it is sent again.
      expect(await source.lag()).toBeGreaterThanOrEqual(5);
      const { handled } = run(opened);
      await until(() => handled.size >= 5);
      await until(async () => (await source.lag()) === 0);
      await opened.publisher.publish(freshTasks(2));
      await until(async () => (await source.lag()) === 0);
      expect(handled.size).toBeGreaterThanOrEqual(7);
    });

    it('redelivers what was rejected, at the same positions, until it is accepted', async () => {
      const opened = await fresh();
      let rejections = 0;
      const { received, handled } = run(opened, async () => {
        if (++rejections <= 3) throw new Error('Redis is unavailable');
      });
      await opened.publisher.publish(freshTasks(4, '7'));
      await until(() => handled.size >= 4);
      expect(received.length).toBeGreaterThan(handled.size);
      expect(new Set(received.map(({ position }) => position))).toEqual(handled);
    });

    it('keeps a batch while its lease is renewed', async () => {
      const opened = await fresh();
      await opened.publisher.publish(freshTasks(2, '7'));
      let renewals = 0;
      const { handled } = run(opened, async ({ lease }) => {
        for (; renewals < 50; renewals++) await lease.renew();
      });
      await until(() => handled.size >= 2);
      expect(renewals).toBe(50);
    });

    it('lets the current batch finish when it is stopped, and stops quickly', async () => {
      const opened = await fresh();
      await opened.publisher.publish(freshTasks(3, '7'));
      const gate = Promise.withResolvers<void>();
      const one = run(opened, () => gate.promise);
      await until(() => different(one.received) === 3);
      const from = performance.now();
      const stopping = one.stop();
      await opened.publisher.publish(freshTasks(3, '7'));
      setTimeout(gate.resolve, 100);
      await stopping;
      expect(performance.now() - from).toBeLessThan(30_000);
      expect(one.end()).toBe('stopped');
      expect(one.handled.size).toBe(places(one.received));
      const left = await opened.source().lag();
      expect(left).toBeGreaterThanOrEqual(3);
      expect(left).toBeLessThan(6);
    });

    it('stops at once when idle, and before it has started', async () => {
      const opened = await fresh();
      const one = run(opened);
      await until(async () => (await one.source.lag()) === 0);
      await one.stop();
      await until(() => one.end() === 'stopped');
      const never = opened.source();
      await never.stop();
      await never.run(
        async () => expect.unreachable(),
        async () => undefined,
      );
    });

    it('ends with an error when its handler hangs', async () => {
      const opened = await fresh();
      await opened.publisher.publish(freshTasks(1));
      const gate = Promise.withResolvers<void>();
      const one = run(opened, () => gate.promise, { stallMs: 1_000 });
      await until(() => one.end() !== undefined);
      expect(one.end()).toMatchObject({ name: 'SourceStalled' });
      gate.resolve();
    });

    it('does not end while a handler renews its lease, or rejects its batch again and again', async () => {
      const opened = await fresh();
      await opened.publisher.publish(freshTasks(1));
      const from = performance.now();
      const one = run(
        opened,
        async ({ lease }) => {
          while (performance.now() - from < 4_000) {
            await lease.renew();
            await sleep(20);
          }
          if (performance.now() - from < 8_000) throw new Error('away');
        },
        { stallMs: 3_000 },
      );
      await until(() => one.handled.size >= 1 || one.end() !== undefined);
      expect(one.end()).toBeUndefined();
    });

    it('reports no loss in normal operation', async () => {
      const opened = await fresh();
      const expectsOffsets = async () => indexes;
      let indexes = false;
      for (let life = 0; life < 3; life++) {
        const one = run(opened, undefined, { expectsOffsets });
        await opened.publisher.publish(freshTasks(1));
        await until(async () => (await one.source.lag()) === 0 && one.handled.size >= 1);
        await one.stop();
        expect(one.losses).toEqual([]);
        indexes = true;
      }
    });

    it('distinguishes its deliveries', async () => {
      const opened = await fresh();
      const twice = freshTasks(1);
      await opened.publisher.publish(twice);
      await opened.publisher.publish(twice);
      const { received } = run(opened);
      await until(() => places(received) >= 2);
      expect(different(received)).toBe(1);
    });
  });
}
