import { setTimeout as pause } from 'node:timers/promises';
import type { Id } from '../../contracts/id.ts';
import { quantile } from '../harness/latency.ts';
import { MeasuringClient } from '../harness/measuring-client.ts';
import { launchApi } from '../harness/processes/launch-api.ts';
import type { HarnessStores } from '../harness/stores.ts';
import { idsFrom, loadGraph } from '../reference-site/load-graph.ts';
import type { Bench, Ground } from './bench.ts';
import { buildIndexes, FIRST_USER, onePhotoEach } from './circle.ts';
import { type Measurements, type ReportRow, rounded } from './report.ts';

export interface OverloadSize {
  readonly users: number;
  /** Contacts of each user with an index, and of each without. */
  readonly warmContacts: number;
  readonly coldContacts: number;
  readonly connections: number;
  readonly rounds: number;
  /** Per load and round; the first round has a warm-up of the same length. */
  readonly seconds: number;
}

/**
 * Measures how much slower narrowed answers get, and what is left running, when many ask for users without an index.
 */
export const overload: Bench<OverloadSize> = {
  name: 'overload',
  summary: 'narrowed answers while a tenth of the users are cold and have very many contacts',
  transport: 'streams',
  settings: () => ({ MYSQL_TIMEOUT_MS: '5000', REDIS_TIMEOUT_MS: '1000' }), // the defaults, not the longer timeouts of the harness
  full: { users: 500, warmContacts: 50, coldContacts: 20_000, connections: 256, rounds: 3, seconds: 10 },
  quick: { users: 40, warmContacts: 10, coldContacts: 60, connections: 16, rounds: 1, seconds: 0.3 },
  measure,
};

/** Share of the users who are cold. */
const COLD = 0.1;

/** Interval at which indexes that a read has built are dropped, so that cold users stay cold, ms. */
const DROP_EVERY_MS = 50;

/** After this many ms, what still runs in MySQL was left there. */
const LEFT_AFTER_MS = 1_000;

async function measure(ground: Ground, size: OverloadSize): Promise<Measurements> {
  const { stores, processGroup, resources, signal, progress } = ground;
  progress(`${size.users} users, ${size.users * COLD} of them with ${size.coldContacts} contacts each`);
  const { warm, cold } = await gather(stores, size);
  await buildIndexes(stores, warm);
  const api = await launchApi(processGroup);
  await api.untilReady();
  const crowd = resources.adopt(new OverloadCrowd(api.url, size.connections), (open) => open.close());
  const ms = size.seconds * 1000;
  await crowd.ask(warm, ms, false, signal);
  const rows: OverloadRow[] = [];
  for (let round = 1; round <= size.rounds; round++) {
    progress(`round ${round} of ${size.rounds}, ${size.connections} connections`);
    rows.push(rowOf('quiet', round, await crowd.ask(warm, ms, false, signal), 0));
    const answers = await askWhileCold(ground, crowd, { warm, cold, ms });
    await pause(LEFT_AFTER_MS, undefined, { signal });
    rows.push(rowOf('overload', round, answers, await leftRunning(stores)));
    crowd.open();
  }
  return { rows, ratios: overloadRatios(rows) };
}

/** Ends the dropping before it returns or throws: what builds an index then ends like all else. */
async function askWhileCold(
  { stores, signal }: Ground,
  crowd: OverloadCrowd,
  { warm, cold, ms }: { readonly warm: readonly Id[]; readonly cold: readonly Id[]; readonly ms: number },
): Promise<Answered[]> {
  await using _dropping = keepCold(stores, cold);
  return await crowd.ask([...warm, ...cold], ms, true, signal);
}

/** Creates users with an index, and users who stay without. Everybody has one public photo. */
async function gather({ pool }: HarnessStores, size: OverloadSize): Promise<{ warm: Id[]; cold: Id[] }> {
  const people = idsFrom(FIRST_USER, Math.max(size.users, size.coldContacts + 1));
  const users = people.slice(0, size.users);
  const cold = users.filter((_user, position) => position % (1 / COLD) === 0);
  const warm = users.filter((_user, position) => position % (1 / COLD) !== 0);
  await loadGraph(pool, {
    users: people.map((id) => ({ id })),
    photos: onePhotoEach(people),
    contacts: warm.flatMap((user) => contactsOf(people, user, size.warmContacts)),
  });
  for (const user of cold) await loadGraph(pool, { contacts: contactsOf(people, user, size.coldContacts) });
  await pool.query('ANALYZE TABLE contacts, users, photos');
  return { warm, cold };
}

function contactsOf(people: readonly Id[], user: Id, count: number) {
  const others = people.filter((contact) => contact !== user);
  const distance = others.length / count;
  return Array.from({ length: count }, (_, i) => ({ user, contact: others[Math.floor(i * distance)] ?? '' }));
}

/** Drops the indexes of these users repeatedly until it is disposed of. */
function keepCold({ index }: HarnessStores, users: readonly Id[]): AsyncDisposable {
  const ending = new AbortController();
  const dropping = (async () => {
    while (!ending.signal.aborted) {
      await index.drop(users);
      await pause(DROP_EVERY_MS);
    }
  })();
  return {
    [Symbol.asyncDispose]: async () => {
      ending.abort();
      await dropping;
    },
  };
}

async function leftRunning({ primary }: HarnessStores): Promise<number> {
  const rows = await primary.rows(
    "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND INFO LIKE '%recency\\_contacts AS c%' AND ID <> CONNECTION_ID()",
    [],
  );
  return Number(rows[0]?.[0]);
}

export type OverloadRow = ReportRow & {
  readonly load: 'quiet' | 'overload';
  readonly narrowed_p99_ms: number;
  readonly failed: number;
  readonly left_running: number;
};

function rowOf(load: OverloadRow['load'], round: number, answers: readonly Answered[], left: number): OverloadRow {
  const timesOf = (source: Answered['source']) => answers.filter((one) => one.source === source).map(({ ms }) => ms);
  const [index, database, refused] = [timesOf('index'), timesOf('database'), timesOf('refused')];
  const at = (times: readonly number[], q: number) => (times.length === 0 ? 0 : rounded(quantile(times, q), 3));
  return {
    ...{ load, round, answers: answers.length, from_index: index.length, from_database: database.length },
    ...{ refused: refused.length, failed: timesOf('failed').length, left_running: left },
    ...{ narrowed_p50_ms: at(index, 0.5), narrowed_p99_ms: at(index, 0.99) },
    ...{ database_p50_ms: at(database, 0.5), database_p99_ms: at(database, 0.99), refused_p50_ms: at(refused, 0.5) },
  };
}

/**
 * Uses the medians of the rounds.
 * @throws Error when a round has no narrowed answer: there is nothing to compare
 */
export function overloadRatios(rows: readonly OverloadRow[]): Record<string, number> {
  const without = rows.find((row) => row.from_index === 0);
  if (without) throw new Error(`round ${without.round}, ${without.load}: no answer came from an index`);
  const of = (load: OverloadRow['load']) => rows.filter((row) => row.load === load);
  const p99 = (load: OverloadRow['load']) =>
    quantile(
      of(load).map((row) => row.narrowed_p99_ms),
      0.5,
    );
  return {
    narrowed_p99_over_quiet: rounded(p99('overload') / p99('quiet')),
    queries_left_running: Math.max(...rows.map((row) => row.left_running)),
    failed: rows.reduce((sum, row) => sum + row.failed, 0),
  };
}

export interface Answered {
  readonly ms: number;
  /** `refused`: 503 with Retry-After; `failed`: any other non-answer. */
  readonly source: 'index' | 'database' | 'refused' | 'failed';
}

/** Many clients that each send the next request as soon as they are answered. */
class OverloadCrowd {
  readonly #origin: string;
  readonly #size: number;
  #clients: MeasuringClient[] = [];

  constructor(origin: string, size: number) {
    this.#origin = origin;
    this.#size = size;
    this.open();
  }

  open(): void {
    this.#clients = Array.from({ length: this.#size }, () => new MeasuringClient(this.#origin));
  }

  close(): void {
    for (const client of this.#clients) client.close();
  }

  /** Asks about random users for this many ms; then waits for the pending answers, or cuts them off. */
  async ask(users: readonly Id[], ms: number, cutOff: boolean, signal: AbortSignal): Promise<Answered[]> {
    const end = performance.now() + ms;
    const answered: Answered[] = [];
    const lane = async (client: MeasuringClient) => {
      while (performance.now() < end) {
        signal.throwIfAborted();
        answered.push(await askOnce(client, users[Math.floor(Math.random() * users.length)] ?? ''));
      }
    };
    let isCut = false; // a timer may come a moment before that time by the other clock
    const lanes = this.#clients.map((client) =>
      lane(client).catch((error: unknown) => {
        if (!isCut) throw error;
      }),
    );
    const cut = () => {
      isCut = true;
      this.close();
    };
    const cutting = cutOff ? setTimeout(cut, ms) : undefined;
    try {
      await Promise.all(lanes);
    } finally {
      clearTimeout(cutting);
    }
    return answered;
  }
}

async function askOnce(client: MeasuringClient, user: Id): Promise<Answered> {
  const from = performance.now();
  const { status, head, body } = await client.get(`/v1/users/${user}/contacts/recent`);
  const ms = performance.now() - from;
  if (status === 200) return { ms, source: body.includes('"source":"index"') ? 'index' : 'database' };
  return { ms, source: status === 503 && /\r\nretry-after: \d/i.test(head) ? 'refused' : 'failed' };
}
