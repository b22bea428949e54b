import type { Registry } from 'prom-client';
import { drainBarrierOf } from '../index/drain-barrier.ts';
import { trustedReads } from '../index/epoch-watch.ts';
import { PutBackRows } from '../index/put-back-rows.ts';
import { openSampler } from '../repair/sampler/open-sampler.ts';
import { SamplerReports } from '../repair/sampler/report.ts';
import { Windows } from '../repair/sampler/windows.ts';
import { inBackground } from './background.ts';
import { openLeases } from './leases.ts';
import type { Stores } from './open-stores.ts';
import type { ProcessContext } from './run-process.ts';
import { samplerMetrics } from './sampler-metrics.ts';
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
}

/** Samples while no other consumer does. Its troubles are never this process's. */
export function startSampler(context: ProcessContext, { registry, stores, transport }: SampledParts): void {
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
    ...{ primary, rate, windows, logger, now },
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
