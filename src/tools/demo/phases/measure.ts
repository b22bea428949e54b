import type { Id } from '../../../contracts/id.ts';
import { KeyNames } from '../../../index/redis/keys.ts';
import type { KindDatabase } from '../../../mysql/statements/kind-statements.ts';
import { type LatencyRow, measureLatency } from '../../harness/latency.ts';
import { MeasuringClient } from '../../harness/measuring-client.ts';
import type { ProcessGroup } from '../../harness/processes/process-group.ts';
import { bytesOfKeys } from '../../harness/stores.ts';
import { fillRecipeIndex, RecipeIndex } from '../../harness/variants/recipe.ts';
import { startVariant } from '../../harness/variants/start-variant.ts';
import { shuffled } from '../random.ts';
import type { ReportProgress } from '../story.ts';
import type { World } from '../world.ts';

const REQUESTS = 6;
const BUDGET_MS = 60;

/** Requests to each variant before anything counts, for each round. */
const WARM_UP = 7;

interface ComparisonOptions {
  readonly processGroup: ProcessGroup;
  readonly database: KindDatabase;
  readonly rounds: number;
}

/**
 * Measures the latency table: Recency's API and the two other variants, each in its own process, on the same servers.
 */
export async function compare(
  world: World,
  { processGroup, database, rounds }: ComparisonOptions,
  progress: ReportProgress,
): Promise<LatencyRow[]> {
  const { namespace, redis, cast, services } = world;
  const index = new RecipeIndex(redis, { prefix: namespace.config.keyPrefix, max: namespace.config.max });
  await Promise.all(cast.measured.map(({ user }) => fillRecipeIndex(index, database, user, namespace.config.max)));
  const processes = await Promise.all((['sql', 'recipe'] as const).map((name) => startVariant(processGroup, name)));
  const clientOf = (i: number) => new MeasuringClient(processes[i]?.url ?? services.apiUrl);
  const variants = (['sql', 'recipe', 'recency'] as const).map((name, i) => ({ name, client: clientOf(i) }));
  try {
    const onRound = (done: number) => progress(done, rounds);
    const limits = { rounds, requests: REQUESTS, budgetMs: BUDGET_MS, warmUp: WARM_UP * rounds };
    return await measureLatency({ variants, users: cast.measured, ...limits, onRound, signal: world.signal });
  } finally {
    for (const { client } of variants) client.close();
    await Promise.all(processes.map(({ member }) => processGroup.stop(member)));
  }
}

/** Memory of an index in Redis, keys included, bytes. */
export interface IndexMemory {
  /** Mean of a few hundred users, most of whom have fewer contacts than an index can hold. */
  readonly mean: number;
  /** For the user with the most contacts, whose index has the maximum size. */
  readonly full: number;
  readonly fullSize: number;
}

const USERS_ASKED = 500;

type Measured = Pick<World, 'redis' | 'namespace' | 'cast' | 'random'>;

export async function measureMemory({ redis, namespace, cast, random }: Measured): Promise<IndexMemory> {
  const { keyPrefix, max } = namespace.config;
  const names = new KeyNames(keyPrefix);
  const asked = shuffled(random, cast.followersOfStar).slice(0, USERS_ASKED);
  const bytesOf = (users: readonly Id[]) =>
    bytesOfKeys(
      redis,
      users.flatMap((user) => [names.set(user), names.meta(user)]),
    );
  const mean = Math.round((await bytesOf(asked)) / Math.max(1, asked.length));
  const most = cast.measured.at(-1);
  const full = most === undefined ? 0 : await bytesOf([most.user]);
  return { mean, full, fullSize: Math.min(max, most?.contacts ?? 0) };
}
