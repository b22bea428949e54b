import { describe, expect, test } from 'vitest';
import { runCli } from '../../support/cli.ts';
import { quickBench, valuesOf } from '../../support/quick-bench.ts';
import { hasKafka } from '../../support/servers.ts';

const bench = quickBench();

describe('on MySQL and Redis', () => {
  test('read', async () => {
    const { rows, ratios } = await bench('read');
    expect(valuesOf(rows, 'arm')).toEqual(
      expect.arrayContaining(['recency', 'recipe', 'recipe_hinted', 'denormalised', 'sql']),
    );
    expect(valuesOf(rows, 'contacts')).toHaveLength(4);
    for (const row of rows) expect(row.p99_us).toBeGreaterThanOrEqual(Number(row.p50_us));
    const names = ['sql', 'recipe', 'recipe_hinted', 'denormalised'].map((arm) => `${arm}_over_recency_20000`);
    expect(Object.keys(ratios).sort()).toEqual(['flatness', 'over_parts', 'denormalised_flatness', ...names].sort());
  });

  test('fanout', async () => {
    const { rows, ratios } = await bench('fanout');
    expect(valuesOf(rows, 'arm')).toEqual(['recency', 'recipe', 'recipe_pipelined', 'raw_zadd', 'denormalised']);
    const others = ['recipe', 'recipe_pipelined', 'raw_zadd'];
    const names = others.flatMap((arm) => [`over_${arm}`, `over_${arm}_total`]);
    expect(Object.keys(ratios)).toEqual(expect.arrayContaining([...names, 'over_denormalised_total']));
  });

  test('memory', async () => {
    const { rows, ratios } = await bench('memory');
    expect(valuesOf(rows, 'max')).toEqual([12, 24, 60]);
    for (const row of rows) expect(row.key_bytes_per_user).toBeGreaterThan(0);
    for (const row of rows) expect(row.bytes_per_user).toBeGreaterThan(0);
    expect(ratios.over_plain_zset).toBeGreaterThan(0);
  });

  test('pages', async () => {
    const { rows, ratios } = await bench('pages');
    const looks = ['answer', 'unseen', 'mixed'];
    expect(valuesOf(rows, 'arm')).toEqual([...looks, 'single', 'batch', 'plain', 'fresh']);
    for (const ratio of ['mixed_flatness', 'unseen_flatness', 'unseen_over_answer']) {
      expect(Number(ratios[ratio])).toBeGreaterThan(0);
    }
    expect(Number(ratios.batch_over_single)).toBeGreaterThan(0);
    expect(ratios).toMatchObject({ fresh_stale: 0, fresh_extra_p50_ms: expect.any(Number) });
    expect(Number(rows.at(-1)?.pairs)).toBe(100);
  });

  test('uploads', async () => {
    const { rows, ratios } = await bench('uploads');
    expect(valuesOf(rows, 'arm')).toEqual(['column', 'photos', 'photos_and_account']);
    const questions = ['narrowed_12', 'narrowed_24', 'build', 'first_page', 'fan_out_page', 'pairs'];
    expect(valuesOf(rows, 'question')).toEqual(questions);
    expect(Object.keys(ratios)).toEqual(questions.map((question) => `${question}_over_column`));
  });

  test('denormalised', async () => {
    const { rows, ratios } = await bench('denormalised');
    const photos = rows.filter(({ part }) => part === 'photos').map(({ pool, event }) => `${pool} ${event}`);
    const events = ['uploaded', 'next_uploaded', 'hidden', 'deleted'];
    expect(photos).toEqual(['memory', 'tenth'].flatMap((pool) => events.map((event) => `${pool} ${event}`)));
    const locks = rows.filter(({ part }) => part === 'locks');
    expect(locks.map(({ load, fan_outs }) => [load, Number(fan_outs) > 0])).toEqual([
      ['quiet', false],
      ['busy', true],
    ]);
    expect(ratios.binlog_bytes_per_follower).toBeGreaterThan(0);
    expect(ratios.bytes_per_pair).toBeGreaterThan(0);
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

  test('freshness', async () => {
    const { rows, ratios } = await bench('freshness');
    expect(rows.map(({ arm, rate }) => `${arm} ${rate}`)).toEqual(
      [10, 50].flatMap((rate) => [`recency ${rate}`, `denormalised ${rate}`]),
    );
    expect(Object.keys(ratios)).toEqual(['p50_over_denormalised_10', 'p50_over_denormalised_50']);
    for (const row of rows) expect(row.p99_ms).toBeGreaterThanOrEqual(Number(row.p50_ms));
  });
});

test('a benchmark that there is not is wrong use, and nothing is started for it', async () => {
  const ran = await runCli(['bench', 'everything', '--json'], {});
  expect([ran.code, ran.stdout]).toEqual([2, '']);
});
