/** Servers that outlive the command that started them: what `recency stack` does. */
import { existsSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DevServersOptions, gatherServers, wantedOf } from './devservers.ts';
import { SETTING, type Variables } from './given.ts';
import { findDocker } from './launch/container.ts';
import { probeByName } from './probe.ts';
import { type DetachedServers, forget, idOf, recallAll, recallHere, remember } from './remembered.ts';
import type { LaunchedServer } from './server.ts';
import { isSupervisor, removeRun, supervisorOf } from './supervisor/reaper.ts';
import { Supervisor } from './supervisor/supervisor.ts';

const DOWN_TIMEOUT = 60_000;

/**
 * Starts the servers, all by default, so that they outlive this process, or returns those of this folder that already run. Those of
 * another folder are left alone: its databases may be of another version. Addresses in the environment are ignored: `recency stack`
 * means local servers. Throws what `startDevServers` throws.
 */
export async function bringUp(options: DevServersOptions = {}): Promise<DetachedServers> {
  const here = recallHere();
  if (here !== undefined && isRunning(here)) return here;
  if (here !== undefined) await end(here);
  return await startDetached(options);
}

export function runningServers(): DetachedServers[] {
  const running = recallAll().filter(isRunning);
  return running.sort((a, b) => Number(isHere(b)) - Number(isHere(a)) || a.folder.localeCompare(b.folder));
}

function isHere({ folder }: Pick<DetachedServers, 'folder'>): boolean {
  return folder === process.cwd();
}

async function startDetached(options: DevServersOptions): Promise<DetachedServers> {
  const supervisor = new Supervisor();
  try {
    const environment = withoutGiven(options.environment ?? process.env);
    const { parts, missing } = await gatherServers(wantedOf(options), supervisor, { ...options, environment });
    const { pid: owner, dir } = supervisor;
    const servers = { owner, dir, folder: process.cwd(), parts: parts as LaunchedServer[], missing };
    remember(servers);
    await supervisor.detach();
    return servers;
  } catch (error) {
    await supervisor.end();
    throw error;
  }
}

function withoutGiven(environment: Variables): Variables {
  const settings = Object.values(SETTING).flatMap((name) => [name, `${name}_FILE`]);
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !settings.includes(name)));
}

export function exportLines({ parts }: Pick<DetachedServers, 'parts'>): string[] {
  return parts.map(({ name, url }) => `export ${SETTING[name]}=${url}`);
}

/**
 * Ends servers that {@link bringUp} started and removes their data.
 * @param which the ones of this folder (default), those with this id, or all of this user
 * @returns what was recorded, ended or not
 * @throws why some could not be ended, after ending all that could
 */
export async function takeDown(which: { id?: string | undefined; all?: boolean } = {}): Promise<DetachedServers[]> {
  const selected = select(which);
  const failures: unknown[] = [];
  for (const servers of selected) await end(servers).catch((error: unknown) => failures.push(error));
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join('\n'));
  return selected;
}

function select({ id, all = false }: { id?: string | undefined; all?: boolean }): DetachedServers[] {
  const here = recallHere();
  if (!all && id === undefined) return here === undefined ? [] : [here];
  const known = [...recallAll(), ...(here === undefined ? [] : [here])];
  const distinct = known.filter(({ dir }, i) => known.findIndex((other) => other.dir === dir) === i);
  return all ? distinct : distinct.filter((servers) => idOf(servers) === id);
}

async function end(servers: DetachedServers): Promise<void> {
  if (isRunning(servers)) await endSupervisor(servers);
  if (existsSync(servers.dir)) await removeLeftovers(servers);
  forget(servers);
}

async function endSupervisor({ owner, dir }: DetachedServers): Promise<void> {
  try {
    process.kill(owner, 'SIGTERM');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it just ended by itself
  }
  const deadline = performance.now() + DOWN_TIMEOUT;
  while (existsSync(dir) && isSupervisor(owner)) {
    if (performance.now() > deadline)
      throw new Error(`the servers did not end in time; their supervisor is process ${owner}`);
    await sleep(20);
  }
}

async function removeLeftovers({ dir, parts }: DetachedServers): Promise<void> {
  await removeRun(dir);
  const ids = parts.map(({ container }) => container).filter((id) => id !== undefined);
  if (ids.length === 0) return;
  const docker = await findDocker();
  if (typeof docker === 'string') throw new Error(`containers may be left over, but ${docker}`);
  const left = (await docker.client.container.list()).filter(({ Id }) => ids.includes(Id));
  for (const { Id } of left) await docker.client.container.getById(Id).remove({ force: true, v: true });
}

export type ServerStatus = LaunchedServer & { readonly answers: boolean };

export interface DetachedStatus {
  readonly id: string;
  readonly folder: string;
  readonly here: boolean;
  readonly parts: readonly ServerStatus[];
}

/** The state of all servers that {@link bringUp} started, this folder's first. */
export async function detachedStatus(): Promise<readonly DetachedStatus[]> {
  const here = recallHere();
  const others = runningServers().filter(({ dir }) => dir !== here?.dir);
  return Promise.all(
    [...(here === undefined ? [] : [here]), ...others].map(async (servers) => ({
      id: idOf(servers),
      folder: servers.folder,
      here: isHere(servers),
      parts: await Promise.all(servers.parts.map(async (part) => ({ ...part, answers: await answers(part) }))),
    })),
  );
}

function answers({ name, url }: LaunchedServer): Promise<boolean> {
  return probeByName[name](url).then(
    () => true,
    () => false,
  );
}

/** Compares more than the process id, which another process may have by now, and the folder may predate a reboot. */
const isRunning = ({ owner, dir }: DetachedServers): boolean => supervisorOf(dir) === owner && isSupervisor(owner);
