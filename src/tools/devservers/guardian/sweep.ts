import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';

/** The folders that owners of servers keep their data in begin like this. */
export const RUN_PREFIX = 'recency-stack-';
/** Holds the process id of the owner. */
export const OWNER_FILE = 'owner.pid';
/** What an owner runs, in a command line of which each part ends with a NUL: `main` beside this file, of whichever version. */
const OWNER_SCRIPT = /\/guardian\/main\.[jt]s\0/;
/** Milliseconds that a new owner gets to write its file. */
const GRACE = 60_000;

/** How often it is looked whether what was killed has ended, and the milliseconds in between. */
const LOOKS = 250;
const BETWEEN_LOOKS_MS = 20;

/** Ends what owners left behind that were themselves killed, together with those they served. */
export async function sweep(): Promise<void> {
  const runs = readdirSync(tmpdir()).filter((name) => name.startsWith(RUN_PREFIX));
  for (const dir of runs.map((name) => join(tmpdir(), name))) {
    if (isOrphaned(dir)) await removeRun(dir);
  }
}

function isOrphaned(dir: string): boolean {
  const folder = statSync(dir, { throwIfNoEntry: false });
  if (folder === undefined || folder.uid !== process.getuid?.()) return false;
  const owner = ownerOf(dir);
  return owner === undefined ? Date.now() - folder.mtimeMs > GRACE : !isAlive(owner);
}

/** The process id of the owner of a folder, or undefined. */
export function ownerOf(dir: string): number | undefined {
  try {
    return Number(readFileSync(join(dir, OWNER_FILE), 'utf8'));
  } catch {
    return undefined; // not written yet, or just removed by its owner
  }
}

/** Whether a process with this id runs, ours or not. One that has ended and waits for its parent does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether a process with this id runs that owns servers. Without Linux's /proc: whether any runs. */
export function isGuardian(pid: number): boolean {
  return isAlive(pid) && (!existsSync('/proc/self/cmdline') || OWNER_SCRIPT.test(commandOf(pid)));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // gone in between
  }
}

function isZombie(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false; // no Linux, or gone in between
  }
}

/** Kills the servers that belong to the folder, waits for their end, and removes it. */
export async function removeRun(dir: string): Promise<void> {
  const pids = processesIn(dir);
  for (const pid of pids) kill(pid);
  for (let looks = 0; looks < LOOKS && pids.some(isAlive); looks++) await pause(BETWEEN_LOOKS_MS);
  await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // else it ended by itself just now
  }
}

/**
 * The processes that work in a folder or write their output to it, by Linux's /proc; none elsewhere. Neither command
 * line nor environment would do: a server may write over both.
 */
export function processesIn(dir: string): number[] {
  const pids = readdirOrNone('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => ['cwd', 'fd/1'].some((link) => targetOf(pid, link).startsWith(dir + sep)));
}

function readdirOrNone(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function targetOf(pid: number, link: string): string {
  try {
    return readlinkSync(`/proc/${pid}/${link}`);
  } catch {
    return ''; // it has ended, or is somebody else's
  }
}
