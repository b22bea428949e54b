import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { createConnection } from 'mysql2/promise';
import { describe, expect, test } from 'vitest';
import { mysqlUrl } from '../support/servers.ts';
import { until } from '../support/until.ts';

/** A few minutes of `npm run prove -- --soak`, so that it is there when it is needed. */

const COMMAND = fileURLToPath(new URL('../../prove/main.ts', import.meta.url));
const TIMEOUT_MS = 600_000;

/** Both transports are taken in turns. */
const MINUTES = '3';

/** A soak in a process of its own, on the MySQL of the tests. */
class SoakCommand {
  stdout = '';
  stderr = '';
  readonly exitCode: Promise<number | null>;
  readonly #child: ChildProcess;

  constructor(...args: string[]) {
    const env = { ...process.env, RECENCY_MYSQL_URL: mysqlUrl(), CI: '', NO_COLOR: '1' };
    this.#child = spawn(process.execPath, [COMMAND, '--soak', ...args], { env });
    this.#child.stdout?.on('data', (text) => {
      this.stdout += text;
    });
    this.#child.stderr?.on('data', (text) => {
      this.stderr += text;
    });
    this.exitCode = new Promise((end) => this.#child.once('close', end));
  }

  interrupt(): void {
    this.#child.kill('SIGINT');
  }

  /** The name of its database. */
  get place(): string {
    return /recency_soak_[0-9a-f]+/.exec(this.stdout + this.stderr)?.[0] ?? '';
  }

  /** What is left of it. */
  async traces(): Promise<unknown[]> {
    const connection = await createConnection(mysqlUrl());
    const [databases] = await connection.query('SHOW DATABASES LIKE ?', [this.place]);
    await connection.end();
    const logs = resolve('.recency', `soak-${this.#child.pid}`);
    return [...(databases as unknown[]), ...(existsSync(logs) ? [logs] : [])];
  }
}

describe('a soak', { timeout: TIMEOUT_MS }, () => {
  test('finds nothing wrong, tells its figures, and leaves nothing', async () => {
    const soak = new SoakCommand(MINUTES, '--seed', '3', '--json');
    expect(await soak.exitCode, soak.stderr).toBe(0);
    const { seed, wrong, transports } = JSON.parse(soak.stdout);
    expect({ seed, wrong }).toEqual({ seed: 3, wrong: 0 });
    expect(Object.keys(transports)).toContain('streams');
    for (const played of Object.values(transports) as Record<string, number>[]) {
      const { rounds, changes = 0, deliveries, reads = 0, indexes = 0, answers = 0 } = played;
      expect(rounds).toBeGreaterThan(0);
      expect(Math.min(changes, reads, indexes, answers)).toBeGreaterThan(0);
      expect(deliveries, 'every task comes at least twice: the replay').toBeGreaterThan(changes);
    }
    expect(soak.place).not.toBe('');
    expect(await soak.traces()).toEqual([]);
  });

  test('leaves nothing when it is interrupted', async () => {
    const soak = new SoakCommand('5', '--transport', 'streams');
    await until(() => soak.place !== '', { timeout: TIMEOUT_MS });
    soak.interrupt();
    expect(await soak.exitCode, soak.stderr).toBe(1);
    expect(soak.stdout).toContain('interrupted');
    expect(soak.stdout).toMatch(/--seed \d+/);
    expect(await soak.traces()).toEqual([]);
  });

  test('refuses what is no number of minutes', async () => {
    expect(await new SoakCommand('soon').exitCode).toBe(2);
  });
});
