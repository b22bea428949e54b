import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { createConnection } from 'mysql2/promise';
import { describe, expect, test } from 'vitest';
import type { DemoReport } from '../../../src/tools/demo/report.ts';
import { removeKeys } from '../../../src/tools/harness/remove-traces.ts';
import { DemoCommand, isAlive } from '../../support/demo-command.ts';
import { loggedMysql, WITH_GTIDS } from '../../support/logged-mysql.ts';
import { mysqlUrl } from '../../support/servers.ts';
import { freshRedis } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

const TIMEOUT_MS = 180_000;

const logged = loggedMysql(WITH_GTIDS);

const redis = await freshRedis();

/** What is left of a demonstration on servers that it did not start. */
async function tracesOf(namespace: string): Promise<string[]> {
  const connection = await createConnection(mysqlUrl());
  const [databases] = await connection.query('SHOW DATABASES LIKE ?', [namespace]);
  await connection.end();
  const keys: string[] = [];
  if ('scanStream' in redis) for await (const some of redis.scanStream({ match: `*${namespace}*` })) keys.push(...some);
  return [...(databases as object[]).map((row) => JSON.stringify(row)), ...keys];
}

/** What nobody was left to remove. */
async function removeTraces(namespace: string): Promise<void> {
  const connection = await createConnection(mysqlUrl());
  await connection.query('DROP DATABASE IF EXISTS ??', [namespace]);
  await connection.end();
  await removeKeys(redis, `${namespace}:*`);
}

const logsOf = (demo: DemoCommand): string => resolve('.recency', `demo-${demo.pid}`);

describe('recency demo', () => {
  test('--json tells one object at last, right, and leaves nothing', { timeout: TIMEOUT_MS }, async () => {
    const demo = new DemoCommand('--json', '--seed', '7');
    expect(await demo.exitCode, demo.stderr).toBe(0);
    const lines = demo.stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(1);
    const report = JSON.parse(lines[0] ?? '') as DemoReport;
    expect(report).toMatchObject({ transport: 'streams', users: 1_204, reads_wrong: 0, withdrawal_right: true });
    expect(report.verify).toMatchObject({ wrong: 0, answers_wrong: 0, unsettled: 0 });
    expect(report.verify.kinds).toMatchObject({ contacts: { users: 604 }, groups: { users: expect.any(Number) } });
    expect(report.verify.kinds?.groups?.users).toBeGreaterThan(14);
    expect([report.groups, report.memberships, report.group_photos].every((value) => value > 2)).toBe(true);
    expect(report.reads_of_groups).toBeGreaterThan(0);
    expect(report.reads_of_both_kinds).toBeGreaterThan(0);
    expect(report.tasks).toBeGreaterThan(300);
    expect(report.delivered).toBeGreaterThan(report.tasks);
    expect(report.reads).toBeGreaterThan(0);
    expect(report.latency.map(({ contacts }) => contacts)).toEqual([10, 1_000, 1_200]);
    for (const row of report.latency) expect(Math.min(...Object.values(row))).toBeGreaterThan(0);
    expect([report.bytes_per_user, report.contacts, report.seconds].every((value) => value > 0)).toBe(true);
    expect([report.mysql, report.redis].every((version) => /\d/.test(version))).toBe(true);
    expect(demo.stderr).toContain('Nothing was wrong');
    expect(demo.namespace).not.toBe('');
    expect(await tracesOf(demo.namespace)).toEqual([]);
    expect(existsSync(logsOf(demo))).toBe(false);
  });

  test('--feed capture is right without a row in the outbox', { timeout: TIMEOUT_MS }, async () => {
    const demo = new DemoCommand({ mysql: logged.server.url }, '--json', '--feed', 'capture');
    expect(await demo.exitCode, demo.stderr).toBe(0);
    const report = JSON.parse(demo.stdout) as DemoReport;
    expect(report).toMatchObject({ feed: 'capture', outbox_rows: 0, reads_wrong: 0, withdrawal_right: true });
    expect(report.verify).toMatchObject({ wrong: 0, answers_wrong: 0, unsettled: 0 });
    expect(report.push).toMatchObject({ missed: 0, wrong_ids: 0, not_visible: 0 });
    expect(report.tasks).toBeGreaterThan(300);
  });

  test('refuses what it does not know, and does nothing', { timeout: TIMEOUT_MS }, async () => {
    for (const args of [
      ['--transport', 'pigeons'],
      ['--users', '3'],
      ['--seconds', 'x'],
      ['--many', '3'],
    ]) {
      const demo = new DemoCommand(...args);
      expect(await demo.exitCode).toBe(2);
      expect(demo.stdout).toBe('');
      expect(demo.stderr).toContain(args[0]);
    }
  });

  test('takes the people of a file, and as few as two', { timeout: TIMEOUT_MS }, async () => {
    const dir = mkdtempSync(join(tmpdir(), 'recency-demo-test-'));
    const file = join(dir, 'edges.txt');
    writeFileSync(file, 'src dst time\n9007199254740993 7 1082040961\n7 9007199254740993 1082040962\n');
    const demo = new DemoCommand('--json', '--data', file);
    expect(await demo.exitCode, demo.stderr).toBe(0);
    rmSync(dir, { recursive: true });
    expect(JSON.parse(demo.stdout)).toMatchObject({
      users: 1_204,
      reads_wrong: 0,
      verify: { wrong: 0, answers_wrong: 0 },
    });
  });

  test('with a file that cannot be read says so, and leaves nothing', { timeout: TIMEOUT_MS }, async () => {
    const demo = new DemoCommand('--data', 'no-such-file.txt');
    expect(await demo.exitCode).toBe(1);
    expect(demo.stderr).toContain('no-such-file.txt cannot be read');
    expect(demo.stderr).not.toContain('    at ');
    expect(await tracesOf(demo.namespace)).toEqual([]);
  });
});

describe.runIf(process.platform === 'linux')('a demonstration that is ended', () => {
  async function atWork(): Promise<{ demo: DemoCommand; children: number[] }> {
    const demo = new DemoCommand('--seconds', '60');
    await until(() => demo.stdout.includes('backfilled'), {
      timeout: 120_000,
      what: 'the demonstration to be at work',
    });
    const children = demo.children();
    expect(children.length).toBeGreaterThanOrEqual(4);
    return { demo, children };
  }

  test.each(['SIGINT', 'SIGTERM'] as const)('by %s leaves nothing', { timeout: TIMEOUT_MS }, async (signal) => {
    const { demo, children } = await atWork();
    demo.kill(signal);
    expect(await demo.exitCode).toBe(1);
    expect(children.filter(isAlive)).toEqual([]);
    expect(await tracesOf(demo.namespace)).toEqual([]);
    expect(existsSync(logsOf(demo))).toBe(false);
  });

  test('by SIGKILL leaves no process', { timeout: TIMEOUT_MS }, async () => {
    const { demo, children } = await atWork();
    demo.kill('SIGKILL');
    await demo.exitCode;
    await until(() => children.filter(isAlive).length === 0, { timeout: 30_000, what: 'its processes to end' });
    await removeTraces(demo.namespace);
  });

  test('by the death of one of its processes says which, and leaves nothing', { timeout: TIMEOUT_MS }, async () => {
    const { demo, children } = await atWork();
    process.kill(Math.min(...children), 'SIGKILL');
    expect(await demo.exitCode).toBe(1);
    expect(demo.stderr).toMatch(/ended by itself \(SIGKILL\)/);
    expect(children.filter(isAlive)).toEqual([]);
    expect(await tracesOf(demo.namespace)).toEqual([]);
  });
});
