import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { runCli, type Settings } from '../../support/cli.ts';
import { loggedMysql, WITH_GTIDS } from '../../support/logged-mysql.ts';
import { hasKafka, kafkaBrokers, mysqlUrl, redisUrl } from '../../support/servers.ts';

/** What `bench --json` prints, as INTERFACE has it. The figures of such small runs mean nothing, and none is looked at. */
const report = z.strictObject({
  bench: z.string(),
  machine: z.looseObject({ cores: z.int().positive(), node: z.string() }),
  servers: z.looseObject({ mysql: z.string().min(1), redis: z.string().min(1) }),
  rows: z.array(z.record(z.string(), z.union([z.string(), z.number()]))).min(1),
  ratios: z.record(z.string(), z.number().nonnegative()),
  seconds: z.number().positive(),
  at: z.iso.datetime(),
});

const out = mkdtempSync(join(tmpdir(), 'recency-bench-'));
afterAll(() => rmSync(out, { recursive: true }));

/** `capture` needs a binary log, which the tests' own server has not. */
const logged = loggedMysql(WITH_GTIDS);

async function bench(name: string, MYSQL_URL = mysqlUrl()): Promise<z.infer<typeof report>> {
  const settings: Settings = {
    MYSQL_URL,
    REDIS_URL: redisUrl(),
    ...(hasKafka() ? { KAFKA_BROKERS: kafkaBrokers().join(',') } : {}),
  };
  const ran = await runCli(['bench', name, '--quick', '--json', '--out', out], settings);
  expect(ran.code, ran.stderr).toBe(0);
  const [printed] = ran.json();
  const file = readdirSync(out).find((entry) => entry.startsWith(`${name}-`)) ?? '';
  expect(JSON.parse(readFileSync(join(out, file), 'utf8'))).toEqual(printed);
  return report.parse(printed);
}

const valuesOf = (rows: readonly Record<string, unknown>[], name: string) => [...new Set(rows.map((row) => row[name]))];

describe('on MySQL and Redis', () => {
  test('read', async () => {
    const { rows, ratios } = await bench('read');
    expect(valuesOf(rows, 'arm')).toEqual(expect.arrayContaining(['recency', 'recipe', 'recipe_hinted', 'sql']));
    expect(valuesOf(rows, 'contacts')).toHaveLength(4);
    for (const row of rows) expect(row.p99_us).toBeGreaterThanOrEqual(Number(row.p50_us));
    const names = ['sql', 'recipe', 'recipe_hinted'].map((arm) => `${arm}_over_recency_20000`);
    expect(Object.keys(ratios).sort()).toEqual(['flatness', 'over_parts', ...names].sort());
  });

  test('fanout', async () => {
    const { rows, ratios } = await bench('fanout');
    expect(valuesOf(rows, 'arm')).toEqual(['recency', 'recipe', 'recipe_pipelined', 'raw_zadd']);
    const others = ['recipe', 'recipe_pipelined', 'raw_zadd'];
    const names = others.flatMap((arm) => [`over_${arm}`, `over_${arm}_total`]);
    expect(Object.keys(ratios)).toEqual(expect.arrayContaining(names));
  });

  test('memory', async () => {
    const { rows, ratios } = await bench('memory');
    expect(valuesOf(rows, 'max')).toEqual([12, 24, 60]);
    for (const row of rows) expect(row.key_bytes_per_user).toBeGreaterThan(0);
    for (const row of rows) expect(row.bytes_per_user).toBeGreaterThan(0);
    expect(ratios.over_plain_zset).toBeGreaterThan(0);
  });

  test('overload', async () => {
    const { rows, ratios } = await bench('overload');
    expect(valuesOf(rows, 'load')).toEqual(['quiet', 'overload']);
    expect(ratios).toMatchObject({ queries_left_running: 0, failed: 0 });
    expect(Number(ratios.narrowed_p99_over_quiet)).toBeGreaterThan(0);
  });

  test('load', async () => {
    const { rows, ratios } = await bench('load');
    expect(valuesOf(rows, 'arm')).toEqual(['recency', 'recency_2_workers', 'recipe', 'sql', 'empty_route']);
    expect(valuesOf(rows, 'connections')).toEqual([1, 4]);
    for (const { arm, per_second, cpu_us } of rows) {
      expect(per_second).toBeGreaterThan(0);
      if (arm !== 'recency_2_workers') expect(cpu_us).toBeGreaterThan(0);
    }
    for (const ratio of Object.values(ratios)) expect(ratio).toBeGreaterThan(0);
  });

  test('pages', async () => {
    const { rows, ratios } = await bench('pages');
    const looks = ['answer', 'unseen', 'mixed'];
    expect(valuesOf(rows, 'arm')).toEqual([...looks, 'single', 'batch', 'plain', 'fresh']);
    for (const ratio of ['mixed_flatness', 'unseen_flatness', 'unseen_over_answer']) {
      expect(Number(ratios[ratio])).toBeGreaterThan(0);
    }
    expect(Number(ratios.batch_over_single)).toBeGreaterThan(1);
    expect(ratios).toMatchObject({ fresh_stale: 0, fresh_extra_p50_ms: expect.any(Number) });
    expect(Number(rows.at(-1)?.pairs)).toBe(200);
  });

  test('epoch', async () => {
    const { rows, ratios } = await bench('epoch');
    expect(valuesOf(rows, 'event')).toEqual(['none', 'epoch', 'flushall', 'restart']);
    expect(ratios).toMatchObject({ wrong: 0, errors_share: 0, seconds_to_99_percent_index: expect.any(Number) });
    expect(Number(ratios.p99_over_warm)).toBeGreaterThan(0);
  });

  test('uploads', async () => {
    const { rows, ratios } = await bench('uploads');
    expect(valuesOf(rows, 'arm')).toEqual(['column', 'photos', 'photos_and_account']);
    const questions = ['narrowed_12', 'narrowed_24', 'build', 'first_page', 'fan_out_page', 'pairs'];
    expect(valuesOf(rows, 'question')).toEqual(questions);
    expect(Object.keys(ratios)).toEqual(questions.map((question) => `${question}_over_column`));
  });

  test.each(['backfill', 'repair'])('%s', async (name) => {
    const { rows, ratios } = await bench(name);
    expect(valuesOf(rows, 'arm')).toEqual(['recency', 'bare_sql']);
    expect(valuesOf(rows, 'contacts')).toHaveLength(2);
    expect(rows[0]?.rows_read_per_user).toBeGreaterThan(0);
    expect(ratios.over_bare_sql).toBeGreaterThan(0);
  });
});

describe.runIf(hasKafka())('with Kafka', () => {
  test('tasks', async () => {
    const { rows, ratios } = await bench('tasks');
    expect(rows.map((row) => [row.transport, row.consumer, row.task].join(' ')).sort()).toEqual([
      'kafka bare contact',
      'kafka recency contact',
      'kafka recency upload',
      'streams recency contact',
      'streams recency upload',
    ]);
    expect(Object.keys(ratios)).toEqual(['kafka_over_bare_consumer']);
  });

  test('push', async () => {
    const { rows, ratios } = await bench('push');
    const [told, fannedOut] = [rows.filter(({ channel }) => channel), rows.filter(({ arm }) => arm)];
    expect(valuesOf(told, 'channel')).toEqual(['kafka', 'webhook', 'stream']);
    expect(valuesOf(told, 'transport')).toEqual(['kafka', 'streams']);
    for (const row of told) expect(row.p99_ms).toBeGreaterThanOrEqual(Number(row.p50_ms));
    expect(valuesOf(fannedOut, 'arm')).toEqual(['no_signal', 'unwatched', 'one_percent']);
    expect(ratios).toMatchObject({
      fanout_cost_unwatched: expect.any(Number),
      missed: 0,
      wrong_ids: 0,
      not_visible: 0,
      per_second: expect.any(Number),
    });
  });

  test('celebrity', async () => {
    const { rows, ratios } = await bench('celebrity');
    expect(valuesOf(rows, 'part')).toEqual(['speed', 'cold', 'spread', 'contacts', 'kills', 'watched']);
    const spread = rows.filter(({ part }) => part === 'spread').map(({ workers, delay_ms }) => [workers, delay_ms]);
    expect(spread).toEqual([
      [1, 5],
      [2, 5],
      [1, 0],
    ]);
    const contacts = rows.filter(({ part }) => part === 'contacts');
    expect(contacts.map(({ lanes, load, fan_outs }) => [lanes, load, Number(fan_outs) > 0])).toEqual([
      ['together', 'quiet', false],
      ['together', 'busy', true],
      ['apart', 'quiet', false],
      ['apart', 'busy', true],
    ]);
    for (const row of contacts) expect(row.p99_ms).toBeGreaterThanOrEqual(Number(row.p50_ms));
    expect(Number(ratios.segments_repeated_per_kill)).toBeLessThanOrEqual(1);
    expect(rows.slice(-2).map(({ who }) => who)).toEqual(['watched', 'others']);
  });

  test('capture', async () => {
    const { rows, ratios } = await bench('capture', logged.server.url);
    expect(valuesOf(rows, 'part')).toEqual(['backlog', 'latency', 'kills', 'check']);
    expect(rows.at(-1)).toMatchObject({ wrong: 0, missed: 0, cold: 0, unsettled: 0, outbox_rows: 0 });
    expect(ratios).toMatchObject({ wrong: 0, missed: 0 });
    expect(Math.min(Number(ratios.rows_per_second), Number(ratios.commit_to_index_p99_ms))).toBeGreaterThan(0);
  });

  test('freshness', async () => {
    const { rows } = await bench('freshness');
    expect(rows).toHaveLength(2);
    for (const row of rows) expect(row.p99_ms).toBeGreaterThanOrEqual(Number(row.p50_ms));
  });
});

test('a benchmark that there is not is wrong use, and nothing is started for it', async () => {
  const ran = await runCli(['bench', 'everything', '--json'], {});
  expect([ran.code, ran.stdout]).toEqual([2, '']);
});
