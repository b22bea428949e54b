import type { Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import type { RaiseBarrier } from '../index/drain-barrier.ts';
import { trustedReads } from '../index/epoch-watch.ts';
import { drainBarrierOf } from '../index/index-drain-barrier.ts';
import { indexedUsers } from '../index/redis/keys.ts';
import type { Database } from '../mysql/database.ts';
import type { Fence } from '../mysql/leases.ts';
import { MeteredDatabase } from '../mysql/metered-database.ts';
import type { RunKind } from '../mysql/runs.ts';
import { PageCheck } from '../repair/page-check.ts';
import type { PagedRunStores } from '../repair/paged-run.ts';
import { SamplerReports } from '../repair/sampler/report.ts';
import { Sampler } from '../repair/sampler/sampler.ts';
import { Windows } from '../repair/sampler/windows.ts';
import type { CheckedTruth } from '../repair/truth-check.ts';
import { sampleTruth } from '../repair/truth-sample.ts';
import type { IndexedUsers } from '../repair/user-pages.ts';
import { pause } from '../timing/backoff.ts';
import type { Transport } from '../transport/transport.ts';
import { samplerMetrics, truthMetrics } from './metrics.ts';
import { openPrimary } from './open-mysql.ts';
import { inBackground, type ProcessContext, whileLeading } from './run-process.ts';
import { type CommandContext, createLeases, type Stores, withStores } from './stores.ts';
import { openTransport } from './transport.ts';

/** What a long job needs. */
export interface JobParts extends CommandContext {
  readonly check: PageCheck;
  readonly indexedUsers: IndexedUsers;
}

/** It outlasts the deadline of a small statement and a Redis timeout together, after which it is renewed. */
const JOB_LEASE = { ttlMs: 30_000, retryMs: 1_000 };

/** A change that is on its way for longer cannot be told from drift, ms. */
const SETTLE_MS = 30_000;

const now = () => performance.now();

const CLOCKS = { now, clock: Date.now, random: Math.random };

/** Opens what a long job needs, runs it and closes everything. @throws ConfigError, StartError, what the job throws */
export async function withJobParts<T>(
  name: 'verify' | RunKind,
  signal: AbortSignal,
  work: (parts: JobParts) => Promise<T>,
): Promise<T> {
  const isMetered = name !== 'verify'; // metering makes every statement more expensive
  const options = { name, isPatient: true, ...(isMetered ? { Database: MeteredDatabase } : {}) };
  return await withStores(options, signal, async (context) => {
    const { config, stores, resources, logger } = context;
    const { index, primary } = stores;
    const limits = { max: config.max, min: config.min };
    const raiseBarrier = drainBarrier(context);
    const aloneMs = config.mysqlBuildTimeoutMs;
    // The plain query for a user with very many contacts takes as long as reading them all.
    const { heavy } = primary;
    const answersFrom = resources.adopt(openPrimary(config, { extraMs: aloneMs, heavy }), (opened) => opened.close());
    const check = new PageCheck({
      index,
      primary,
      answersFrom,
      limits,
      raiseBarrier,
      settleMs: SETTLE_MS,
      ...CLOCKS,
      logger,
      aloneMs,
      truthMs: Math.min(aloneMs, config.mysqlTimeoutMs), // a larger comparison is split rather than run beyond the budget
    });
    return await work({ ...context, check, indexedUsers: () => indexedUsers(stores.redis, config.keyPrefix) });
  });
}

/** The transport is contacted only when something looks wrong. */
function drainBarrier(context: CommandContext): RaiseBarrier {
  const { primary, delayed, rechecks } = context.stores;
  const transport = openTransport(context, 'jobs');
  return drainBarrierOf({ primary, rechecks, delayed }, transport.barrier);
}

/**
 * Runs a job that only one process at a time may run; others wait for their turn.
 * @param onWaiting called when another process runs the job now
 */
export async function whileLeaseHolder<T>(
  { config, stores, signal }: CommandContext,
  kind: RunKind,
  onWaiting: () => void,
  work: (runStores: PagedRunStores, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { primary } = stores;
  return await createLeases(config, stores, JOB_LEASE).hold(
    kind,
    async ({ token, lost }) => {
      const fence: Fence = { lease: kind, token };
      const rowsRead = () => (primary instanceof MeteredDatabase ? primary.rowsRead : 0);
      const runStores = { primary, fence, rowsRead, ...CLOCKS };
      return await work(runStores, AbortSignal.any([signal, lost]));
    },
    { signal, onWaiting },
  );
}

/** After the holder is killed, another process takes over within the sum of the two. */
const SAMPLER_LEASE = { ttlMs: 10_000, retryMs: 2_000 };

/** Interval at which the sampler polls the drain barrier, ms. It has time, and the stores are busy while it waits. */
const POLL_MS = 500;

export interface SamplerParts {
  readonly registry: Registry;
  readonly stores: Stores;
  readonly transport: Transport;
  /** The function that `watchTruth` returned. */
  readonly onTruth: (truth: CheckedTruth) => void;
}

/** Samples consistency, in one consumer at a time. Its failures never end the process. */
export function startSampler(context: ProcessContext, { registry, stores, transport, onTruth }: SamplerParts): void {
  const { config, logger } = context;
  const { primary, redis, delayed, rechecks, index, watch } = stores;
  const { sampleRate: rate, max, min } = config;
  if (rate === 0) return;
  const windows = new Windows(now);
  const sampler = new Sampler({
    index: trustedReads(index, watch),
    limits: { max, min },
    raiseBarrier: drainBarrierOf({ primary, rechecks, delayed }, transport.barrier),
    reports: new SamplerReports(redis, config.keyPrefix),
    onCounts: samplerMetrics(registry, windows),
    settleMs: SETTLE_MS,
    pollMs: POLL_MS,
    aloneMs: config.mysqlTimeoutMs, // not longer: the users of the same sample wait for it
    ...CLOCKS,
    primary,
    rate,
    windows,
    logger,
    onTruth,
  });
  const work = async (signal: AbortSignal) => {
    logger.info({ rate }, 'sampling');
    await sampler.run(signal);
    windows.clear();
  };
  inBackground(context, (stopping) => {
    const signal = AbortSignal.any([stopping, context.signal]); // it may end before its turn in the shutdown
    return whileLeading(createLeases(config, stores, SAMPLER_LEASE), { name: 'sampler', work, logger }, signal);
  });
}

/** Number of pairs that a process compares with the photos when it starts. */
const AT_START = 100;

/** Pauses between attempts to do so, ms. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Minimum time between two log lines about wrong views, ms: every user of a wrong view would cause one. */
const SILENT_MS = 600_000;

const CONTRADICTED =
  'last_upload_at of recency_contacts is not the newest row of recency_photos that the user may see: the views, or what they read, are wrong, and so are answers. `recency verify` shows more; no repair fixes it';

/**
 * Compares some pairs with the photos, in the background, as soon as MySQL answers, and logs an error if the photos contradict
 * the view.
 * @returns reports later findings, to the same metric and to the log, which gets a line every ten minutes at most
 */
export function watchTruth(
  context: Omit<ProcessContext, 'config' | 'signal'> & { readonly config: Pick<Config, 'mysqlTimeoutMs'> },
  { registry, primary }: { readonly registry: Registry; readonly primary: Database },
): (truth: CheckedTruth) => void {
  const { config, logger } = context;
  const count = truthMetrics(registry);
  let silentUntil = 0;
  const report = ({ counts, wrong }: CheckedTruth) => {
    count(counts);
    if (counts.wrong === 0 || now() < silentUntil) return;
    silentUntil = now() + SILENT_MS;
    logger.error({ ...counts, example: wrong[0] }, CONTRADICTED);
  };
  inBackground(context, async (signal) => {
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        return report(await sampleTruth({ primary, ...CLOCKS, aloneMs: config.mysqlTimeoutMs }, AT_START, signal));
      } catch (err) {
        if (signal.aborted) return;
        logger.warn({ err, pauseMs }, 'the views could not be compared with the photos yet');
        await pause(pauseMs, signal); // the process ends
      }
    }
  });
  return report;
}
