import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'mysql2/promise';
import type { Id } from '../../contracts/id.ts';
import { createDenormalised } from '../denormalised/table.ts';
import { quantile } from '../harness/latency.ts';
import { MeasuringClient } from '../harness/measuring-client.ts';
import { poll } from '../harness/poll.ts';
import { launchApi } from '../harness/processes/launch-api.ts';
import { RECENCY } from '../harness/processes/process-group.ts';
import { settle } from '../harness/stores.ts';
import { startUpdater } from '../harness/variants/start-updater.ts';
import { startVariant } from '../harness/variants/start-variant.ts';
import { idsFrom, loadGraph } from '../reference-site/load-graph.ts';
import { uploadPhoto } from '../reference-site/photos.ts';
import { type Bench, type Ground, openGround } from './bench.ts';
import { buildIndexes, contactsOf, FIRST_USER, gatherCircle } from './circle.ts';
import { ContactChanges, shuffledByStep } from './contact-changes.ts';
import { type Measurements, type ReportRow, rounded } from './report.ts';

export interface FreshnessSize {
  readonly users: number;
  readonly contacts: number;
  /** Contacts of one viewer, each of whom uploads one photo: enough for a run, because a probe takes some ms. */
  readonly probed: number;
  readonly consumers: number;
  readonly rates: readonly number[];
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

/**
 * Measures the time from a commit through outbox, relay, Kafka, consumer and index to the answer, on a busy site; and through the
 * updater and the table of the denormalised variant, on a site of its own, in turns.
 */
export const freshness: Bench<FreshnessSize> = {
  name: 'freshness',
  summary: 'ms from a commit until an answer shows it',
  transport: 'kafka',
  full: {
    users: 2_000,
    contacts: 50,
    probed: 10_000,
    consumers: 2,
    rates: [100, 1_000],
    seconds: 30,
    warmUpSeconds: 4,
  },
  quick: { users: 100, contacts: 10, probed: 300, consumers: 1, rates: [10, 50], seconds: 0.3, warmUpSeconds: 0.1 },
  measure,
};

/**
 * Directly before the circle: the sampler picks by id, and after a gap it would pick a user with thousands of contacts
 * repeatedly.
 */
const VIEWER = String(FIRST_USER - 1n);
const FIRST_PROBED = 40_000_000n;

/** Contacts of the viewer with an older photo, who fill the index. */
const KNOWN = 100;

/** Who answers: Recency, or last uploads denormalised into MySQL. Both get the same tasks over the same transport. */
const FRESH_ARMS = ['recency', 'denormalised'] as const;
type FreshArm = (typeof FRESH_ARMS)[number];

/** From a commit until an answer shows it. */
interface FreshTimes extends ReportRow {
  readonly rate: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
}

interface FreshRow extends FreshTimes {
  readonly arm: FreshArm;
}

async function measure(ground: Ground, size: FreshnessSize): Promise<Measurements> {
  const { servers, install, resources, signal, progress } = ground;
  const beside = () => openGround({ transport: 'kafka', servers, install, resources, signal, progress });
  const places: FreshPlace[] = [];
  for (const arm of FRESH_ARMS) places.push(await settleIn(arm === 'recency' ? ground : await beside(), arm, size));
  const rows: FreshRow[] = [];
  for (const rate of size.rates) {
    for (const place of places) {
      progress(`${place.arm}: ${rate} tasks a second for ${size.seconds} s`);
      rows.push({ arm: place.arm, ...(await measureAt(rate, size, place, signal)) });
      await settle(place.stores.raiseBarrier, signal);
    }
  }
  return { rows, ratios: freshnessRatios(rows) };
}

/** @throws Error when an arm is missing */
export function freshnessRatios(rows: readonly Pick<FreshRow, 'arm' | 'rate' | 'p50_ms'>[]): Record<string, number> {
  const p50 = (arm: FreshArm, rate: number) => {
    const found = rows.find((row) => row.arm === arm && row.rate === rate);
    if (found === undefined) throw new Error(`too little was measured: nothing of ${arm} at ${rate}`);
    return found.p50_ms;
  };
  const rates = [...new Set(rows.map(({ rate }) => rate))];
  return Object.fromEntries(
    rates.map((rate) => [`p50_over_denormalised_${rate}`, rounded(p50('recency', rate) / p50('denormalised', rate))]),
  );
}

interface FreshPlace {
  readonly arm: FreshArm;
  readonly stores: Ground['stores'];
  readonly load: ContactChanges;
  readonly probing: (ending: AbortSignal) => Promise<number[]>;
}

async function settleIn(ground: Ground, arm: FreshArm, size: FreshnessSize): Promise<FreshPlace> {
  const { stores } = ground;
  const circle = await gatherCircle(stores, { count: size.users, contacts: size.contacts });
  const probed = idsFrom(FIRST_PROBED, size.probed);
  const known = circle.users.slice(0, KNOWN);
  await loadGraph(stores.pool, {
    users: [VIEWER, ...probed].map((id) => ({ id })),
    contacts: [...known, ...probed].map((contact) => ({ user: VIEWER, contact })),
  });
  if (arm === 'denormalised') await createDenormalised(stores.pool, ground.signal);
  const api = await startServices(ground, arm, size.consumers);
  if (arm === 'recency') await buildIndexes(stores, [...circle.users, VIEWER]);
  const pairs = circle.users.flatMap((_, position) => contactsOf(circle.users, position, size.contacts));
  const options = { pool: stores.pool, viewer: VIEWER, contacts: probed[Symbol.iterator]() };
  return {
    ...{ arm, stores, load: new ContactChanges(stores.pool, shuffledByStep(pairs)) },
    probing: async (ending) => {
      const client = new MeasuringClient(api); // an idle connection is closed while the other arm is measured
      try {
        return await probe({ ...options, client }, ending);
      } finally {
        client.close();
      }
    },
  };
}

/** @returns the URL of the API */
async function startServices(
  { processGroup, stores, signal }: Ground,
  arm: FreshArm,
  consumers: number,
): Promise<string> {
  const recency = (name: string, command: string) => processGroup.start({ name, module: RECENCY, args: [command] });
  recency('relay', 'relay');
  for (let i = 1; i <= consumers; i++) {
    if (arm === 'recency') recency(`consumer ${i}`, 'consume');
    else startUpdater(processGroup, `updater ${i}`);
  }
  const url = arm === 'recency' ? await launched(processGroup) : (await startVariant(processGroup, arm)).url;
  await settle(stores.raiseBarrier, signal);
  return url;
}

async function launched(processGroup: Ground['processGroup']): Promise<string> {
  const api = await launchApi(processGroup);
  await api.untilReady();
  return api.url;
}

async function measureAt(
  rate: number,
  { seconds, warmUpSeconds }: FreshnessSize,
  { load, probing }: FreshPlace,
  signal: AbortSignal,
): Promise<FreshTimes> {
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
