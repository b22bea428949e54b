import { SERVED_ARMS } from '../../harness/arms/served-arm.ts';
import { startArm } from '../../harness/arms/start-arm.ts';
import { type Arm, type LatencyRow, measureLatency } from '../../harness/latency.ts';
import { MeasuringClient } from '../../harness/measuring-client.ts';
import { launchApi } from '../../harness/processes/launch-api.ts';
import type { Bench } from '../bench.ts';
import type { Ground } from '../ground.ts';
import { type Measured, rounded } from '../report.ts';
import { bareSql, redisScript } from './parts.ts';
import { gatherReaders } from './readers.ts';

export interface ReadSize {
  readonly contacts: readonly number[];
  /** Ordinary users besides. */
  readonly ordinary: number;
  readonly rounds: number;
  /** Requests to one arm for one user in a round at the most, and ms after which no further one is sent. */
  readonly requests: number;
  readonly budgetMs: number;
  readonly warmUp: number;
}

/** One answer over HTTP, on one connection, one request after the other. */
export const read: Bench<ReadSize> = {
  name: 'read',
  summary: 'µs that an answer over HTTP takes, for users with few and with very many contacts',
  transport: 'streams',
  full: {
    contacts: [10, 1_000, 20_000, 100_000],
    ordinary: 5_000,
    rounds: 20,
    requests: 20,
    budgetMs: 60,
    warmUp: 300,
  },
  quick: { contacts: [10, 100, 500, 1_000], ordinary: 50, rounds: 1, requests: 3, budgetMs: 60, warmUp: 3 },
  measure,
};

/** Those over HTTP, and the parts that no answer can do without. */
const ARMS = ['recency', ...SERVED_ARMS, 'redis_script', 'bare_sql'] as const;
export type ReadArm = (typeof ARMS)[number];

async function measure(ground: Ground, size: ReadSize): Promise<Measured> {
  const { tell, signal } = ground;
  const users = await gatherReaders(ground, size);
  const arms = await openArms(
    ground,
    users.map(({ user }) => user),
  );
  tell(`users with ${size.contacts.join(', ')} contacts; ${size.rounds} rounds`);
  const { rounds, requests, budgetMs, warmUp } = size;
  const rows = await measureLatency({ arms, users, rounds, requests, budgetMs, warmUp, signal });
  return { rows: rows.flatMap(rowsOf), ratios: readRatios(rows) };
}

async function openArms(ground: Ground, users: readonly string[]): Promise<Arm<ReadArm>[]> {
  const { fleet, resources } = ground;
  const api = await launchApi(fleet);
  const [served] = await Promise.all([Promise.all(SERVED_ARMS.map((name) => startArm(fleet, name))), api.untilReady()]);
  const over = (url: string) => resources.adopt(new MeasuringClient(url), (client) => client.close());
  return [
    { name: 'recency', client: over(api.url) },
    ...SERVED_ARMS.map((name, place) => ({ name, client: over(served[place]?.url ?? '') })),
    { name: 'redis_script', client: redisScript(ground) },
    { name: 'bare_sql', client: await bareSql(ground, users) },
  ];
}

function rowsOf({ contacts, arms }: LatencyRow<ReadArm>) {
  const microseconds = (ms: number) => Math.round(ms * 1_000);
  return ARMS.map((arm) => {
    const { p50, p99 } = arms[arm];
    return { contacts, arm, p50_us: microseconds(p50), p99_us: microseconds(p99) };
  });
}

/** At four numbers of contacts, the third of which (20,000) names the ratios. */
export function readRatios(rows: readonly Pick<LatencyRow<ReadArm>, 'arms'>[]): Record<string, number> {
  const [fewest, , heavy, most] = rows;
  if (fewest === undefined || heavy === undefined || most === undefined) throw new Error('too little was measured');
  const { recency, recipe, recipe_hinted, sql, empty_route, redis_script, bare_sql } = heavy.arms;
  return {
    flatness: rounded(most.arms.recency.p50 / fewest.arms.recency.p50),
    over_parts: rounded(recency.p50 / (empty_route.p50 + redis_script.p50 + bare_sql.p50)),
    sql_over_recency_20000: rounded(sql.p50 / recency.p50),
    recipe_over_recency_20000: rounded(recipe.p50 / recency.p50),
    recipe_hinted_over_recency_20000: rounded(recipe_hinted.p50 / recency.p50),
  };
}
