import { readFileSync } from 'node:fs';
import pino from 'pino';
import type { Id } from '../../src/contracts/id.ts';
import { KIND_NAMES, KINDS } from '../../src/contracts/kind.ts';
import { migrate } from '../../src/mysql/migrate.ts';
import type { Cast } from '../../src/tools/demo/graph.ts';
import { DEFAULTS } from '../../src/tools/demo/options.ts';
import { backfillAll } from '../../src/tools/demo/phases/jobs.ts';
import { populate } from '../../src/tools/demo/phases/populate.ts';
import { Journal, rememberSite } from '../../src/tools/demo/play/journal.ts';
import { type Random, seededRandom } from '../../src/tools/demo/random.ts';
import type { DevServers } from '../../src/tools/devservers/devservers.ts';
import { type RunningServer, startRedis } from '../../src/tools/devservers/start-server.ts';
import { type Namespace, namespaceOn, type TransportName } from '../../src/tools/harness/namespace.ts';
import type { ProcessLogs } from '../../src/tools/harness/processes/process-logs.ts';
import { removeTraces } from '../../src/tools/harness/remove-traces.ts';
import { type HarnessStores, openHarnessStores } from '../../src/tools/harness/stores.ts';
import { AnyApi } from './any-api.ts';
import { SoakCounts } from './counts.ts';
import { Crew } from './crew.ts';
import { gatherCrowd } from './crowd.ts';
import { Diary } from './diary.ts';
import type { SoakOptions } from './options.ts';

/** A site with Recency on one transport: its Redis, its database, its processes, and the records of them. */
export interface World {
  readonly transport: TransportName;
  readonly namespace: Namespace;
  /** Not shared: it is flushed and killed. */
  readonly redis: RunningServer;
  readonly stores: HarnessStores;
  readonly cast: Cast;
  readonly groups: readonly Id[];
  readonly journal: Journal;
  readonly crew: Crew;
  readonly api: AnyApi;
  readonly random: Random;
  readonly counts: SoakCounts;
  readonly diary: Diary;
  readonly signal: AbortSignal;
}

export interface Opening extends Pick<SoakOptions, 'seed' | 'people' | 'print' | 'signal'> {
  /** MySQL, and Kafka for that transport. */
  readonly stack: DevServers;
  readonly logs: ProcessLogs;
  /** Closed at the end in reverse order. */
  readonly resources: AsyncDisposableStack;
}

/** Contacts of the user who has the most, for each of the people. */
const MOST_PER_PERSON = 8;

/** Indexes as small as the settings allow, so that many are capped and run low; and everybody has one, for good. */
const SETTINGS = { MAX: '12', MIN: '10', INDEX_ABOVE: '0', KEEP: '1000000', KINDS: KIND_NAMES.join(',') };

/** Starts everything, and builds every index. */
export async function openWorld(transport: TransportName, opening: Opening): Promise<World> {
  const { stack, logs, resources, seed, people, print, signal } = opening;
  const redis = await startRedis({ install: true });
  resources.defer(() => redis.remove());
  const servers = { ...stack, redisUrl: redis.url };
  const namespace = namespaceOn(servers, { purpose: 'soak', transport, settings: SETTINGS });
  resources.defer(() => removeTraces({ stack, transport, missing: undefined }, namespace));
  print(`${transport}: database, keys and topic ${namespace.config.topic}, Redis at ${new URL(redis.url).host}`);
  await migrate({ url: namespace.config.mysqlUrl, kinds: KINDS });
  const stores = await openHarnessStores(namespace, { logger: pino({ level: 'silent' }), resources, signal });
  const random = seededRandom(seed);
  const site = { ...DEFAULTS, users: people, most: MOST_PER_PERSON * people };
  const { cast, groups } = await populate(stores.pool, site, random);
  await gatherCrowd(stores.pool, cast.star); // an audience of more than a page
  const journal = new Journal(() => performance.now());
  await rememberSite(stores.pool, journal);
  const [counts, diary] = [new SoakCounts(), new Diary()];
  const onGaveUp = (name: string, { message }: Error) => {
    counts.gaveUp++;
    diary.note(message);
    print(`${message}: ${lastLineOf(logs.fileOf(name))}`);
  };
  const crew = new Crew({ namespace, logs, random, onGaveUp });
  resources.defer(() => crew.stopAll());
  await crew.start(signal);
  await backfillAll(stores.jobs, () => undefined);
  const api = new AnyApi(() => crew.apis);
  return { transport, namespace, redis, stores, cast, groups, journal, crew, api, random, counts, diary, signal };
}

function lastLineOf(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').at(-1) ?? '';
}
