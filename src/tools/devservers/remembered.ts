/** Where detached servers are recorded, so that later commands find them. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import process from 'node:process';
import type { MissingServer } from './devservers.ts';
import type { LaunchedServer } from './server.ts';
import { RUN_PREFIX } from './supervisor/reaper.ts';

/** Servers that outlive the command which started them. */
export interface DetachedServers {
  /** The process id of their supervisor. */
  readonly owner: number;
  /** The folder of their data. */
  readonly dir: string;
  /** The folder that they were started for. */
  readonly folder: string;
  readonly parts: readonly LaunchedServer[];
  readonly missing: readonly MissingServer[];
}

/** The id that people use: the end of the name of the data folder. */
export function idOf({ dir }: Pick<DetachedServers, 'dir'>): string {
  return basename(dir).slice(RUN_PREFIX.length);
}

const NAME = 'stack.json';

/** In the project's folder, so that every working copy can have its own servers. */
const fileOf = (folder: string): string => resolve(folder, '.recency', NAME);

/**
 * Records the servers in the project's folder, and beside their data in the system's folder for temporary files: there they
 * are found from every folder while they run, and the record goes with the data.
 */
export function remember(servers: DetachedServers): void {
  mkdirSync(dirname(fileOf(servers.folder)), { recursive: true });
  for (const file of [join(servers.dir, NAME), fileOf(servers.folder)]) write(file, servers);
}

/** Atomic, because another command may read the file at any time. */
function write(file: string, servers: DetachedServers): void {
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(servers, null, 2)}\n`);
  renameSync(unfinished, file);
}

/** The servers recorded for the current folder, running or not: also after it was moved, but not where it was copied. */
export function recallHere(): DetachedServers | undefined {
  const folder = process.cwd();
  const servers = read(fileOf(folder));
  const isCopy = servers && servers.folder !== folder && read(fileOf(servers.folder))?.dir === servers.dir;
  return servers && !isCopy ? { ...servers, folder } : undefined;
}

/** All of this user's servers, whatever folder they were started for; their supervisors may have been killed. */
export function recallAll(): DetachedServers[] {
  const runs = readdirSync(tmpdir()).filter((name) => name.startsWith(RUN_PREFIX));
  return runs
    .map((name) => join(tmpdir(), name))
    .filter(isOurs)
    .flatMap((dir) => {
      const servers = read(join(dir, NAME));
      return servers === undefined ? [] : [{ ...servers, dir }]; // the folder it was found in, whatever the file says
    });
}

/** Anybody may create a folder among the temporary ones and name processes in it that we would end. */
function isOurs(dir: string): boolean {
  const found = lstatSync(dir, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.();
}

function read(file: string): DetachedServers | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as DetachedServers;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // removed in between
    throw error;
  }
}

export function forget({ folder, dir }: Pick<DetachedServers, 'folder' | 'dir'>): void {
  if (read(fileOf(folder))?.dir === dir) rmSync(fileOf(folder), { force: true });
}
