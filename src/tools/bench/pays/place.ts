import { scanKeys } from '../../../redis/masters.ts';
import { createDenormalised, denormalisedBytes } from '../../denormalised/table.ts';
import { launchApi } from '../../harness/processes/launch-api.ts';
import { modulePath, type ProcessGroup, RECENCY, type ServiceProcess } from '../../harness/processes/process-group.ts';
import { bytesOfKeys } from '../../harness/stores.ts';
import { startUpdater } from '../../harness/variants/start-updater.ts';
import { startVariant } from '../../harness/variants/start-variant.ts';
import { loadGraph } from '../../reference-site/load-graph.ts';
import { type Ground, openGround } from '../bench.ts';
import { buildIndexes, onePhotoEach } from '../circle.ts';
import { serverSeconds } from './server-seconds.ts';
import { type Person, tiesOf } from './site.ts';

/**
 * - `never`: plain SQL, and nothing that applies tasks
 * - `denormalised`: last uploads in an indexed column of MySQL, which its own updater and its own API use; the settings mean nothing
 */
export const ARMS = {
  always: { INDEX_ABOVE: '0', KEEP: '1000000' },
  never: { INDEX_ABOVE: '0', KEEP: '0' },
  default: { INDEX_ABOVE: '64', KEEP: '1' },
  denormalised: { INDEX_ABOVE: '0', KEEP: '0' },
} as const;

export type PaysArm = keyof typeof ARMS;

/** Where an arm is at home: a database, a prefix, and the processes that apply tasks. */
export interface Home {
  readonly arm: PaysArm;
  readonly ground: Ground;
  readonly appliers: readonly ServiceProcess[];
}

/** A home whose API answers. */
export interface Place extends Pick<Home, 'arm' | 'ground'> {
  readonly url: string;
  readonly processes: readonly ServiceProcess[];
  readonly close: () => Promise<void>;
}

export async function settleIn(
  { servers, install, signal, progress }: Ground,
  resources: AsyncDisposableStack,
  { arm, people }: { arm: PaysArm; people: readonly Person[] },
): Promise<Home> {
  const settings = { ...ARMS[arm], SAMPLE_RATE: '0' }; // which reads at its own pace
  const ground = await openGround({ transport: 'streams', servers, install, resources, signal, progress, settings });
  const { stores } = ground;
  const users = people.map(({ user }) => user);
  await loadGraph(stores.pool, {
    users: users.map((id) => ({ id })),
    contacts: tiesOf(people),
    photos: onePhotoEach(users),
  });
  await stores.pool.query('ANALYZE TABLE contacts, users, photos');
  if (arm === 'denormalised') await createDenormalised(stores.pool, signal);
  if (arm === 'always') await buildIndexes(stores, users);
  return { arm, ground, appliers: startAppliers(ground, arm) };
}

function startAppliers({ processGroup }: Ground, arm: PaysArm): ServiceProcess[] {
  const start = (name: string) => processGroup.start({ name: `${name} of ${arm}`, module: RECENCY, args: [name] });
  if (arm === 'never') return [];
  return [start('relay'), arm === 'denormalised' ? startUpdater(processGroup, `updater of ${arm}`) : start('consume')];
}

/** Starts an API for one load. @param dayMs how long a day is played, a whole number */
export async function openPlace({ arm, ground, appliers }: Home, load: string, dayMs: number): Promise<Place> {
  const { processGroup } = ground;
  const { url, member } = await startApi(processGroup, arm, { name: `api of ${arm}, ${load}`, dayMs });
  return { arm, ground, url, processes: [member, ...appliers], close: () => processGroup.stop(member) };
}

async function startApi(
  processGroup: ProcessGroup,
  arm: PaysArm,
  { name, dayMs }: { readonly name: string; readonly dayMs: number },
): Promise<{ readonly url: string; readonly member: ServiceProcess }> {
  if (arm === 'denormalised') return await startVariant(processGroup, arm, name);
  const api = await launchApi(processGroup, name, [], [modulePath(import.meta.url, './main'), String(dayMs)]);
  await api.untilReady();
  return api;
}

/** Processor time so far, s. */
export async function workOf({ ground, processes }: Place): Promise<number> {
  const own = await Promise.all(processes.map((member) => member.usage()));
  const service = own.reduce((sum, { cpuMicroseconds }) => sum + cpuMicroseconds / 1e6, 0);
  return service + (await serverSeconds(ground));
}

/** What the arm keeps: indexes in Redis, or a table in MySQL. */
export async function memoryOf({ arm, ground: { stores, namespace } }: Place) {
  let [bytes, keysFound] = [0, 0];
  for await (const keys of scanKeys(stores.redis, `${namespace.config.keyPrefix}:{*}:*:[zm]`)) {
    bytes += await bytesOfKeys(stores.redis, keys);
    keysFound += keys.length;
  }
  const kept = arm === 'denormalised' ? await denormalisedBytes(stores.pool) : { table: 0, index: 0 };
  return { bytes, indexes: keysFound / 2, mysqlBytes: kept.table + kept.index };
}
