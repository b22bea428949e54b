/** Programs of this machine: finding them, running them, and installing them with apt-get. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import process from 'node:process';

/** Folders of servers that an ordinary user's path leaves out. */
const MORE_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/usr/local/bin', '/usr/bin', '/opt/homebrew/bin'];

/** The full path of the first of these programs that is on the path, or undefined. */
export function findProgram(...names: readonly string[]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...MORE_FOLDERS];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** MySQL and MariaDB refuse to run as root unless an option allows it. */
export const asRoot = (): readonly string[] => (process.getuid?.() === 0 ? ['--user=root'] : []);

export interface ProgramOptions {
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Ends the program when it aborts. */
  readonly signal?: AbortSignal;
}

/** Runs a program to its end and returns what it printed. Throws with its first and last lines when it fails. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, environment, signal }: ProgramOptions = {},
): Promise<string> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
    cwd,
    signal,
    killSignal: 'SIGKILL',
  });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => printed.push(chunk));
  const [code, killedBy] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  const output = Buffer.concat(printed).toString();
  if (code !== 0) throw new Error(`${program} failed (${killedBy ?? `exit ${code}`}):\n${bothEnds(output)}`);
  return output;
}

/** The end of a log without the frames of Java's stack traces. */
export function lastLines(text: string, count = 12): string {
  return linesOf(text).slice(-count).join('\n');
}

/** The beginning and the end: what has failed often stands first, and general advice after it. */
export function bothEnds(text: string, count = 12): string {
  const lines = linesOf(text);
  if (lines.length <= 2 * count) return lines.join('\n');
  return [...lines.slice(0, count), `… ${lines.length - 2 * count} lines …`, ...lines.slice(-count)].join('\n');
}

const linesOf = (text: string): string[] =>
  text
    .trimEnd()
    .split('\n')
    .filter((line) => !/^\t(at|\.\.\.) /.test(line));

/** Debian's maintainer scripts run this before they start a service; exit code 101 forbids it. */
const POLICY = '/usr/sbin/policy-rc.d';
const FORBID_SERVICES = '#!/bin/sh\nexit 101\n';

/** One installation at a time; two would wait for the same lock anyway. */
let queue: Promise<unknown> = Promise.resolve();
let listsAreFresh = false;

/** Why packages cannot be installed here; undefined if they can. */
export function aptUnavailable(): string | undefined {
  if (process.getuid?.() !== 0) return 'not root, so nothing is installed';
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  if (!/^ID(_LIKE)?=.*(debian|ubuntu)/m.test(release) || findProgram('apt-get') === undefined) {
    return 'not Debian or Ubuntu, so nothing is installed';
  }
  return undefined;
}

/**
 * Installs Debian packages without questions and without starting their services. Throws with apt's last lines.
 * It is never interrupted: a half-configured package is worse than a wait.
 */
export function aptInstall(packages: readonly string[]): Promise<void> {
  const installation = queue.then(() => withoutServices(() => install(packages)));
  queue = installation.catch(() => undefined); // the caller gets the error; the next installation does not depend on it
  return installation;
}

async function install(packages: readonly string[]): Promise<void> {
  const options = ['-qq', '-o', 'DPkg::Lock::Timeout=300'];
  const environment = { DEBIAN_FRONTEND: 'noninteractive' };
  if (!listsAreFresh) await runProgram('apt-get', ['update', ...options], { environment });
  listsAreFresh = true;
  const flags = ['install', '-y', '--no-install-recommends', ...options];
  await runProgram('apt-get', [...flags, ...packages], { environment });
}

/** Keeps services from starting while `work` runs. An existing policy stays as it is; ours is removed afterwards. */
export async function withoutServices(work: () => Promise<void>, policy = POLICY): Promise<void> {
  if (existsSync(policy)) return work();
  await writeFile(policy, FORBID_SERVICES, { mode: 0o755, flag: 'wx' });
  try {
    await work();
  } finally {
    await rm(policy, { force: true });
  }
}
