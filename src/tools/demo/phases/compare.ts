import type { Database } from '../../../mysql/database.ts';
import { fillRecipeIndex } from '../../harness/arms/fill-recipe-index.ts';
import { RecipeIndex } from '../../harness/arms/recipe-index.ts';
import { startArm } from '../../harness/arms/start-arm.ts';
import { type LatencyRow, measureLatency } from '../../harness/latency.ts';
import { MeasuringClient } from '../../harness/measuring-client.ts';
import type { Fleet } from '../../harness/processes/fleet.ts';
import type { Progress } from '../story/step-progress.ts';
import type { World } from '../world.ts';

const ROUNDS = 30;
const REQUESTS = 6;
const BUDGET_MS = 60;
const WARM_UP = 200;

/** The latency table: Recency's own API, and the two others each in a process of its own, on the same servers. */
export async function compare(
  world: World,
  fleet: Fleet,
  database: Database,
  progress: Progress,
): Promise<LatencyRow[]> {
  const { place, redis, cast, services } = world;
  const index = new RecipeIndex(redis, { prefix: place.config.keyPrefix, max: place.config.max });
  await Promise.all(cast.measured.map(({ user }) => fillRecipeIndex(index, database, user, place.config.max)));
  const processes = await Promise.all((['sql', 'recipe'] as const).map((name) => startArm(fleet, name)));
  const clients = [...processes.map(({ url }) => url), services.apiUrl].map((url) => new MeasuringClient(url));
  const arms = (['sql', 'recipe', 'recency'] as const).flatMap((name, i) => {
    const client = clients[i];
    return client === undefined ? [] : [{ name, client }];
  });
  try {
    const onRound = (done: number) => progress(done, ROUNDS);
    const limits = { rounds: ROUNDS, requests: REQUESTS, budgetMs: BUDGET_MS, warmUp: WARM_UP };
    return await measureLatency({ arms, users: cast.measured, ...limits, onRound, signal: world.signal });
  } finally {
    for (const client of clients) client.close();
    await Promise.all(processes.map(({ member }) => fleet.stop(member)));
  }
}
