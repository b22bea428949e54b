import { quantile } from '../../harness/latency.ts';
import { MeasuringClient } from '../../harness/measuring-client.ts';
import { seededRandom } from '../../harness/random.ts';
import { settle } from '../../harness/stores.ts';
import { uploadPhoto } from '../../reference-site/photos.ts';
import type { Bench, Ground } from '../bench.ts';
import { type Measurements, type ReportRow, rounded } from '../report.ts';
import { ARMS, type Home, memoryOf, openPlace, type PaysArm, type Place, settleIn, workOf } from './place.ts';
import { isMysqlCounted } from './server-seconds.ts';
import { Draw, type Person, peopleOf } from './site.ts';

export interface PaysSize {
  readonly users: number;
  readonly means: readonly number[];
  /** Reads and uploads of one turn, and of the one before the first that counts. */
  readonly events: number;
  readonly warmUp: number;
  readonly rounds: number;
  /** Users whose answers are compared with plain SQL after each turn. */
  readonly checked: number;
}

/**
 * A site of readers and uploaders, under the rules as they are, without indexes, with an index for everybody for good, and with
 * last uploads denormalised into MySQL.
 */
export const pays: Bench<PaysSize> = {
  name: 'pays',
  summary:
    'processor time, memory and latency of a site: an index where it pays, none, one for everybody, or last uploads in MySQL',
  transport: 'streams',
  full: { users: 4_000, means: [12, 100], events: 12_000, warmUp: 10_000, rounds: 1, checked: 500 },
  quick: { users: 60, means: [6], events: 150, warmUp: 10, rounds: 1, checked: 20 },
  measure,
};

/** Reads a day of an active user, who uploads every other day. */
const LOADS = { readers: 5, mixed: 1, writers: 0.2 } as const;

const UPLOADS_A_DAY = 0.5;

/** Rows of the view up to which a user counts as small in the rows of the report. */
const SMALL = Number(ARMS.default.INDEX_ABOVE);

const LANES = 8;

/**
 * Of one arm, about, on two cores. A day lasts as long as its events: otherwise somebody who reads every fifth day would count as
 * reading twice a day.
 */
const EVENTS_A_SECOND = 200;

export interface PaysRow extends ReportRow {
  readonly mean: number;
  readonly load: string;
  /** How much of the site's time was played. */
  readonly days: number;
  readonly arm: PaysArm;
  /** Of every process, s: the service's, MySQL's and Redis's. */
  readonly work_s: number;
  readonly redis_bytes: number;
  /** Of the denormalised table and its index. */
  readonly mysql_bytes: number;
  readonly small_p50_ms: number;
  readonly wrong: number;
}

async function measure(ground: Ground, size: PaysSize): Promise<Measurements> {
  const rows: PaysRow[] = [];
  for (const mean of size.means) rows.push(...(await measureSite(ground, size, mean)));
  return { rows, ratios: paysRatios(rows) };
}

async function measureSite(ground: Ground, size: PaysSize, mean: number): Promise<PaysRow[]> {
  await using resources = new AsyncDisposableStack();
  const people = peopleOf(size.users, mean);
  ground.progress(`${size.users} users with ${mean} contacts in the mean`);
  const homes: Home[] = [];
  for (const arm of Object.keys(ARMS) as PaysArm[]) homes.push(await settleIn(ground, resources, { arm, people }));
  const rows: PaysRow[] = [];
  for (const load of Object.keys(LOADS) as (keyof typeof LOADS)[]) {
    const active = people.filter(({ reads }) => reads > 0).length;
    const eventsADay = active * (LOADS[load] + UPLOADS_A_DAY);
    const places: Place[] = [];
    for (const home of homes)
      places.push(await openPlace(home, load, Math.ceil((1_000 * eventsADay) / EVENTS_A_SECOND)));
    const turns = places.map((place) => ({ place, taken: [] as PaysTurn[] }));
    for (let round = 0; round <= size.rounds; round++) {
      ground.progress(round === 0 ? `${load}: warming up` : `${load}: round ${round} of ${size.rounds}`);
      for (const { place, taken } of turns) {
        const events = round === 0 ? size.warmUp : size.events;
        const turn = await takeTurn(place, people, { ...size, events, reads: LOADS[load], seed: round });
        if (round > 0) taken.push(turn);
      }
    }
    for (const place of places) await place.close();
    const days = rounded((size.events * size.rounds) / eventsADay);
    const played = { mean, load, days, mysql_counted: isMysqlCounted(ground) ? 'yes' : 'no' };
    for (const { place, taken } of turns) rows.push({ ...played, arm: place.arm, ...summaryOf(taken) });
  }
  return rows;
}

interface PaysTurn {
  readonly work: number;
  readonly bytes: number;
  readonly mysqlBytes: number;
  readonly small: readonly number[];
  readonly large: readonly number[];
  readonly wrong: number;
  readonly indexes: number;
}

interface PaysTurnSize extends Pick<PaysSize, 'events' | 'checked'> {
  readonly reads: number;
  readonly seed: number;
}

/** Plays reads and uploads as fast as it goes: the same for every arm. */
async function takeTurn(place: Place, people: readonly Person[], size: PaysTurnSize): Promise<PaysTurn> {
  const { ground, url, arm } = place;
  const { stores, signal } = ground;
  const random = seededRandom(size.seed);
  const readers = new Draw(people, ({ reads }) => reads, random);
  const uploaders = new Draw(people, ({ uploads }) => uploads, random);
  const plan = Array.from({ length: size.events }, () =>
    random() < size.reads / (size.reads + UPLOADS_A_DAY)
      ? { isRead: true, person: readers.next() }
      : { isRead: false, person: uploaders.next() },
  ).values();
  const [small, large]: [number[], number[]] = [[], []];
  const clients = Array.from({ length: LANES }, () => new MeasuringClient(url));
  const before = await workOf(place);
  await Promise.all(
    clients.map(async (client) => {
      for (const { isRead, person } of plan) {
        signal.throwIfAborted();
        if (!isRead) await uploadPhoto(stores.pool, person.user, 0, Date.now());
        else (person.contacts.length > SMALL ? large : small).push(await read(client, person, arm));
      }
    }),
  );
  if (arm !== 'never') await settle(stores.raiseBarrier, signal);
  const work = (await workOf(place)) - before;
  const wrong = await countWrong(clients[0] as MeasuringClient, people.slice(0, size.checked));
  for (const client of clients) client.close();
  return { work, ...(await memoryOf(place)), small, large, wrong };
}

const pathOf = ({ user }: Person, more = '') => `/v1/users/${user}/contacts/recent${more}`;

/** @returns how long it took, ms */
async function read(client: MeasuringClient, person: Person, arm: PaysArm): Promise<number> {
  const from = performance.now();
  const { status, body } = await client.get(pathOf(person, arm === 'never' ? '?consistency=strong' : ''));
  if (status !== 200) throw new Error(`an answer of ${status}: ${body.slice(0, 300)}`);
  return performance.now() - from;
}

async function countWrong(client: MeasuringClient, people: readonly Person[]): Promise<number> {
  const contactsIn = ({ body }: { body: string }) => JSON.stringify(JSON.parse(body).contacts);
  let wrong = 0;
  for (const person of people) {
    const [told, plain] = [await client.get(pathOf(person)), await client.get(pathOf(person, '?consistency=strong'))];
    if (contactsIn(told) !== contactsIn(plain)) wrong += 1;
  }
  return wrong;
}

function summaryOf(turns: readonly PaysTurn[]) {
  const median = (of: (turn: PaysTurn) => number) => quantile(turns.map(of), 0.5);
  const ms = (of: (turn: PaysTurn) => readonly number[], q: number) =>
    rounded(median((turn) => quantile(of(turn), q)) || 0, 3);
  return {
    work_s: rounded(median(({ work }) => work)),
    redis_bytes: Math.round(median(({ bytes }) => bytes)),
    mysql_bytes: Math.round(median(({ mysqlBytes }) => mysqlBytes)),
    indexes: Math.round(median(({ indexes }) => indexes)),
    small_p50_ms: ms(({ small }) => small, 0.5),
    small_p99_ms: ms(({ small }) => small, 0.99),
    large_p50_ms: ms(({ large }) => large, 0.5),
    large_p99_ms: ms(({ large }) => large, 0.99),
    wrong: turns.reduce((sum, { wrong }) => sum + wrong, 0),
  };
}

/** Memory by the mean of contacts, after readers; work by the load, over all means. @throws Error when an arm is missing */
export function paysRatios(rows: readonly PaysRow[]): Record<string, number> {
  const ratios: Record<string, number> = {};
  const sum = (load: string, arm: PaysArm) => {
    const own = rows.filter((row) => row.load === load && row.arm === arm);
    if (own.length === 0) throw new Error(`too little was measured: nothing of ${arm} under ${load}`);
    return own.reduce((all, { work_s }) => all + work_s, 0);
  };
  const at = (mean: number, load: string, arm: PaysArm) =>
    rows.find((row) => row.mean === mean && row.load === load && row.arm === arm) as PaysRow;
  for (const load of Object.keys(LOADS)) {
    const own = sum(load, 'default');
    ratios[`work_over_always_${load}`] = rounded(own / sum(load, 'always'));
    ratios[`work_over_best_${load}`] = rounded(own / Math.min(sum(load, 'always'), sum(load, 'never')));
    ratios[`work_over_denormalised_${load}`] = rounded(own / sum(load, 'denormalised'));
  }
  for (const mean of new Set(rows.map((row) => row.mean))) {
    const [own, always] = [at(mean, 'readers', 'default'), at(mean, 'readers', 'always')];
    ratios[`memory_over_always_mean_${mean}`] = rounded(own.redis_bytes / always.redis_bytes);
    ratios[`small_p50_over_sql_mean_${mean}`] = rounded(own.small_p50_ms / at(mean, 'readers', 'never').small_p50_ms);
  }
  ratios.wrong = rows.reduce((all, { wrong }) => all + wrong, 0);
  return ratios;
}
