import { pino } from 'pino';
import { DelayedWorker } from '../../src/consumers/delayed-worker.ts';
import { DelayQueue } from '../../src/redis/delay-queue.ts';
import type { Stores } from './stores.ts';
import { TRUSTED } from './trust.ts';
import { until } from './until.ts';

/** Resolves when nothing is left in the delay queue: refreshes that lost their races wait there, and their tasks are done. */
export async function settleLostRaces({ steps, delayed, rechecks, redis, prefix }: Stores): Promise<void> {
  const worker = new DelayedWorker({ watch: TRUSTED, steps, delayed, rechecks, logger: pino({ level: 'silent' }) });
  const queue = new DelayQueue(redis, prefix);
  await until(async () => {
    await worker.runOnce();
    return (await queue.size()) === 0;
  });
}
