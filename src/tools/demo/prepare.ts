import pino from 'pino';
import { migrate } from '../../mysql/migrate.ts';
import { HttpClient } from '../harness/http.ts';
import { type Place, placeOn } from '../harness/place.ts';
import { Fleet } from '../harness/processes/fleet.ts';
import type { ProcessLogs } from '../harness/processes/process-logs.ts';
import { removeTraces } from '../harness/remove-traces.ts';
import { describeServers, type Servers, startServers } from '../harness/servers.ts';
import { settle } from '../harness/settle.ts';
import { openRigStores, type RigStores } from '../harness/stores.ts';
import type { DemoOptions } from './options.ts';
import { backfillAll } from './phases/backfill.ts';
import { type Population, populate } from './phases/populate.ts';
import { Journal } from './play/journal.ts';
import { rememberSite } from './play/site-state.ts';
import { Services } from './processes/services.ts';
import { type Random, seededRandom } from './random.ts';
import { count } from './story/layout.ts';
import type { Story } from './story/story.ts';
import { tellPopulation } from './tell.ts';
import type { World } from './world.ts';

/** What the whole of a demonstration shares. */
export interface Telling {
  readonly options: DemoOptions;
  readonly story: Story;
  readonly logs: ProcessLogs;
  /** Closed at the end, the last first. */
  readonly resources: AsyncDisposableStack;
  /** Aborted when the demonstration is to end. */
  readonly signal: AbortSignal;
  /** Ends it, when it cannot go on. */
  readonly fail: (reason: Error) => void;
}

/** Everything is running, and every user has an index. */
export interface Prepared {
  readonly servers: Servers;
  readonly population: Population;
  readonly stores: RigStores;
  readonly fleet: Fleet;
  readonly world: World;
}

/** From nothing to a site in use: servers, schema, people, processes, indexes. */
export async function prepare(telling: Telling): Promise<Prepared> {
  const { options, story, resources, signal } = telling;
  const servers = await story.step('servers', () => startServers(options), describeServers);
  resources.defer(() => servers.stack.stop());
  if (servers.missing !== undefined) story.warn(`no Kafka here, so Redis Streams carry the tasks: ${servers.missing}`);
  const place = placeOn(servers.stack, { purpose: 'demo', transport: servers.transport });
  resources.defer(() => removeTraces(servers, place));
  await story.step(
    'schema',
    () => migrate({ url: place.config.mysqlUrl }),
    ({ database }) => `${database} made`,
  );
  const logger = pino({ level: 'silent' });
  const stores = await openRigStores(place, { logger, resources, signal });
  const random = seededRandom(options.seed);
  const population = await story.step('people', () => populate(stores.pool, options, random), tellPopulation);
  const { fleet, services } = await story.step(
    'processes',
    () => startProcesses(telling, place, population, stores),
    () =>
      `the API, the relay and two consumers; ${place.transport === 'kafka' ? 'Kafka carries' : 'Redis Streams carry'} the tasks`,
  );
  const world = await worldOf({ place, stores, random, population, services, signal });
  resources.defer(async () => world.api.close());
  await story.step('indexes', (progress) => backfillAll(stores.jobs, progress), tellIndexes, 'users');
  return { servers, population, stores, fleet, world };
}

/** They begin before the indexes are built: a group that had consumed nothing while there are indexes would have lost tasks. */
async function startProcesses(
  { options, logs, resources, fail, signal }: Telling,
  place: Place,
  { cast }: Population,
  { raiseBarrier }: RigStores,
): Promise<{ fleet: Fleet; services: Services }> {
  const fleet = new Fleet(place, logs);
  resources.defer(() => fleet.stopAll());
  fleet.failed.catch(fail);
  const services = await Services.start(fleet, { seed: options.seed, spared: cast.star });
  await settle(raiseBarrier, signal);
  return { fleet, services };
}

async function worldOf(parts: {
  place: Place;
  stores: RigStores;
  random: Random;
  population: Population;
  services: Services;
  signal: AbortSignal;
}): Promise<World> {
  const { place, stores, random, population, services, signal } = parts;
  const { pool, redis, raiseBarrier } = stores;
  const journal = new Journal(() => performance.now());
  await rememberSite(pool, journal);
  const api = new HttpClient(services.apiUrl);
  return { place, pool, redis, random, cast: population.cast, journal, services, api, raiseBarrier, signal };
}

function tellIndexes({ users, seconds }: { users: number; seconds: number }): string {
  return `${count(users)} users backfilled, ${count(users / seconds)} a second`;
}
