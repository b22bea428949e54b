import { Counter, Gauge, type Registry } from 'prom-client';
import type { Database } from '../mysql/database.ts';
import { readEpochState } from '../mysql/losses.ts';
import type { Loss } from '../transport/task-source.ts';

/** Counts new epochs that this process began, each an alarm. */
export function epochCounter(registry: Registry): () => void {
  const counter = new Counter({
    name: 'recency_new_epochs_total',
    help: 'New epochs begun by this process, because a server was another one or tasks were lost. Each makes every index cold.',
    registers: [registry],
  });
  return () => counter.inc();
}

/** Counts losses of tasks that this process found, each an alarm. Any number of them may be one suspension. */
export function lossCounter(registry: Registry): (loss: Loss) => void {
  const counter = new Counter({
    name: 'recency_losses_total',
    help: 'Losses of tasks found by this process, by reason. From then on the epoch is suspended.',
    labelNames: ['reason'],
    registers: [registry],
  });
  return ({ reason }) => counter.inc({ reason });
}

/** Looked up at every scrape. */
export function measureSuspension(registry: Registry, database: Database): void {
  new Gauge({
    name: 'recency_epoch_suspended_seconds',
    help: 'For how long no index has been trusted or built, because tasks were lost and are not caught up with; 0: it is not so.',
    registers: [registry],
    async collect() {
      const read = readEpochState(database);
      const seconds = read.then(({ suspended, epoch }) => (suspended ? (Date.now() - epoch.bumpedAt) / 1000 : 0));
      this.set(await seconds.then((value) => Math.max(value, 0)).catch(() => Number.NaN)); // MySQL is away: not known
    },
  });
}
