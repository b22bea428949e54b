import type { RaiseBarrier } from '../index/drain-barrier.ts';
import { laneBarriersOf } from '../index/index-drain-barrier.ts';
import type { Database } from '../mysql/database.ts';
import { readEpoch } from '../mysql/epoch.ts';
import { AppliedWatermark, type AppliedWatermarkOptions } from '../query/applied-watermark.ts';
import { AppliedMoments } from '../redis/applied-moments.ts';
import type { RedisClient } from '../redis/connection.ts';
import { KafkaPermissionMissing } from '../transport/kafka/errors.ts';
import type { LanedTransport } from '../transport/lanes.ts';
import { inBackground, type ProcessContext } from './run-process.ts';
import type { KindStores } from './stores.ts';

export interface WatchedPlaces {
  readonly primary: Database;
  /** Of the indexes. */
  readonly redis: RedisClient;
  /** Every kind in use. */
  readonly kinds: readonly Pick<KindStores, 'rechecks' | 'delayed'>[];
  readonly transport: {
    readonly [lane in keyof Pick<LanedTransport, 'small' | 'bulk'>]: { readonly strictBarrier: RaiseBarrier };
  };
}

/** How far the indexes may be behind MySQL: behind the outbox, the transport's lanes, re-checks, and refreshes that were delayed. */
export function appliedWatermarkOf(
  { primary, redis, kinds, transport: { small, bulk } }: WatchedPlaces,
  keyPrefix: string,
  options: Pick<AppliedWatermarkOptions, 'onError'> = {},
): AppliedWatermark {
  const places = kinds.map(({ rechecks, delayed }) => ({ rechecks, delayed: delayed.changes }));
  return new AppliedWatermark({
    ...options,
    barriers: laneBarriersOf({ primary, kinds: places }, { small: small.strictBarrier, bulk: bulk.strictBarrier }),
    epoch: async () => (await readEpoch(primary)).token,
    moments: new AppliedMoments(redis, keyPrefix),
    now: () => performance.now(),
  });
}

/** Measures that until the process ends. A permission of Kafka that is missing is logged once, as an error. */
export function watchApplied(
  context: Pick<ProcessContext, 'config' | 'logger' | 'resources' | 'fail'>,
  places: WatchedPlaces,
): AppliedWatermark {
  let isNamed = false;
  const onError = (err: unknown) => {
    const isNews = err instanceof KafkaPermissionMissing && !isNamed;
    context.logger[isNews ? 'error' : 'debug']({ err }, 'the lag of the indexes cannot be measured: it is not known');
    isNamed ||= isNews;
  };
  const watermark = appliedWatermarkOf(places, context.config.keyPrefix, { onError });
  inBackground(context, (ending) => watermark.run(ending));
  return watermark;
}
