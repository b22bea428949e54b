import pino from 'pino';
import { KIND_NAMES, KINDS } from '../../contracts/kind.ts';
import { migrate } from '../../mysql/migrate.ts';
import type { BackfillResult } from '../../repair/backfill.ts';
import { HttpClient } from '../harness/http.ts';
import { type Namespace, namespaceOn } from '../harness/namespace.ts';
import { mappingFileOf, untilCaptured } from '../harness/processes/capturing.ts';
import { ProcessGroup } from '../harness/processes/process-group.ts';
import type { ProcessLogs } from '../harness/processes/process-logs.ts';
import { removeTraces } from '../harness/remove-traces.ts';
import { describeServers, type Servers, startServers } from '../harness/servers.ts';
import { type HarnessStores, openHarnessStores, settle } from '../harness/stores.ts';
import { ALL_KINDS_MAPPING } from '../reference-site/capture-mapping.ts';
import { count } from './layout.ts';
import type { DemoOptions } from './options.ts';
import { backfillAll } from './phases/jobs.ts';
import { type Population, populate } from './phases/populate.ts';
import { Journal, rememberSite } from './play/journal.ts';
import { Services } from './processes/services.ts';
import { seededRandom } from './random.ts';
import { formatPopulation } from './report.ts';
import type { Story } from './story.ts';
import type { World } from './world.ts';

/** Everybody has an index, for good: they are what is shown and checked. The endpoint of the watches is in this process. */
const SETTINGS = { KINDS: KIND_NAMES.join(','), INDEX_ABOVE: '0', KEEP: '1000000', WEBHOOK_ALLOW_PRIVATE: 'true' };

/** What all steps of a demonstration share. */
export interface DemoRun {
  readonly options: DemoOptions;
  readonly story: Story;
  readonly logs: ProcessLogs;
  readonly resources: AsyncDisposableStack;
  readonly signal: AbortSignal;
  /** Ends the demonstration with an error. */
  readonly fail: (reason: Error) => void;
}

export interface Prepared {
  readonly servers: Servers;
  readonly population: Population;
  readonly stores: HarnessStores;
  readonly processGroup: ProcessGroup;
  readonly world: World;
}

/** Starts everything: servers, schema, people, processes, indexes. */
export async function prepare(run: DemoRun): Promise<Prepared> {
  const { options, story, resources, signal } = run;
  const servers = await story.step('servers', () => startServers(options), describeServers);
  resources.defer(() => servers.stack.stop());
  if (servers.missing !== undefined)
    story.warn(`Kafka is not available, so Redis Streams carry the tasks: ${servers.missing}`);
  const namespace = namespaceOn(servers.stack, { purpose: 'demo', transport: servers.transport, settings: SETTINGS });
  resources.defer(() => removeTraces(servers, namespace));
  await story.step(
    'schema',
    () => migrate({ url: namespace.config.mysqlUrl, kinds: KINDS }),
    ({ database }) => `${database} created`,
  );
  const logger = pino({ level: 'silent' });
  const stores = await openHarnessStores(namespace, { logger, resources, signal, feed: options.feed });
  const random = seededRandom(options.seed);
  const population = await story.step('people', () => populate(stores.pool, options, random), formatPopulation);
  const { processGroup, services } = await story.step(
    'processes',
    () => startProcesses(run, namespace, population, stores),
    () =>
      `the API, ${options.feed === 'capture' ? 'capture of the binary log' : 'the relay'} and two consumers; ${namespace.transport === 'kafka' ? 'Kafka carries' : 'Redis Streams carry'} the tasks`,
  );
  const { pool, redis, raiseBarrier, bulkLag } = stores;
  const journal = new Journal(() => performance.now());
  await rememberSite(pool, journal);
  const api = new HttpClient(services.apiUrl);
  const { cast, groups } = population;
  const world = { namespace, pool, redis, random, cast, groups, journal, services, api, raiseBarrier, bulkLag, signal };
  await story.step('indexes', (progress) => backfillAll(stores.jobs, progress), formatIndexes, 'users');
  return { servers, population, stores, processGroup, world };
}

/**
 * Runs before the indexes are built: a group that has consumed nothing although indexes exist would look like lost
 * tasks.
 */
async function startProcesses(
  { options: { seed, feed }, logs, resources, fail, signal }: DemoRun,
  namespace: Namespace,
  { cast }: Population,
  { primary, raiseBarrier }: HarnessStores,
): Promise<{ processGroup: ProcessGroup; services: Services }> {
  const processGroup = new ProcessGroup(namespace, logs);
  resources.defer(() => processGroup.stopAll());
  processGroup.failed.catch(fail);
  const mapping = feed === 'capture' ? mappingFileOf(ALL_KINDS_MAPPING, resources) : undefined;
  const services = await Services.start(processGroup, { seed, spared: cast.star, mapping });
  if (mapping !== undefined) await untilCaptured(primary, processGroup);
  await settle(raiseBarrier, signal);
  return { processGroup, services };
}

function formatIndexes({ users, seconds, kinds }: BackfillResult): string {
  const each = Object.entries(kinds ?? {}).map(([kind, counts]) => `${count(counts.users)} of ${kind}`);
  return `${count(users)} indexes backfilled (${each.join(', ')}), ${count(users / seconds)} per second`;
}
