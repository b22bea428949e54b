import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findDocker, RUN_LABEL } from '../../../src/tools/devservers/launch/container.ts';
import type { LaunchedServer } from '../../../src/tools/devservers/server.ts';
import { isAlive } from '../../../src/tools/devservers/supervisor/reaper.ts';
import { until } from '../../support/until.ts';

const HOLDER = fileURLToPath(new URL('../../support/devservers-holder.ts', import.meta.url));

/** What the holder says, line by line. */
interface Said {
  readonly line?: string;
  readonly parts?: LaunchedServer[];
}

let folder: string;
let holder: ChildProcess | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'recency-ends-'));
});

afterEach(() => {
  holder?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Everything that the stack writes lies in a folder of the test's own, so that what is left over shows. */
function hold(...args: string[]): ChildProcess {
  holder = spawn(process.execPath, [HOLDER, ...args], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return holder;
}

async function firstLine(child: ChildProcess, accept: (said: Said) => boolean): Promise<Said> {
  if (child.stdout === null) throw new Error('the holder has no output');
  for await (const line of createInterface(child.stdout)) {
    const said = JSON.parse(line) as Said;
    if (accept(said)) return said;
  }
  throw new Error('the holder ended too early');
}

async function expectNothingLeft(parts: readonly LaunchedServer[]): Promise<void> {
  const alive = () => parts.filter(({ pid }) => pid !== undefined && isAlive(pid)).map(({ name }) => name);
  const left = async () => [
    ...alive(),
    ...readdirSync(folder),
    ...processesOf(folder),
    ...(await containersOf(folder)),
  ];
  await until(async () => (await left()).length === 0, { what: 'no server and no data left' });
}

/** Command lines that name the folder, where /proc tells. */
function processesOf(dir: string): string[] {
  const pids = process.platform === 'linux' ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  return pids
    .filter((pid) => pid !== `${process.pid}`)
    .map(commandLine)
    .filter((line) => line.includes(dir));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

async function containersOf(dir: string): Promise<string[]> {
  if (process.env.STACK_FROM === 'programs') return [];
  const docker = await findDocker();
  if (typeof docker === 'string') return [];
  const containers = await docker.client.container.list();
  return containers.map(({ Labels }) => Labels[RUN_LABEL] ?? '').filter((run) => run.startsWith(dir));
}

describe('a process that holds a stack leaves nothing behind', () => {
  it.each([
    ['SIGINT', 'without-kafka'],
    ['SIGTERM', 'without-kafka'],
    ['SIGHUP', 'without-kafka'],
    ['SIGKILL', 'with-kafka'],
  ] as const)('when it is ended by %s, %s', async (signal, servers) => {
    const child = hold(servers);
    const { parts = [] } = await firstLine(child, (said) => said.parts !== undefined);
    expect(parts.map(({ name }) => name)).toEqual(expect.arrayContaining(['mysql', 'redis']));
    child.kill(signal);
    await expectNothingLeft(parts);
  });

  it('when it crashes', async () => {
    const child = hold('throw', 'without-kafka');
    const exit = once(child, 'exit');
    const { parts = [] } = await firstLine(child, (said) => said.parts !== undefined);
    expect((await exit)[0]).not.toBe(0);
    await expectNothingLeft(parts);
  });

  it('when it is killed while the servers are starting', async () => {
    const child = hold();
    await firstLine(child, (said) => said.line?.startsWith('Redis') ?? false);
    child.kill('SIGKILL');
    await expectNothingLeft([]);
  });

  it('when it is killed right at the start', async () => {
    const child = hold('without-kafka');
    await until(() => readdirSync(folder).length > 0, { interval: 1, what: 'the stack’s folder' });
    child.kill('SIGKILL');
    await expectNothingLeft([]);
  });
});
