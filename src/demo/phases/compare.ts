import type { Id } from '../../contracts/id.ts';
import type { Database } from '../../mysql/database.ts';
import { readPlain } from '../../mysql/live-contacts.ts';
import { RecipeIndex } from '../../rig/arms/recipe-index.ts';
import { type ArmName, type LatencyRow, measureLatency } from '../../rig/latency.ts';
import { MeasuringClient } from '../../rig/measuring-client.ts';
import type { Fleet } from '../../rig/processes/fleet.ts';
import type { ServiceProcess } from '../../rig/processes/service-process.ts';
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
  const processes = (['sql', 'recipe'] as const).map((name) => startArm(fleet, name));
  const urls = await Promise.all(processes.map(({ url }) => url));
  const clients = [...urls, services.apiUrl].map((url) => new MeasuringClient(url));
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

/** As uploads would have left it, the oldest first. */
async function fillRecipeIndex(index: RecipeIndex, database: Database, user: Id, max: number): Promise<void> {
  const top = await readPlain(database, { user, relation: 'any', limit: max, below: undefined });
  for (const contact of top.toReversed()) await index.add(user, contact);
}

function startArm(fleet: Fleet, name: Exclude<ArmName, 'recency'>): { member: ServiceProcess; url: Promise<string> } {
  const member = fleet.start({
    name,
    module: '../arms/main',
    args: [name],
    settings: { HOST: '127.0.0.1', PORT: '0' },
  });
  const listens = new Promise<string>((resolve) => {
    member.onMessage((message) => resolve((message as { url: string }).url));
  });
  return { member, url: Promise.race([listens, member.failed]) };
}
