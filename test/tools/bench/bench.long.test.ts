import { describe, expect, test } from 'vitest';
import { loggedMysql, WITH_GTIDS } from '../../support/logged-mysql.ts';
import { quickBench, valuesOf } from '../../support/quick-bench.ts';
import { hasKafka } from '../../support/servers.ts';

/** The benchmarks that start many processes; bench.e2e.test.ts has the others. */
const bench = quickBench();

/** `capture` needs a binary log, which the tests' own server has not. */
const logged = loggedMysql(WITH_GTIDS);

describe('on MySQL and Redis', () => {
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

  test('pays', async () => {
    const { rows, ratios } = await bench('pays');
    expect(valuesOf(rows, 'arm')).toEqual(['always', 'never', 'default', 'denormalised']);
    expect(ratios).toMatchObject({ wrong: 0, work_over_denormalised_readers: expect.any(Number) });
    for (const { arm, mysql_bytes } of rows) expect(Number(mysql_bytes) > 0).toBe(arm === 'denormalised');
  });

  test('epoch', async () => {
    const { rows, ratios } = await bench('epoch');
    expect(valuesOf(rows, 'event')).toEqual(['none', 'epoch', 'flushall', 'restart']);
    expect(ratios).toMatchObject({ wrong: 0, errors_share: 0, seconds_to_99_percent_index: expect.any(Number) });
    expect(Number(ratios.p99_over_warm)).toBeGreaterThan(0);
  });
});

test('pays', async () => {
  const { rows, ratios } = await bench('pays');
  expect(valuesOf(rows, 'arm')).toEqual(['always', 'never', 'default']);
  expect(valuesOf(rows, 'load')).toEqual(['readers', 'mixed', 'writers']);
  expect(ratios.wrong).toBe(0);
});

describe.runIf(hasKafka())('with Kafka', () => {
  test('idle', async () => {
    const { rows } = await bench('idle', logged.server.url);
    expect(valuesOf(rows, 'process')).toEqual(['serve', 'consume', 'relay', 'notify', 'capture']);
    expect(valuesOf(rows, 'transport')).toEqual(['streams', 'kafka']);
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
});
