import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DetachedStatus } from '../../../src/tools/devservers/detached.ts';
import { jarsFolder, KAFKA_VERSION } from '../../../src/tools/devservers/launch/kafka-runtime.ts';
import { isAlive } from '../../../src/tools/devservers/supervisor/reaper.ts';

const LEASH = fileURLToPath(new URL('../../support/devservers-leash.ts', import.meta.url));
const COMMAND = fileURLToPath(new URL('../../support/devservers-command.ts', import.meta.url));

let folder: string;
let leash: ChildProcess;
let env: NodeJS.ProcessEnv;

/** The jars are the one thing that is shared, so that they are not fetched again. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'recency-up-'));
  mkdirSync(join(folder, '.recency'));
  if (existsSync(jarsFolder())) symlinkSync(jarsFolder(), join(folder, '.recency', `kafka-${KAFKA_VERSION}`));
  // Stacks are known by what lies among the temporary files: this test has some of its own.
  mkdirSync(join(folder, 'tmp'));
  env = { ...process.env, TMPDIR: join(folder, 'tmp') };
  leash = spawn(process.execPath, [LEASH], { cwd: folder, env, detached: true, stdio: ['pipe', 'ignore', 'inherit'] });
});

afterEach(async () => {
  const exit = once(leash, 'exit');
  leash.stdin?.end();
  expect(await exit).toEqual([0, null]);
});

/** Runs in a process of its own, which is gone when this returns. */
function stack(command: 'up' | 'down' | 'status', cwd = folder, ...args: string[]): unknown {
  const output = execFileSync(process.execPath, [COMMAND, command, ...args], {
    ...{ cwd, env },
    encoding: 'utf8',
    timeout: 240_000,
  });
  return JSON.parse(output);
}

const file = () => resolve(folder, '.recency', 'stack.json');
const remembered = () => JSON.parse(readFileSync(file(), 'utf8')) as { owner: number; dir: string };
const stacks = (cwd = folder) => stack('status', cwd) as DetachedStatus[];
const status = () => stacks().flatMap(({ parts }) => parts);

describe('servers that outlive their command', { timeout: 600_000 }, () => {
  it('answer until they are taken down, and are gone then', () => {
    const lines = stack('up') as string[];
    expect(lines).toContainEqual(
      expect.stringMatching(/^export RECENCY_MYSQL_URL=mysql:\/\/root@[\d.]+:\d+\/recency$/),
    );
    expect(lines).toContainEqual(expect.stringMatching(/^export RECENCY_REDIS_URL=redis:\/\/[\d.]+:\d+$/));
    const parts = status();
    expect(parts.map(({ answers }) => answers)).not.toContain(false);
    expect(stack('up')).toEqual(lines);
    // From another folder they are seen, not ended. It has servers of its own, also where it is a copy of this one.
    const other = join(folder, 'other');
    mkdirSync(other);
    expect(stacks(other)).toMatchObject([
      { folder, here: false, parts: parts.map(({ url }) => ({ url, answers: true })) },
    ]);
    cpSync(join(folder, '.recency'), join(other, '.recency'), { recursive: true });
    expect(stack('down', other)).toEqual([]);
    const others = stack('up', other, 'redis') as string[];
    for (const line of others) expect(lines).not.toContain(line);
    expect(stacks()).toMatchObject([
      { folder, here: true },
      { folder: other, here: false },
    ]);
    expect(stack('down', other)).toEqual([other]);
    expect(stacks()).toMatchObject([{ folder, here: true }]);
    const { dir } = remembered();
    expect(stack('down')).toEqual([folder]);
    expect(existsSync(file())).toBe(false);
    expect(existsSync(dir)).toBe(false);
    expect(parts.filter(({ pid }) => pid !== undefined && isAlive(pid))).toEqual([]);
    expect(stacks()).toEqual([]);
    expect(stack('down')).toEqual([]);
    expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
  });

  it('are taken down also when the process that owned them was killed', () => {
    stack('up', folder, 'mysql', 'redis');
    const parts = status();
    const { owner, dir } = remembered();
    process.kill(owner, 'SIGKILL');
    expect(stack('down')).toEqual([folder]);
    expect(existsSync(dir)).toBe(false);
    expect(parts.filter(({ pid }) => pid !== undefined && isAlive(pid))).toEqual([]);
  });

  it('are started anew when those remembered are gone', () => {
    stack('up', folder, 'redis');
    const { owner } = remembered();
    process.kill(owner, 'SIGKILL');
    stack('up', folder, 'redis');
    expect(remembered().owner).not.toBe(owner);
    const [own] = stacks();
    expect(own?.parts.map(({ answers }) => answers)).not.toContain(false);
    // They can be ended from anywhere.
    expect(stack('down', tmpdir(), own?.id ?? '')).toEqual([folder]);
    expect(stacks()).toEqual([]);
    expect(existsSync(file())).toBe(false);
  });
});
