/** Removes what killed supervisors left behind, together with the processes that started them. */
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

export const RUN_PREFIX = 'recency-stack-';
export const SUPERVISOR_FILE = 'owner.pid';
/**
 * The script in a supervisor's command line, of which each part ends with a NUL. Versions before this one called the folder
 * `guardian`, and their servers may still run.
 */
const SUPERVISOR_SCRIPT = /\/(?:supervisor|guardian)\/main\.[jt]s\0/;
const GRACE = 60_000;

/** How often, and with which pause in ms, it is checked whether killed processes have ended. */
const CHECKS = 250;
const CHECK_INTERVAL = 20;

/** Removes all orphaned runs: those whose supervisor no longer runs. */
export async function reap(): Promise<void> {
  const runs = readdirSync(tmpdir()).filter((name) => name.startsWith(RUN_PREFIX));
  for (const dir of runs.map((name) => join(tmpdir(), name))) {
    if (isOrphaned(dir)) await removeRun(dir);
  }
}

function isOrphaned(dir: string): boolean {
  const folder = statSync(dir, { throwIfNoEntry: false });
  if (folder === undefined || folder.uid !== process.getuid?.()) return false;
  const supervisor = supervisorOf(dir);
  return supervisor === undefined ? Date.now() - folder.mtimeMs > GRACE : !isAlive(supervisor);
}

/** The process id of a folder's supervisor; undefined if its file is not written yet, or was just removed. */
export function supervisorOf(dir: string): number | undefined {
  const pid = contentOf(join(dir, SUPERVISOR_FILE));
  return pid === undefined ? undefined : Number(pid);
}

/** Whether a process with this id runs, ours or not. A zombie does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) Z /.test(contentOf(`/proc/${pid}/stat`) ?? '');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether the process with this id is a supervisor. Without Linux's /proc: whether it runs. */
export function isSupervisor(pid: number): boolean {
  return (
    isAlive(pid) &&
    (!existsSync('/proc/self/cmdline') || SUPERVISOR_SCRIPT.test(contentOf(`/proc/${pid}/cmdline`) ?? ''))
  );
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // not there, or gone in between
  }
}

/** Kills the servers that belong to the folder, waits for their end, and removes it. */
export async function removeRun(dir: string): Promise<void> {
  const pids = processesIn(dir);
  for (const pid of pids) kill(pid);
  for (let checks = 0; checks < CHECKS && pids.some(isAlive); checks++) await sleep(CHECK_INTERVAL);
  await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it just ended by itself
  }
}

/**
 * The processes that work in a folder or write their output to it, by Linux's /proc; none elsewhere. Neither command
 * line nor environment would do: a server may overwrite both.
 */
export function processesIn(dir: string): number[] {
  const pids = existsSync('/proc') ? readdirSync('/proc').map(Number).filter(Number.isInteger) : [];
  return pids.filter((pid) => ['cwd', 'fd/1'].some((link) => targetOf(pid, link).startsWith(dir + sep)));
}

function targetOf(pid: number, link: string): string {
  try {
    return readlinkSync(`/proc/${pid}/${link}`);
  } catch {
    return ''; // it has ended, or belongs to another user
  }
}
