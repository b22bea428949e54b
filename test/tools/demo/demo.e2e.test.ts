import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { createConnection } from 'mysql2/promise';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { DemoReport } from '../../../src/tools/demo/report.ts';
import { removeKeys } from '../../../src/tools/harness/remove-traces.ts';
import { DemoCommand, isAlive, namespaceIn } from '../../support/demo-command.ts';
import { runInProcess } from '../../support/in-process.ts';
import { IS_LONG, shortOrLong } from '../../support/length.ts';
import { loggedMysql, WITH_GTIDS } from '../../support/logged-mysql.ts';
import { mysqlUrl, redisUrl } from '../../support/servers.ts';
import { freshRedis } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

const TIMEOUT_MS = 600_000;

const logged = loggedMysql(WITH_GTIDS);

const redis = await freshRedis();

/** For what ends before any process is started, or is not about processes. */
const demoHere = (...args: string[]) =>
  runInProcess(['demo', ...args], { MYSQL_URL: mysqlUrl(), REDIS_URL: redisUrl() });

/** What is left of a demonstration on servers that it did not start. */
async function tracesOf(namespace: string, mysql = mysqlUrl()): Promise<string[]> {
  const connection = await createConnection(mysql);
  const [databases] = await connection.query('SHOW DATABASES LIKE ?', [namespace]);
  await connection.end();
  const keys: string[] = [];
  const scanned = 'scanStream' in redis ? redis.scanStream({ match: `*${namespace}*`, count: 10_000 }) : [];
  for await (const some of scanned) keys.push(...some);
  return [...(databases as object[]).map((row) => JSON.stringify(row)), ...keys];
}

/** What nobody was left to remove. */
async function removeTraces(namespace: string): Promise<void> {
  const connection = await createConnection(mysqlUrl());
  await connection.query('DROP DATABASE IF EXISTS ??', [namespace]);
  await connection.end();
  await removeKeys(redis, `${namespace}:*`);
}

/** Everybody in the site; in the long form those of them who have contacts. */
const PEOPLE = shortOrLong(63, 1_204);
const INDEXED = 604;

const logsOf = (demo: DemoCommand): string => resolve('.recency', `demo-${demo.pid}`);

async function expectNoTraces(demo: DemoCommand, mysql = mysqlUrl()): Promise<void> {
  expect(demo.stderr).toContain('Nothing was wrong');
  expect(demo.namespace).not.toBe('');
  expect(await tracesOf(demo.namespace, mysql)).toEqual([]);
  expect(existsSync(logsOf(demo))).toBe(false);
}

/** Users with an index of this kind, when everything was verified. */
const usersOf = ({ verify }: DemoReport, kind: 'contacts' | 'groups'): number => verify.kinds?.[kind]?.users ?? 0;

/** The one line of its output. Expects that all that it says of the story is right. */
function reportIn(stdout: string): DemoReport {
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(1);
  const report = JSON.parse(lines[0] ?? '') as DemoReport;
  expect(report).toMatchObject({ transport: 'streams', users: PEOPLE, reads_wrong: 0, withdrawal_right: true });
  expect(report.verify).toMatchObject({ wrong: 0, answers_wrong: 0, unsettled: 0 });
  expect(Math.min(usersOf(report, 'contacts'), usersOf(report, 'groups'))).toBeGreaterThan(0);
  expect(report.push).toMatchObject({ missed: 0, wrong_ids: 0, not_visible: 0 });
  expect([report.groups, report.memberships, report.group_photos].every((value) => value > 0)).toBe(true);
  expect(report.reads_of_groups).toBeGreaterThan(0);
  expect(report.reads_of_both_kinds).toBeGreaterThan(0);
  expect(report.tasks).toBeGreaterThan(40);
  expect(report.delivered).toBeGreaterThanOrEqual(report.tasks);
  expect(report.reads).toBeGreaterThan(0);
  expect(report.latency.map(({ contacts }) => contacts)).toEqual(shortOrLong([10, 60], [10, 1_000, 1_200]));
  for (const row of report.latency) expect(Math.min(...Object.values(row))).toBeGreaterThan(0);
  expect([report.bytes_per_user, report.contacts, report.seconds].every((value) => value > 0)).toBe(true);
  expect([report.mysql, report.redis].every((version) => /\d/.test(version))).toBe(true);
  return report;
}

describe('recency demo', () => {
  // In the short form the page's test runs this one to its end, and the next one has the report.
  test.runIf(IS_LONG)(
    '--json tells one object at last, right, and leaves nothing',
    { timeout: TIMEOUT_MS },
    async () => {
      const demo = new DemoCommand('--json', '--seed', '7');
      expect(await demo.exitCode, demo.stderr).toBe(0);
      const report = reportIn(demo.stdout);
      expect(usersOf(report, 'contacts')).toBe(INDEXED);
      expect(usersOf(report, 'groups')).toBeGreaterThan(14);
      expect([report.groups, report.memberships, report.group_photos].every((value) => value > 1)).toBe(true);
      expect(report.delivered).toBeGreaterThan(report.tasks);
      await expectNoTraces(demo);
    },
  );

  test('--feed capture is right without a row in the outbox, among people of a file, be they two', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const dir = mkdtempSync(join(tmpdir(), 'recency-demo-test-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const file = join(dir, 'edges.txt');
    writeFileSync(file, 'src dst time\n9007199254740993 7 1082040961\n7 9007199254740993 1082040962\n');
    const own = { mysql: logged.server.url };
    const demo = new DemoCommand(own, '--json', '--feed', 'capture', '--data', file);
    expect(await demo.exitCode, demo.stderr).toBe(0);
    expect(reportIn(demo.stdout)).toMatchObject({ feed: 'capture', outbox_rows: 0 });
    await expectNoTraces(demo, own.mysql);
  });

  test('refuses what it does not know, and does nothing', async () => {
    for (const args of [
      ['--transport', 'pigeons'],
      ['--users', '3'],
      ['--seconds', 'x'],
      ['--many', '3'],
    ]) {
      const { code, stdout, stderr } = await demoHere(...args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(args[0]);
    }
  });

  test('with a file that cannot be read says so, and leaves nothing', async () => {
    const { code, stdout, stderr } = await demoHere('--transport', 'streams', '--data', 'no-such-file.txt');
    expect(code).toBe(1);
    expect(stderr).toContain('no-such-file.txt cannot be read');
    expect(stderr).not.toContain('    at ');
    const namespace = namespaceIn(stdout);
    expect(namespace).not.toBe('');
    expect(await tracesOf(namespace)).toEqual([]);
  });
});

describe.runIf(process.platform === 'linux')('a demonstration that is ended', () => {
  async function atWork(): Promise<{ demo: DemoCommand; children: number[] }> {
    const demo = new DemoCommand('--seconds', '60');
    await until(() => demo.stdout.includes('backfilled'), {
      what: 'the demonstration to be at work',
    });
    const children = demo.children();
    expect(children.length).toBeGreaterThanOrEqual(4);
    return { demo, children };
  }

  test.each(shortOrLong(['SIGINT'], ['SIGINT', 'SIGTERM']) as NodeJS.Signals[])(
    'by %s leaves nothing',
    { timeout: TIMEOUT_MS },
    async (signal) => {
      const { demo, children } = await atWork();
      demo.kill(signal);
      expect(await demo.exitCode).toBe(1);
      expect(children.filter(isAlive)).toEqual([]);
      expect(await tracesOf(demo.namespace)).toEqual([]);
      expect(existsSync(logsOf(demo))).toBe(false);
    },
  );

  test('by SIGKILL leaves no process', { timeout: TIMEOUT_MS }, async () => {
    const { demo, children } = await atWork();
    demo.kill('SIGKILL');
    await demo.exitCode;
    await until(() => children.filter(isAlive).length === 0, { what: 'its processes to end' });
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
