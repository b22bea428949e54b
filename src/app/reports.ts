import type { Report, Reported } from '../api/readiness.ts';
import type { Config } from '../config/config.ts';
import {
  delayedVerdict,
  fillVerdict,
  lanesVerdict,
  outboxVerdict,
  recheckVerdict,
  unappliedVerdict,
  watchedVerdict,
} from '../health/backlog-checks.ts';
import type { RaiseBarrier } from '../index/drain-barrier.ts';
import type { RedisTrust } from '../index/epoch-watch.ts';
import { laneBarriersOf } from '../index/index-drain-barrier.ts';
import { requireCompared } from '../index/trusted-reads.ts';
import type { Database } from '../mysql/database.ts';
import { readEpoch } from '../mysql/epoch.ts';
import { readEpochState } from '../mysql/losses.ts';
import { AppliedWatermark, type AppliedWatermarkOptions } from '../query/applied-watermark.ts';
import { isLate } from '../query/recent-answer.ts';
import { AppliedMoments } from '../redis/applied-moments.ts';
import type { RedisClient } from '../redis/connection.ts';
import { TextRecord } from '../redis/text-record.ts';
import { ElapsedTime } from '../timing/elapsed.ts';
import { pause } from '../timing/loop.ts';
import { KafkaPermissionMissing } from '../transport/kafka/errors.ts';
import type { LanedTransport, Transport } from '../transport/transport.ts';
import { newestTasksKey, OutboxHistory } from './outbox-history.ts';
import { inBackground, type ProcessContext } from './run-process.ts';
import type { KindStores } from './stores.ts';

interface Reporting {
  readonly primary: Database;
  /** Those in use. */
  readonly kinds: readonly Pick<KindStores, 'delayQueue'>[];
  /** The users whose watches are to be checked. */
  readonly watched: Parameters<typeof watchedVerdict>[0];
}

/** What `serve` says beside its checks. Doctor and the console judge the backlogs alike. */
export function apiReports(
  { primary, kinds, watched }: Reporting,
  transport: Parameters<typeof lanesVerdict>[0] & Pick<Transport, 'fill'>,
  watermark: Pick<AppliedWatermark, 'lagShownMs'>,
): Record<string, Report> {
  const { fill } = transport;
  return {
    ...relayReports(primary),
    lanes: () => lanesVerdict(transport),
    rechecks: () => recheckVerdict(primary),
    epoch: () => epochReport(primary),
    ...(fill === undefined ? {} : { stream: () => fillVerdict(fill) }),
    ...consumerReports({ kinds }),
    notifications: () => watchedVerdict(watched),
    oldest_unapplied: async () => unappliedVerdict(watermark),
  };
}

/** The same of a consumer. */
export function consumerReports({ kinds }: Pick<Reporting, 'kinds'>): Record<string, Report> {
  return { delay_queue: () => delayedVerdict(kinds.map(({ delayQueue }) => delayQueue)) };
}

/** The same of a relay. */
export function relayReports(primary: Database): Record<string, Report> {
  return { outbox: () => outboxVerdict(primary) };
}

/** While the epoch is suspended no index is used, and plain SQL answers. */
async function epochReport(primary: Database): Promise<Reported> {
  const { suspended, epoch } = await readEpochState(primary);
  const since = `since ${new Date(epoch.bumpedAt).toISOString()}`;
  if (!suspended) return { state: 'fine', detail: `in force ${since}` };
  return { state: 'warning', detail: `suspended ${since}: ${epoch.why}` };
}

interface WatchedPlaces {
  readonly primary: Database;
  readonly watch: Pick<RedisTrust, 'known' | 'distrust' | 'during'>;
  /** Of the indexes. */
  readonly redis: RedisClient;
  /** Every kind in use. */
  readonly kinds: readonly Pick<KindStores, 'rechecks' | 'delayed'>[];
  readonly transport: {
    readonly [lane in keyof Pick<LanedTransport, 'small' | 'bulk'>]: { readonly strictBarrier: RaiseBarrier };
  };
}

type WatchedSettings = Pick<Config, 'keyPrefix'> & Partial<Pick<Config, 'captureMapping' | 'captureTopicPrefix'>>;

/** How far the indexes may be behind MySQL: behind the outbox, the transport's lanes, re-checks, and refreshes that were delayed. */
export function appliedWatermarkOf(
  { primary, watch, redis, kinds, transport: { small, bulk } }: WatchedPlaces,
  { keyPrefix, captureMapping, captureTopicPrefix }: WatchedSettings,
  options: Partial<Pick<AppliedWatermarkOptions, 'onError' | 'epoch' | 'restMs'>> = {},
): AppliedWatermark {
  const elapsed = new ElapsedTime();
  const isCaptured = captureMapping !== undefined || captureTopicPrefix !== undefined;
  // A master that was promoted again may have lost what was delayed.
  const onAnswer = (replicationId: string) => requireCompared(watch, replicationId);
  const places = kinds.map(({ rechecks, delayed }) => {
    return { rechecks: rechecks.changes, delayed: delayed.changes(onAnswer) };
  });
  return new AppliedWatermark({
    barriers: laneBarriersOf(
      { primary, kinds: places, isCaptured },
      { small: small.strictBarrier, bulk: bulk.strictBarrier },
    ),
    watch,
    epoch: async () => (await readEpoch(primary)).token,
    moments: new AppliedMoments(redis, keyPrefix),
    now: () => elapsed.now(),
    ...options,
  });
}

const LONGEST_REST_MS = 2_000;

/**
 * Measures that until the process ends, and whether MySQL has gone back. A permission of Kafka that is missing is logged once, as
 * an error.
 * @param onNewEpoch called when one has begun because it has: an alarm
 */
export function watchApplied(
  context: Pick<ProcessContext, 'config' | 'logger' | 'resources' | 'fail'>,
  places: WatchedPlaces,
  onNewEpoch: () => void,
): AppliedWatermark {
  let isNamed = false;
  const onError = (err: unknown) => {
    const isNews = err instanceof KafkaPermissionMissing && !isNamed;
    context.logger[isNews ? 'error' : 'debug']({ err }, 'the lag of the indexes cannot be measured: it is not known');
    isNamed ||= isNews;
  };
  const outbox = new OutboxHistory({
    primary: places.primary,
    kept: new TextRecord(places.redis, newestTasksKey(context.config.keyPrefix)),
    onNewEpoch: (why) => {
      context.logger.error({ why }, 'MySQL has gone back: a new epoch, every index is cold');
      onNewEpoch();
    },
  });
  const restMs = Math.min(LONGEST_REST_MS, context.config.exactWithinMs / 4); // so that the first answer after it is exact
  const watermark = appliedWatermarkOf(places, context.config, { onError, epoch: () => outbox.epoch(), restMs });
  inBackground(context, (ending) => watermark.run(ending));
  return watermark;
}

const LOOK_MS = 20;

/**
 * Resolves once the lag is known and small enough for answers to be exact, after `withinMs` at the latest, or when aborted.
 * @param options both times in ms
 */
export async function untilLagKnown(
  watermark: Pick<AppliedWatermark, 'lagMs'>,
  {
    exactWithinMs,
    withinMs,
    signal,
  }: { readonly exactWithinMs: number; readonly withinMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const end = performance.now() + withinMs;
  while (isLate(watermark.lagMs(), exactWithinMs) && performance.now() < end && !signal.aborted)
    await pause(LOOK_MS, signal);
}
