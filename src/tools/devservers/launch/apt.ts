import { existsSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { findProgram } from './find-program.ts';
import { runProgram } from './run-program.ts';

/** Asked by Debian's maintainer scripts before they start a service; 101 forbids it. */
const POLICY = '/usr/sbin/policy-rc.d';
const FORBID_SERVICES = '#!/bin/sh\nexit 101\n';

/** One installation at a time; two would wait for the same lock anyway. */
let queue: Promise<unknown> = Promise.resolve();
let listsAreFresh = false;

/** Why packages cannot be installed here; undefined where they can. */
export function aptUnavailable(): string | undefined {
  if (process.getuid?.() !== 0) return 'not root, so nothing is installed';
  if (!/^ID(_LIKE)?=.*(debian|ubuntu)/m.test(osRelease()) || findProgram('apt-get') === undefined) {
    return 'no Debian or Ubuntu, so nothing is installed';
  }
  return undefined;
}

function osRelease(): string {
  return existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
}

/**
 * Installs Debian packages without a question and without starting their services. Throws with apt's last lines.
 * It is never cut short: a half-configured package is worse than a wait.
 */
export function aptInstall(packages: readonly string[]): Promise<void> {
  const installation = queue.then(() => withoutServices(() => install(packages)));
  queue = installation.catch(() => undefined); // its caller hears of it; the next in the queue does not depend on it
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

/** Leaves a policy that is already there as it is, and none of its own behind. */
export async function withoutServices(work: () => Promise<void>, policy = POLICY): Promise<void> {
  if (existsSync(policy)) return work();
  await writeFile(policy, FORBID_SERVICES, { mode: 0o755, flag: 'wx' });
  try {
    await work();
  } finally {
    await rm(policy, { force: true });
  }
}
