import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  isAlive,
  processesIn,
  RUN_PREFIX,
  reap,
  SUPERVISOR_FILE,
} from '../../../src/tools/devservers/supervisor/reaper.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'recency-reap-'));
  vi.stubEnv('TMPDIR', folder);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

function run(name: string, owner?: number): string {
  const dir = join(folder, RUN_PREFIX + name);
  mkdirSync(join(dir, 'redis-1'), { recursive: true });
  if (owner !== undefined) writeFileSync(join(dir, SUPERVISOR_FILE), `${owner}`);
  return dir;
}

async function endedProcess(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid ?? 0;
}

describe('what killed owners left behind', () => {
  it('is removed, and nothing else', async () => {
    const orphaned = run('orphaned', await endedProcess());
    const owned = run('owned', process.pid);
    const justMade = run('just-made');
    const abandoned = run('abandoned');
    utimesSync(abandoned, 0, 0);
    const foreign = join(folder, 'another');
    mkdirSync(foreign);
    await reap();
    expect([orphaned, abandoned].map((dir) => existsSync(dir))).toEqual([false, false]);
    expect([owned, justMade, foreign].map((dir) => existsSync(dir))).toEqual([true, true, true]);
  });

  it.runIf(process.platform === 'linux')('is ended first, where it still runs', async () => {
    const dir = run('orphaned', await endedProcess());
    const server = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { cwd: join(dir, 'redis-1') });
    const exit = once(server, 'exit');
    expect(processesIn(dir)).toEqual([server.pid]);
    await reap();
    expect((await exit)[1]).toBe('SIGKILL');
    expect(existsSync(dir)).toBe(false);
  });
});

describe('taking down every stack', () => {
  const command = fileURLToPath(new URL('../../support/devservers-command.ts', import.meta.url));

  function remembered(name: string, owner: number, parts: unknown = []): string {
    const dir = run(name, owner);
    writeFileSync(join(dir, 'stack.json'), JSON.stringify({ owner, dir, folder, parts, missing: [] }));
    return dir;
  }
  const down = () =>
    execFileSync(process.execPath, [command, 'down-all'], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });

  it.runIf(process.platform === 'linux')('ends nobody who has the process id of an owner by now', async () => {
    const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const ended = once(stranger, 'exit');
    const dir = remembered('one', stranger.pid ?? 0);
    down();
    expect(existsSync(dir)).toBe(false);
    expect(isAlive(stranger.pid ?? 0)).toBe(true);
    stranger.kill();
    await ended;
  });

  it('ends the others where one cannot be ended, and says why', async () => {
    const owner = await endedProcess();
    remembered('a', owner, 'no list');
    const other = remembered('b', owner);
    remembered('c', owner, 'no list');
    expect(down).toThrow(/TypeError.*\n?.*TypeError/s);
    expect(existsSync(other)).toBe(false);
  });
});
