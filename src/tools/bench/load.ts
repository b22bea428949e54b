import type { Id } from '../../contracts/id.ts';
import { quantile } from '../harness/latency.ts';
import { MeasuringClient } from '../harness/measuring-client.ts';
import { launchApi } from '../harness/processes/launch-api.ts';
import type { ServiceProcess } from '../harness/processes/process-group.ts';
import { fillRecipeIndex, RecipeIndex } from '../harness/variants/recipe.ts';
import { startVariant } from '../harness/variants/start-variant.ts';
import { idsFrom, loadGraph } from '../reference-site/load-graph.ts';
import type { Bench, Ground } from './bench.ts';
import { buildIndexes, contactsOf, FIRST_USER, onePhotoEach } from './circle.ts';
import { type Measurements, type ReportRow, rounded } from './report.ts';

export interface LoadSize {
  /** Contacts of each, and how many users have so many. */
  readonly users: readonly { readonly contacts: number; readonly count: number }[];
  readonly connections: readonly number[];
  readonly rounds: number;
  /** Of one turn. The first round warms up. */
  readonly seconds: number;
}

/** Measures how many answers a second one process gives over many connections, each with one request at a time. */
export const load: Bench<LoadSize> = {
  name: 'load',
  summary: 'answers a second and µs of the processor for each, over 1 to 256 connections',
  transport: 'streams',
  full: {
    users: [
      { contacts: 10, count: 500 },
      { contacts: 20_000, count: 50 },
    ],
    connections: [1, 16, 64, 256],
    rounds: 5,
    seconds: 2,
  },
  quick: {
    users: [
      { contacts: 5, count: 20 },
      { contacts: 40, count: 4 },
    ],
    connections: [1, 4],
    rounds: 1,
    seconds: 0.03,
  },
  measure,
};

const ARMS = ['recency', 'recency_2_workers', 'recipe', 'sql', 'empty_route'] as const;
type LoadArm = (typeof ARMS)[number];

export type LoadRow = ReportRow & {
  readonly contacts: number;
  readonly connections: number;
  readonly arm: LoadArm;
  readonly per_second: number;
  /** Of the process that answers, µs a request; 0 where these are several processes. */
  readonly cpu_us: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
};

interface LoadedArm {
  readonly name: LoadArm;
  readonly url: string;
  readonly member: ServiceProcess;
}

interface Cell {
  readonly arm: LoadedArm;
  readonly contacts: number;
  readonly users: readonly Id[];
  readonly connections: number;
  readonly turns: LoadTurn[];
}

async function measure(ground: Ground, size: LoadSize): Promise<Measurements> {
  const groups = await gatherUsers(ground, size.users);
  const arms = await openArms(ground);
  const cells = size.connections.flatMap((connections) =>
    groups.flatMap((group) => arms.map((arm): Cell => ({ ...group, arm, connections, turns: [] }))),
  );
  for (let round = 0; round <= size.rounds; round++) {
    ground.progress(round === 0 ? 'warming up' : `round ${round} of ${size.rounds}`);
    for (const cell of cells) {
      const turn = await takeTurn(cell, size.seconds, ground.signal);
      if (round > 0) cell.turns.push(turn);
    }
  }
  const rows = cells.map(rowOf);
  return { rows, ratios: loadRatios(rows) };
}

async function gatherUsers({ stores, namespace }: Ground, wanted: LoadSize['users']) {
  const people = idsFrom(FIRST_USER, Math.max(...wanted.map(({ contacts }) => contacts)) + 1);
  await loadGraph(stores.pool, { users: people.map((id) => ({ id })), photos: onePhotoEach(people) });
  let next = 0;
  const groups: { readonly contacts: number; readonly users: readonly Id[] }[] = [];
  for (const { contacts, count } of wanted) {
    const places = Array.from({ length: count }, () => next++);
    for (const place of places) await loadGraph(stores.pool, { contacts: contactsOf(people, place, contacts) });
    groups.push({ contacts, users: places.map((place) => people[place] ?? '') });
  }
  await stores.pool.query('ANALYZE TABLE contacts, users, photos');
  const { keyPrefix: prefix, max } = namespace.config;
  const recipe = new RecipeIndex(stores.redis, { prefix, max });
  for (const { users } of groups) {
    await buildIndexes(stores, users);
    for (const user of users) await fillRecipeIndex(recipe, stores.contacts, user, max);
  }
  return groups;
}

async function openArms({ processGroup }: Ground): Promise<LoadedArm[]> {
  const one = await launchApi(processGroup);
  const two = await launchApi(processGroup, 'api of 2 workers', ['--workers', '2']);
  const variants = (['recipe', 'sql', 'empty_route'] as const).map(async (name) => ({
    name,
    ...(await startVariant(processGroup, name)),
  }));
  const served = await Promise.all(variants);
  await Promise.all([one.untilReady(), two.untilReady()]);
  return [{ name: 'recency', ...one }, { name: 'recency_2_workers', ...two }, ...served];
}

interface LoadTurn {
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
  /** ms of each answer. */
  readonly times: readonly number[];
}

async function takeTurn(cell: Cell, seconds: number, signal: AbortSignal): Promise<LoadTurn> {
  const { arm, users, connections } = cell;
  const clients = Array.from({ length: connections }, () => new MeasuringClient(arm.url));
  try {
    const before = await arm.member.usage();
    const from = performance.now();
    const times: number[] = [];
    let next = 0;
    const lane = async (client: MeasuringClient) => {
      while (performance.now() - from < seconds * 1000) {
        signal.throwIfAborted();
        const asked = performance.now();
        const path = `/v1/users/${users[next++ % users.length]}/contacts/recent`;
        const { status, body } = await client.get(path);
        if (status !== 200) throw new Error(`${arm.name} answered with ${status}: ${body}`);
        times.push(performance.now() - asked);
      }
    };
    await Promise.all(clients.map(lane));
    const took = (performance.now() - from) / 1000;
    const cpu = (await arm.member.usage()).cpuMicroseconds - before.cpuMicroseconds;
    return { perSecond: times.length / took, cpuMicroseconds: cpu / times.length, times };
  } finally {
    for (const client of clients) client.close();
  }
}

function rowOf({ arm, contacts, connections, turns }: Cell): LoadRow {
  const median = (values: readonly number[]) => quantile(values, 0.5);
  const of = (q: number) => rounded(median(turns.map(({ times }) => quantile(times, q))), 3);
  const cpu = arm.name === 'recency_2_workers' ? 0 : median(turns.map(({ cpuMicroseconds }) => cpuMicroseconds));
  return {
    ...{ contacts, connections, arm: arm.name },
    ...{ per_second: Math.round(median(turns.map(({ perSecond }) => perSecond))), cpu_us: Math.round(cpu) },
    ...{ p50_ms: of(0.5), p99_ms: of(0.99) },
  };
}

const MANY = 64;

/**
 * For the fewest and the most contacts, at 64 connections, or at the most if there are fewer.
 * @throws Error when an arm is missing
 */
export function loadRatios(rows: readonly LoadRow[]): Record<string, number> {
  const sizes = rows.map(({ contacts }) => contacts);
  const [few, many] = [Math.min(...sizes), Math.max(...sizes)];
  const connections = Math.min(MANY, Math.max(...rows.map((row) => row.connections)));
  const at = (arm: LoadArm, contacts: number) => {
    const is = (row: LoadRow) => row.arm === arm && row.contacts === contacts && row.connections === connections;
    const found = rows.find(is);
    if (found === undefined) throw new Error(`too little was measured: nothing of ${arm} at ${contacts} contacts`);
    return found;
  };
  const own = at('recency', few);
  return {
    rate_over_sql_64_10: rounded(own.per_second / at('sql', few).per_second),
    rate_over_sql_64_20000: rounded(at('recency', many).per_second / at('sql', many).per_second),
    cpu_over_sql: rounded(own.cpu_us / at('sql', few).cpu_us),
    p99_over_p50_64: rounded(own.p99_ms / own.p50_ms),
    workers_2_over_1: rounded(at('recency_2_workers', few).per_second / own.per_second),
  };
}
