import { setTimeout as pause } from 'node:timers/promises';
import { MeasuringClient } from '../../harness/measuring-client.ts';
import { launchApi } from '../../harness/processes/launch-api.ts';
import { quantile } from '../../harness/quantile.ts';
import { settle } from '../../harness/settle.ts';
import { loadGraph } from '../../reference-site/load-graph.ts';
import type { Bench } from '../bench.ts';
import { buildIndexes, contactsOf, FIRST_USER, gatherCircle } from '../circle.ts';
import type { Ground } from '../ground.ts';
import { ids } from '../people.ts';
import { type Measured, type Row, rounded } from '../report.ts';
import { Load } from './load.ts';
import { probe } from './probe.ts';

export interface FreshnessSize {
  /** Users with an index whose relationships change, and contacts of each. */
  readonly users: number;
  readonly contacts: number;
  readonly consumers: number;
  /** Tasks a second. */
  readonly rates: readonly number[];
  /** Of each rate; and before they count. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

/** From the commit through outbox, relay, Kafka, consumer and index to the answer, while the site is busy with other things. */
export const freshness: Bench<FreshnessSize> = {
  name: 'freshness',
  summary: 'ms from a commit until an answer shows it',
  transport: 'kafka',
  full: { users: 2_000, contacts: 50, consumers: 2, rates: [100, 1_000], seconds: 30, warmUpSeconds: 4 },
  quick: { users: 100, contacts: 10, consumers: 1, rates: [10, 50], seconds: 1, warmUpSeconds: 1 },
  measure,
};

/** Right before the circle: the sampler draws by ids, and behind a gap it would have somebody with thousands of contacts time and again. */
const VIEWER = String(FIRST_USER - 1n);
const FIRST_PROBED = 40_000_000n;

/** Enough for any run: a probe takes some ms. */
const PROBED = 10_000;

/** Contacts of the viewer with a photo from before, who fill the index. */
const KNOWN = 100;

async function measure(ground: Ground, size: FreshnessSize): Promise<Measured> {
  const { stores, resources, signal, tell } = ground;
  const circle = await gatherCircle(stores, { count: size.users, contacts: size.contacts });
  const probed = ids(FIRST_PROBED, PROBED);
  const known = circle.users.slice(0, KNOWN);
  await loadGraph(stores.pool, {
    users: [VIEWER, ...probed].map((id) => ({ id })),
    contacts: [...known, ...probed].map((contact) => ({ user: VIEWER, contact })),
  });
  const api = await startServices(ground, size.consumers);
  await buildIndexes(stores, [...circle.users, VIEWER]);
  const client = resources.adopt(new MeasuringClient(api), (open) => open.close());
  const pairs = circle.users.flatMap((_, place) => contactsOf(circle.users, place, size.contacts));
  const load = new Load(stores.pool, shuffledByStep(pairs));
  const options = { pool: stores.pool, client, viewer: VIEWER, contacts: probed[Symbol.iterator]() };
  const rows: Row[] = [];
  for (const rate of size.rates) {
    tell(`${rate} tasks a second for ${size.seconds} s`);
    rows.push(await measureAt(rate, size, load, (ending) => probe(options, ending), signal));
    await settle(stores.raiseBarrier, signal);
  }
  return { rows, ratios: {} };
}

/** As a site would run them, each a process of its own. @returns where the API answers */
async function startServices({ fleet, stores, signal }: Ground, consumers: number): Promise<string> {
  const recency = (name: string, command: string) =>
    fleet.start({ name, module: '../../../cli/main', args: [command] });
  recency('relay', 'relay');
  for (let i = 1; i <= consumers; i++) recency(`consumer ${i}`, 'consume');
  const api = await launchApi(fleet);
  await api.untilReady();
  await settle(stores.raiseBarrier, signal);
  return api.url;
}

async function measureAt(
  rate: number,
  { seconds, warmUpSeconds }: FreshnessSize,
  load: Load,
  probing: (ending: AbortSignal) => Promise<number[]>,
  signal: AbortSignal,
): Promise<Row> {
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

/** So that neighbours in time are of different users. */
function shuffledByStep<T>(items: readonly T[]): T[] {
  const step = 7_919; // a prime, so that every place is visited once
  return items.map((_, i) => items[(i * step) % items.length] as T);
}
