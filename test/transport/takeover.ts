import { setTimeout as sleep } from 'node:timers/promises';
import { fc } from '@fast-check/vitest';
import { describe, expect, it, type TestContext } from 'vitest';
import { until } from '../support/until.ts';
import { historyMs, playHistory, someHistory } from './histories.ts';
import { freshTasks } from './outgoing-task.ts';
import type { Transport } from './place.ts';
import { consumersOf } from './use-consumers.ts';

/** What every transport must do when consumers start, stop, are killed or are suspended. */
export function describeTakeover(name: string, { freshPlace, holdMs, histories }: Transport): void {
  const of = (test: TestContext) => {
    const consumers = consumersOf(test);
    return { ...consumers, fresh: async () => consumers.at(await freshPlace()) };
  };
  // Side by side where they mostly wait for the work of others to be given to them.
  const slow = { concurrent: holdMs > 1_000 };

  describe(`${name} between consumers`, slow, () => {
    it('delivers to another consumer what a killed one held', async (test) => {
      const { fresh, run, other } = of(test);
      const opened = await fresh();
      const killed = other(opened.place, 'hang', { holdMs });
      await opened.publisher.publish(freshTasks(4, '7'));
      await until(() => new Set(killed.all('received', 'positions')).size === 4);
      await killed.kill();
      const { received, handled } = run(opened, undefined, { holdMs });
      await until(() => handled.size === 4);
      expect(new Set(received.map(({ position }) => position))).toEqual(new Set(killed.all('received', 'positions')));
    });

    it('delivers to another consumer at once what a stopped one has given back', async (test) => {
      const { fresh, run } = of(test);
      const opened = await fresh();
      await opened.publisher.publish(freshTasks(4, '7'));
      const stopped = run(opened, () => Promise.reject(new Error('away')), { holdMs: 60_000 });
      await until(() => stopped.received.length >= 4);
      await stopped.stop();
      const { handled } = run(opened, undefined, { holdMs: 60_000 });
      await until(() => handled.size === 4);
      expect(handled).toEqual(new Set(stopped.received.map(({ position }) => position)));
      expect(stopped.handled.size).toBe(0);
    });

    it('shares the work between consumers', async (test) => {
      const { fresh, run } = of(test);
      const opened = await fresh();
      const slowly = async () => sleep(20);
      const [a, b] = [run(opened, slowly), run(opened, slowly)];
      await until(
        async () => {
          await opened.publisher.publish(freshTasks(20));
          return a.handled.size > 0 && b.handled.size > 0;
        },
        { interval: 50 },
      );
      await until(async () => (await a.source.lag()) === 0);
      expect(a.end() ?? b.end()).toBeUndefined();
    });

    // Both have joined before: a rebalance ends what is in work after its grace period.
    it('keeps its lease during longer work', async (test) => {
      const { fresh, run } = of(test);
      const opened = await fresh();
      const gate = Promise.withResolvers<void>();
      const consumers = [1, 2].map(() => run(opened, () => gate.promise, { holdMs }));
      await until(() => consumers.every(({ source }) => source.state().isReady));
      await opened.publisher.publish(freshTasks(2, '7'));
      const received = () => consumers.flatMap((one) => one.received.map(({ position }) => position)).toSorted();
      await until(() => new Set(received()).size === 2);
      const before = received();
      await sleep(holdMs * 1.5 + 1_000);
      expect(received()).toEqual(before);
      gate.resolve();
      await until(async () => (await opened.source().lag()) === 0);
      expect(new Set(consumers.flatMap(({ handled }) => [...handled]))).toEqual(new Set(before));
    });

    it('tells a consumer that was suspended past its lease that its batch is lost', async (test) => {
      const { fresh, run, other } = of(test);
      const opened = await fresh();
      const sleeper = other(opened.place, 'keep-alive-when-told', { holdMs });
      await opened.publisher.publish(freshTasks(2, '7'));
      await until(() => new Set(sleeper.all('received')).size === 2);
      sleeper.signal('SIGSTOP');
      const { handled } = run(opened, undefined, { holdMs });
      await until(() => handled.size >= 2);
      sleeper.signal('SIGCONT');
      sleeper.behave('take');
      // Or its connection was lost meanwhile, so that it cannot ask: then it does not go on with the batch either.
      const isLost = () => sleeper.told.some(({ kind }) => kind === 'lost' || kind === 'failed');
      await until(() => isLost() || Promise.reject(new Error(JSON.stringify(sleeper.told))));
      expect(sleeper.told.some(({ kind }) => kind === 'kept')).toBe(false);
    });

    // Longer than what its histories wait for, so that one that does not end says what is missing.
    const whole = { timeout: histories * (historyMs(holdMs) + 60_000) };
    it('loses nothing, whatever happens to its consumers', whole, async (test) => {
      const { fresh } = of(test);
      await fc.assert(
        fc.asyncProperty(someHistory, async (history) => {
          const opened = await fresh();
          const { published, handled } = await playHistory(history, opened, holdMs);
          expect(published.filter((id) => !handled.has(id))).toEqual([]);
        }),
        { numRuns: histories, endOnFailure: true },
      );
    });
  });
}
