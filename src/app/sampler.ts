import type { Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import { drainBarrierOf } from '../index/drain-barrier.ts';
import { trustedReads } from '../index/epoch-watch.ts';
import { PutBackRows } from '../index/put-back-rows.ts';
import type { Database } from '../mysql/database.ts';
import { openSampler } from '../repair/sampler/open-sampler.ts';
import { SamplerReports } from '../repair/sampler/report.ts';
import { Windows } from '../repair/sampler/windows.ts';
import type { CheckedTruth } from '../repair/truth-check.ts';
import { sampleTruth } from '../repair/truth-sample.ts';
import { pause } from '../timing/backoff.ts';
import { inBackground } from './background.ts';
import { openLeases } from './leases.ts';
import type { Stores } from './open-stores.ts';
import type { ProcessContext } from './run-process.ts';
import { samplerMetrics, truthMetrics } from './sampler-metrics.ts';
import { whileLeading } from './standing-job.ts';
import type { Transport } from './transport.ts';

/** A killed holder's place is taken within both together. */
const LEASE = { ttlMs: 10_000, retryMs: 2_000 };

/** A change that is on its way longer than that cannot be told from drift. */
const SETTLE_MS = 30_000;

/** It has time, and asks seldom: what is on its way is on its way because the stores are busy. */
const POLL_MS = 500;

const now = () => performance.now();

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
  const sampler = openSampler({
    index: trustedReads(index, watch),
    limits: { max, min },
    raiseBarrier: drainBarrierOf({
      primary,
      putBack: new PutBackRows(primary),
      transport: transport.barrier,
      putOff: [rechecks, delayed],
    }),
    reports: new SamplerReports(redis, config.keyPrefix),
    onCounts: samplerMetrics(registry, windows),
    settleMs: SETTLE_MS,
    pollMs: POLL_MS,
    aloneMs: config.mysqlTimeoutMs, // not longer: whoever is sampled with such a user waits for it
    random: Math.random,
    ...{ primary, rate, windows, logger, now, onTruth },
  });
  const work = async (signal: AbortSignal) => {
    logger.info({ rate }, 'sampling');
    await sampler.run(signal);
    windows.clear();
  };
  inBackground(context, (stopping) => {
    const signal = AbortSignal.any([stopping, context.signal]); // it need not wait for its turn in closing
    return whileLeading(openLeases(config, stores, LEASE), { name: 'sampler', work, logger }, signal);
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
        return hear(await sampleTruth({ primary, aloneMs: config.mysqlTimeoutMs }, AT_START, signal));
      } catch (err) {
        if (signal.aborted) return;
        logger.warn({ err, pauseMs }, 'the views could not be compared with the photos yet');
        await pause(pauseMs, signal); // the process ends
      }
    }
  });
  return hear;
}
