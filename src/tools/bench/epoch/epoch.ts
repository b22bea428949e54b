import type { Redis } from 'ioredis';
import type { Id } from '../../../contracts/id.ts';
import { bumpEpoch } from '../../../index/epoch.ts';
import { readPlain } from '../../../mysql/statements/plain-contacts.ts';
import { quantile } from '../../harness/latency.ts';
import { launchApi } from '../../harness/processes/launch-api.ts';
import type { Bench, Ground } from '../bench.ts';
import { buildIndexes, contactsOf, gatherCircle } from '../circle.ts';
import { type Measurements, type ReportRow, rounded } from '../report.ts';
import { LIMIT, type Read, Readers, zipf } from './readers.ts';

export interface EpochSize {
  readonly users: number;
  readonly contacts: number;
  readonly rate: number;
  readonly warmSeconds: number;
  /** Maximum, after an event. */
  readonly coldSeconds: number;
  /** Of this many consecutive answers, {@link SHARE} must come from an index. */
  readonly inARow: number;
}

/** Measures what happens when every index is cold at once, and how long until answers come from indexes again. */
export const epoch: Bench<EpochSize> = {
  name: 'epoch',
  summary: 'answers after a new epoch, after FLUSHALL and after a restart of Redis',
  transport: 'streams',
  ownRedis: true,
  full: { users: 20_000, contacts: 50, rate: 200, warmSeconds: 20, coldSeconds: 900, inARow: 400 },
  quick: { users: 40, contacts: 5, rate: 100, warmSeconds: 0.2, coldSeconds: 60, inARow: 20 },
  measure,
};

const SHARE = 0.99;

/** Enough that a read waits for its answer, not for a connection. */
const CONNECTIONS = 64;

/** Users whose expected answers are first compared with plain SQL. */
const SAMPLE = 100;

async function measure(ground: Ground, size: EpochSize): Promise<Measurements> {
  const { resources, signal, progress } = ground;
  const { users } = await gatherCircle(ground.stores, { count: size.users, contacts: size.contacts });
  const expected = await expectedAnswers(ground, users, size.contacts);
  await buildIndexes(ground.stores, users);
  const api = await launchApi(ground.processGroup);
  await api.untilReady();
  const readers = resources.adopt(new Readers({ origin: api.url, connections: CONNECTIONS, expected }), (open) =>
    open.close(),
  );
  progress(`${users.length} users with an index each are read once`);
  await readers.readAll(users, signal);
  const nextUser = zipf(users, Math.random);
  const warm = await readers.run(size.rate, nextUser, lasting(size.warmSeconds), signal);
  const rows = [rowOf('none', warm)];
  for (const [name, happen] of Object.entries(eventsOn(ground))) {
    progress(`${name}, at ${size.rate} reads a second`);
    rows.push(await measureEvent(name, happen, { readers, nextUser, size, signal }));
  }
  return { rows, ratios: epochRatios(rows) };
}

type Event = () => Promise<unknown>;

function eventsOn({ stores, redis }: Ground): Readonly<Record<'epoch' | 'flushall' | 'restart', Event>> {
  return {
    epoch: () => bumpEpoch(stores.primary, 'a benchmark wanted it'),
    flushall: () => (stores.redis as Redis).flushall(),
    restart: async () => redis?.restart(),
  };
}

interface TimedRead {
  readonly readers: Readers;
  readonly nextUser: () => Id;
  readonly size: EpochSize;
  readonly signal: AbortSignal;
}

async function measureEvent(
  name: string,
  happen: Event,
  { readers, nextUser, size, signal }: TimedRead,
): Promise<EventRow> {
  const from = performance.now();
  let happened = Number.POSITIVE_INFINITY;
  let warmFrom: number | undefined;
  const happening = happen().then(() => {
    happened = performance.now();
  });
  const isOver = (reads: readonly Read[]) => {
    const latest = reads.slice(-size.inARow);
    if (isWarm(latest, size.inARow) && Number(latest[0]?.at) >= happened) warmFrom = latest[0]?.at;
    return warmFrom !== undefined || performance.now() - from > size.coldSeconds * 1000;
  };
  const reads = await readers.run(size.rate, nextUser, isOver, signal);
  await happening;
  if (warmFrom === undefined) throw new Error(`after ${size.coldSeconds} s answers still came from the database`);
  return { ...rowOf(name, reads), seconds_to_99_percent_index: rounded((warmFrom - from) / 1000, 3) };
}

function isWarm(reads: readonly Read[], inARow: number): boolean {
  return reads.length === inARow && reads.filter(({ source }) => source === 'index').length >= SHARE * inARow;
}

function lasting(seconds: number): () => boolean {
  const end = performance.now() + seconds * 1000;
  return () => performance.now() > end;
}

export type EventRow = ReportRow & {
  readonly event: string;
  readonly reads: number;
  readonly errors: number;
  readonly wrong: number;
  readonly p99_ms: number;
};

function rowOf(event: string, reads: readonly Read[]): EventRow {
  const times = reads.map(({ ms }) => ms);
  const count = (is: (read: Read) => boolean) => reads.filter(is).length;
  return {
    ...{ event, reads: reads.length, from_index: count(({ source }) => source === 'index') },
    ...{ errors: count(({ source }) => source === 'none'), wrong: count(({ wrong }) => wrong) },
    ...{ p50_ms: rounded(quantile(times, 0.5), 3), p99_ms: rounded(quantile(times, 0.99), 3) },
  };
}

/** The new epoch's ratios have no suffix; the other events' have their names. */
export function epochRatios(rows: readonly EventRow[]): Record<string, number> {
  const warm = rows.find(({ event }) => event === 'none');
  const events = rows.filter(({ event }) => event !== 'none');
  const sum = (of: (row: EventRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  const suffix = ({ event }: EventRow) => (event === 'epoch' ? '' : `_${event}`);
  return {
    wrong: sum((row) => row.wrong),
    errors_share: rounded(sum((row) => row.errors) / sum((row) => row.reads)),
    ...Object.fromEntries(
      events.flatMap((row) => [
        [`p99_over_warm${suffix(row)}`, rounded(row.p99_ms / (warm?.p99_ms ?? Number.NaN))],
        [`seconds_to_99_percent_index${suffix(row)}`, Number(row.seconds_to_99_percent_index)],
      ]),
    ),
  };
}

/** Computed from the circle; a sample is compared with plain SQL. */
async function expectedAnswers({ stores }: Ground, users: readonly Id[], contacts: number): Promise<Map<Id, string>> {
  const newest = users.map((user, position) => ({ user, age: (position * 7_919) % users.length }));
  const ageOf = new Map(newest.map(({ user, age }) => [user, age]));
  const expected = new Map<Id, string>();
  for (const [position, user] of users.entries()) {
    const own = contactsOf(users, position, contacts).map(({ contact }) => contact);
    const order = own.sort((a, b) => (ageOf.get(a) ?? 0) - (ageOf.get(b) ?? 0));
    expected.set(user, order.slice(0, LIMIT).join(' '));
  }
  for (let i = 0; i < SAMPLE; i++) {
    const user = users[Math.floor((i * users.length) / SAMPLE)] ?? '';
    const { contacts: rows } = await readPlain(stores.contacts, {
      user,
      relation: 'any',
      limit: LIMIT,
      below: undefined,
    });
    const says = rows.map(({ id }) => id).join(' ');
    if (says !== expected.get(user)) throw new Error(`plain SQL says ${says} of ${user}, not ${expected.get(user)}`);
  }
  return expected;
}
