import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { CHANNELS } from '../contracts/watch.ts';
import type { WatchedUsers } from '../index/redis/watched-users.ts';
import type { DeliveryOutcome } from '../push/channel.ts';
import type { NotifierOptions } from '../push/notifier.ts';

const OUTCOMES: readonly DeliveryOutcome['is'][] = ['delivered', 'failed', 'gone'];

/** From the check to the end of the delivery, s. */
const DELIVERY_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

/** @param queue of the watched users who wait to be checked */
export function notifierMetrics(
  registry: Registry,
  queue: Pick<WatchedUsers['queue'], 'size'>,
): NonNullable<NotifierOptions['onOutcome']> {
  const deliveries = new Counter({
    name: 'recency_notifications_total',
    help: 'Deliveries of notifications, by channel and outcome (delivered, failed, gone).',
    labelNames: ['channel', 'outcome'],
    registers: [registry],
  });
  for (const channel of CHANNELS) {
    for (const outcome of OUTCOMES) deliveries.inc({ channel, outcome }, 0); // so that the first one is an increase
  }
  const seconds = new Histogram({
    name: 'recency_notification_delivery_seconds',
    help: 'Time from the check of a user to the end of the delivery, by channel.',
    labelNames: ['channel'],
    buckets: DELIVERY_SECONDS,
    registers: [registry],
  });
  new Gauge({
    name: 'recency_notifier_queue_users',
    help: 'Watched users who wait to be checked, or are being checked.',
    registers: [registry],
    async collect() {
      this.set(await queue.size().catch(() => Number.NaN));
    },
  });
  return (channel, outcome, ms) => {
    deliveries.inc({ channel, outcome });
    if (outcome === 'delivered') seconds.observe({ channel }, ms / 1000);
  };
}
