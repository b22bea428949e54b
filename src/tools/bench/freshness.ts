import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'mysql2/promise';
import type { Id } from '../../contracts/id.ts';
import { quantile } from '../harness/latency.ts';
import { MeasuringClient } from '../harness/measuring-client.ts';
import { poll } from '../harness/poll.ts';
import { launchApi } from '../harness/processes/launch-api.ts';
import { RECENCY } from '../harness/processes/process-group.ts';
import { settle } from '../harness/stores.ts';
import { idsFrom, loadGraph } from '../reference-site/load-graph.ts';
import { uploadPhoto } from '../reference-site/photos.ts';
import type { Bench, Ground } from './bench.ts';
import { buildIndexes, contactsOf, FIRST_USER, gatherCircle } from './circle.ts';
import { ContactChanges, shuffledByStep } from './contact-changes.ts';
import { type Measurements, type ResultRow, rounded } from './report.ts';

export interface FreshnessSize {
  readonly users: number;
  readonly contacts: number;
  readonly consumers: number;
  readonly rates: readonly number[];
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

/** Measures the time from a commit through outbox, relay, Kafka, consumer and index to the answer, on a busy site. */
export const freshness: Bench<FreshnessSize> = {
  name: 'freshness',
  summary: 'ms from a commit until an answer shows it',
  transport: 'kafka',
  full: { users: 2_000, contacts: 50, consumers: 2, rates: [100, 1_000], seconds: 30, warmUpSeconds: 4 },
  quick: { users: 100, contacts: 10, consumers: 1, rates: [10, 50], seconds: 1, warmUpSeconds: 1 },
  measure,
};

/**
 * Directly before the circle: the sampler picks by id, and after a gap it would pick a user with thousands of contacts
 * repeatedly.
 */
const VIEWER = String(FIRST_USER - 1n);
const FIRST_PROBED = 40_000_000n;

/** Enough for any run: a probe takes some ms. */
const PROBED = 10_000;

/** Contacts of the viewer with an older photo, who fill the index. */
const KNOWN = 100;

async function measure(ground: Ground, size: FreshnessSize): Promise<Measurements> {
  const { stores, resources, signal, progress } = ground;
  const circle = await gatherCircle(stores, { count: size.users, contacts: size.contacts });
  const probed = idsFrom(FIRST_PROBED, PROBED);
  const known = circle.users.slice(0, KNOWN);
  await loadGraph(stores.pool, {
    users: [VIEWER, ...probed].map((id) => ({ id })),
    contacts: [...known, ...probed].map((contact) => ({ user: VIEWER, contact })),
  });
  const api = await startServices(ground, size.consumers);
  await buildIndexes(stores, [...circle.users, VIEWER]);
  const client = resources.adopt(new MeasuringClient(api), (open) => open.close());
  const pairs = circle.users.flatMap((_, position) => contactsOf(circle.users, position, size.contacts));
  const load = new ContactChanges(stores.pool, shuffledByStep(pairs));
  const options = { pool: stores.pool, client, viewer: VIEWER, contacts: probed[Symbol.iterator]() };
  const rows: ResultRow[] = [];
  for (const rate of size.rates) {
    progress(`${rate} tasks a second for ${size.seconds} s`);
    rows.push(await measureAt(rate, size, load, (ending) => probe(options, ending), signal));
    await settle(stores.raiseBarrier, signal);
  }
  return { rows, ratios: {} };
}

/** @returns the URL of the API */
async function startServices({ processGroup, stores, signal }: Ground, consumers: number): Promise<string> {
  const recency = (name: string, command: string) => processGroup.start({ name, module: RECENCY, args: [command] });
  recency('relay', 'relay');
  for (let i = 1; i <= consumers; i++) recency(`consumer ${i}`, 'consume');
  const api = await launchApi(processGroup);
  await api.untilReady();
  await settle(stores.raiseBarrier, signal);
  return api.url;
}

async function measureAt(
  rate: number,
  { seconds, warmUpSeconds }: FreshnessSize,
  load: ContactChanges,
  probing: (ending: AbortSignal) => Promise<number[]>,
  signal: AbortSignal,
): Promise<ResultRow> {
  const ending = new AbortController();
  const either = AbortSignal.any([ending.signal, signal]);
  const loading = load.run(rate, either);
  const during = async (forSeconds: number) => {
    const over = new AbortController();
    const times = probing(AbortSignal.any([over.signal, either]));
    await Promise.race([pause(forSeconds * 1000), times, loading]);
    over.abort();
    return await times;
  };
  try {
    await during(warmUpSeconds);
    const times = await during(seconds);
    ending.abort();
    const ms = (q: number) => rounded(quantile(times, q), 3);
    const tasks_per_second = Math.round(await loading);
    return {
      rate,
      tasks_per_second,
      probes: times.length,
      p50_ms: ms(0.5),
      p90_ms: ms(0.9),
      p99_ms: ms(0.99),
      max_ms: ms(1),
    };
  } finally {
    ending.abort();
    await loading.catch(() => undefined);
  }
}

const LOOK_MS = 2;

/** Maximum pause between two probes, so that they do not synchronise with the relay. */
const REST_MS = 50;

const TIMEOUT_MS = 30_000;

export interface ProbeOptions {
  readonly pool: Pool;
  readonly client: MeasuringClient;
  readonly viewer: Id;
  /** Contacts of the viewer without a photo. */
  readonly contacts: Iterator<Id>;
}

/** Uploads a photo by one contact of the viewer at a time, until aborted. @returns ms from each commit to its answer */
export async function probe(options: ProbeOptions, signal: AbortSignal): Promise<number[]> {
  const times: number[] = [];
  while (!signal.aborted) {
    const { value: contact, done } = options.contacts.next();
    if (done) throw new Error('there are fewer contacts than probes');
    times.push(await timeToAnswer(options, contact));
    await pause(Math.random() * REST_MS);
  }
  return times;
}

async function timeToAnswer({ pool, client, viewer }: ProbeOptions, contact: Id): Promise<number> {
  await uploadPhoto(pool, contact, 0, Date.now());
  const committed = performance.now();
  const look = async () => {
    const { status, body } = await client.get(`/v1/users/${viewer}/contacts/recent?limit=1`);
    const at = performance.now();
    if (status !== 200) throw new Error(`an answer of ${status}: ${body}`);
    return { at, isShown: (JSON.parse(body) as { contacts: { id: Id }[] }).contacts[0]?.id === contact };
  };
  const { at, isShown } = await poll(look, (seen) => seen.isShown, { everyMs: LOOK_MS, timeoutMs: TIMEOUT_MS });
  if (!isShown) throw new Error(`a photo was in no answer for ${TIMEOUT_MS / 1000} s`);
  return at - committed;
}
