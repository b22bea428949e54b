import { setTimeout as pause } from 'node:timers/promises';
import type { Id } from '../../../contracts/id.ts';
import { KeyNames } from '../../../index/redis/keys.ts';
import { quantile } from '../../harness/latency.ts';
import { poll } from '../../harness/poll.ts';
import { idsFrom } from '../../reference-site/load-graph.ts';
import { uploadPhoto } from '../../reference-site/photos.ts';
import type { Ground } from '../bench.ts';
import type { ContactChanges } from '../contact-changes.ts';
import { rounded } from '../report.ts';

export const VIEWER = '19999999';
const FIRST_PROBED = 40_000_000n;

const LOOK_MS = 1;

/** Maximum pause between two probes, so that they do not synchronise with the load. */
const REST_MS = 50;

const TIMEOUT_MS = 30_000;

/** Contacts of the viewer without a photo. */
export const probedContacts = (count: number): Id[] => idsFrom(FIRST_PROBED, count);

export interface LatencyLoad {
  /** Changes a second. */
  readonly rate: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly contacts: readonly Id[];
}

/** The time from the commit of a photo until it is in the index of a follower, while other relationships change. */
export async function measureLatency(ground: Ground, load: ContactChanges, options: LatencyLoad) {
  const { rate, seconds, warmUpSeconds, contacts } = options;
  const ending = new AbortController();
  const either = AbortSignal.any([ending.signal, ground.signal]);
  const loading = load.run(rate, either);
  const times: number[] = [];
  let missed = 0;
  const unused = contacts[Symbol.iterator]();
  const from = performance.now();
  try {
    for (;;) {
      const elapsed = performance.now() - from - warmUpSeconds * 1000;
      if (elapsed > seconds * 1000 && times.length + missed > 0) break;
      const { value: contact } = unused.next();
      if (contact === undefined) throw new Error('there are fewer contacts than probes');
      const ms = await Promise.race([timeToIndex(ground, contact), loading.then(() => undefined)]);
      if (ms === undefined) missed += 1;
      else if (elapsed > 0) times.push(ms);
      await pause(Math.random() * REST_MS);
    }
    ending.abort();
    const actual = Math.round(await loading);
    const ms = (q: number) => rounded(quantile(times, q), 3);
    const row = {
      rate: actual,
      probes: times.length,
      p50_ms: ms(0.5),
      p90_ms: ms(0.9),
      p99_ms: ms(0.99),
      max_ms: ms(1),
    };
    return { row, p99Ms: quantile(times, 0.99), missed };
  } finally {
    ending.abort();
    await loading.catch(() => undefined);
  }
}

/** @returns undefined: it was not there in time */
async function timeToIndex({ stores, namespace }: Ground, contact: Id): Promise<number | undefined> {
  const key = new KeyNames(namespace.config.keyPrefix).set(VIEWER);
  await uploadPhoto(stores.pool, contact, 0, Date.now());
  const committed = performance.now();
  const look = async () => ((await stores.redis.zscore(key, contact)) === null ? undefined : performance.now());
  const at = await poll(look, (seen) => seen !== undefined, { everyMs: LOOK_MS, timeoutMs: TIMEOUT_MS });
  return at === undefined ? undefined : at - committed;
}
