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
import { type CommandContext, openLeases, type Stores, withStores } from './stores.ts';
import { openTransport } from './transport.ts';

/** What long jobs work with. */
export interface JobParts extends CommandContext {
  readonly check: PageCheck;
  readonly indexedUsers: IndexedUsers;
}

/** Longer than the deadline of a small statement and a timeout of Redis together, at which it is prolonged. */
const LEASE = { ttlMs: 30_000, retryMs: 1_000 };

/** A change that is on its way longer than that cannot be told from drift. */
const SETTLE_MS = 30_000;

const now = () => performance.now();

const CLOCKS = { now, clock: Date.now, random: Math.random };

/** Does a long job, and closes everything. @throws ConfigError, StartError, what the job throws */
export async function withJobParts<T>(
  name: 'verify' | RunKind,
  signal: AbortSignal,
  work: (parts: JobParts) => Promise<T>,
): Promise<T> {
  const isMetered = name !== 'verify'; // it makes every statement dearer
  const options = { name, isPatient: true, ...(isMetered ? { Database: MeteredDatabase } : {}) };
  return await withStores(options, signal, async (context) => {
    const { config, stores, resources, logger } = context;
    const { index, primary } = stores;
    const limits = { max: config.max, min: config.min };
    const raiseBarrier = drainBarrier(context);
    const aloneMs = config.mysqlBuildTimeoutMs;
    // The plain query about a user with very many contacts takes as long as reading them.
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
      truthMs: Math.min(aloneMs, config.mysqlTimeoutMs), // in smaller parts rather than beside the budget
    });
    return await work({ ...context, check, indexedUsers: () => indexedUsers(stores.redis, config.keyPrefix) });
  });
}

/** Asked for only when something looks wrong, so the transport need not answer before. */
function drainBarrier(context: CommandContext): RaiseBarrier {
  const { primary, delayed, rechecks } = context.stores;
  const transport = openTransport(context, 'jobs');
  return drainBarrierOf({ primary, rechecks, delayed }, transport.barrier);
}

/**
 * Does a job that only one process may do at a time; others stand by until it is their turn.
 * @param onWaiting called when another process has the job now
 */
export async function whileLeaseHolder<T>(
  { config, stores, signal }: CommandContext,
  kind: RunKind,
  onWaiting: () => void,
  work: (runStores: PagedRunStores, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { primary } = stores;
  return await openLeases(config, stores, LEASE).hold(
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

/** A killed holder's place is taken within both together. */
const SAMPLER_LEASE = { ttlMs: 10_000, retryMs: 2_000 };

/** It has time, and asks seldom: what is on its way is on its way because the stores are busy. */
const POLL_MS = 500;

export interface SampledParts {
  readonly registry: Registry;
  readonly stores: Stores;
  readonly transport: Transport;
  /** What `watchTruth` returned. */
  readonly onTruth: (truth: CheckedTruth) => void;
}

/** Samples while no other consumer does. Its troubles are never this process's. */
export function startSampler(context: ProcessContext, { registry, stores, transport, onTruth }: SampledParts): void {
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
    aloneMs: config.mysqlTimeoutMs, // not longer: whoever is sampled with such a user waits for it
    ...CLOCKS,
    ...{ primary, rate, windows, logger, onTruth },
  });
  const work = async (signal: AbortSignal) => {
    logger.info({ rate }, 'sampling');
    await sampler.run(signal);
    windows.clear();
  };
  inBackground(context, (stopping) => {
    const signal = AbortSignal.any([stopping, context.signal]); // it need not wait for its turn in closing
    return whileLeading(openLeases(config, stores, SAMPLER_LEASE), { name: 'sampler', work, logger }, signal);
  });
}

/** Pairs that a process compares with the photos when it starts. */
const AT_START = 100;

/** ms between two tries to do so. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Every user of a wrong view shows it: one line is enough for so long. */
const SILENT_MS = 600_000;

const CONTRADICTED =
  'last_upload_at of recency_contacts is not the newest row of recency_photos that the user may see: the views, or what they read, are wrong, and so are answers. `recency verify` shows more; no repair changes it';

/**
 * Compares some pairs with the photos, beside the start of the process, as soon as MySQL can be asked, and logs an error where they contradict the view.
 * @returns for what is found later: it is counted in the same metric, and logged every ten minutes at most
 */
export function watchTruth(
  context: Omit<ProcessContext, 'config' | 'signal'> & { readonly config: Pick<Config, 'mysqlTimeoutMs'> },
  { registry, primary }: { readonly registry: Registry; readonly primary: Database },
): (truth: CheckedTruth) => void {
  const { config, logger } = context;
  const count = truthMetrics(registry);
  let silentUntil = 0;
  const hear = ({ counts, wrong }: CheckedTruth) => {
    count(counts);
    if (counts.wrong === 0 || now() < silentUntil) return;
    silentUntil = now() + SILENT_MS;
    logger.error({ ...counts, example: wrong[0] }, CONTRADICTED);
  };
  inBackground(context, async (signal) => {
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        return hear(await sampleTruth({ primary, ...CLOCKS, aloneMs: config.mysqlTimeoutMs }, AT_START, signal));
      } catch (err) {
        if (signal.aborted) return;
        logger.warn({ err, pauseMs }, 'the views could not be compared with the photos yet');
        await pause(pauseMs, signal); // the process ends
      }
    }
  });
  return hear;
}
