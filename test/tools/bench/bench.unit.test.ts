import { describe, expect, test } from 'vitest';
import { BENCHMARKS } from '../../../src/cli/tool-commands.ts';
import { BENCHES } from '../../../src/tools/bench/benches.ts';
import { type CelebrityRow, celebrityRatios } from '../../../src/tools/bench/celebrity/celebrity.ts';
import { contactsOf } from '../../../src/tools/bench/circle.ts';
import { type DenormalisedRow, denormalisedRatios } from '../../../src/tools/bench/denormalised/denormalised.ts';
import { epochRatios } from '../../../src/tools/bench/epoch/epoch.ts';
import { zipf } from '../../../src/tools/bench/epoch/readers.ts';
import { fanOutRatios } from '../../../src/tools/bench/fanout/fanout.ts';
import { freshnessRatios } from '../../../src/tools/bench/freshness.ts';
import { jobRatios } from '../../../src/tools/bench/jobs/jobs.ts';
import { type LoadRow, loadRatios } from '../../../src/tools/bench/load.ts';
import { memoryRatios } from '../../../src/tools/bench/memory.ts';
import { overloadRatios } from '../../../src/tools/bench/overload.ts';
import { batchRatios } from '../../../src/tools/bench/pages/batch.ts';
import { freshRatios } from '../../../src/tools/bench/pages/fresh.ts';
import { looksRatios } from '../../../src/tools/bench/pages/looks.ts';
import { paysRatios } from '../../../src/tools/bench/pays/pays.ts';
import { readRatios } from '../../../src/tools/bench/read/read.ts';
import { overBareConsumer } from '../../../src/tools/bench/tasks/tasks.ts';
import { inTurns } from '../../../src/tools/bench/turns.ts';
import { uploadsRatios } from '../../../src/tools/bench/uploads/uploads.ts';

test('there are the benchmarks that the interface names', () => {
  const names = [
    'read',
    'fanout',
    'tasks',
    'freshness',
    'memory',
    'backfill',
    'repair',
    'overload',
    'epoch',
    'pages',
    'pays',
    'push',
    'celebrity',
    'capture',
    'history',
    'load',
    'uploads',
    'idle',
    'denormalised',
  ];
  expect(BENCHES.map(({ name }) => name).sort()).toEqual(names.sort());
  expect(BENCHMARKS.toSorted()).toEqual(names); // that the command line takes
});

test('where indexes pay, work is compared over all sites by load and memory by site, and every arm is needed', () => {
  const rows = [12, 100].flatMap((mean) =>
    (['readers', 'mixed', 'writers'] as const).flatMap((load, i) =>
      (['always', 'never', 'default', 'denormalised'] as const).map((arm, k) => {
        const works = [
          [4, 5, 3, 6],
          [4, 3, 2, 2],
          [8, 2, 2, 1],
        ][i] as number[];
        const sizes = { redis_bytes: [1_000, 0, mean][k] ?? 0, mysql_bytes: 0, small_p50_ms: [3, 2, 2][k] ?? 0 };
        return { mean, days: 1, load, arm, work_s: works[k] ?? 0, ...sizes, wrong: 0 };
      }),
    ),
  );
  expect(paysRatios(rows)).toEqual({
    ...{ work_over_always_readers: 0.75, work_over_best_readers: 0.75, work_over_denormalised_readers: 0.5 },
    ...{ work_over_always_mixed: 0.5, work_over_best_mixed: 0.6667, work_over_denormalised_mixed: 1 },
    ...{ work_over_always_writers: 0.25, work_over_best_writers: 1, work_over_denormalised_writers: 2 },
    ...{ memory_over_always_mean_12: 0.012, small_p50_over_sql_mean_12: 1 },
    ...{ memory_over_always_mean_100: 0.1, small_p50_over_sql_mean_100: 1, wrong: 0 },
  });
  expect(() => paysRatios(rows.filter(({ arm }) => arm !== 'never'))).toThrow('nothing of never');
  expect(() => paysRatios(rows.filter(({ arm }) => arm !== 'denormalised'))).toThrow('nothing of denormalised');
});

test('a batch is compared by users, and needs both arms', () => {
  const rows = [
    { arm: 'single', users_per_second: 2_000 },
    { arm: 'batch', users_per_second: 11_000 },
  ];
  expect(batchRatios(rows)).toEqual({ batch_over_single: 5.5 });
  expect(() => batchRatios(rows.slice(1))).toThrow('too little');
});

test('last uploads from the photos are compared with the column by question, and need both arms', () => {
  const rows = ['build', 'pairs'].flatMap((question, i) => [
    { question, arm: 'column', p50_ms: 2 },
    { question, arm: 'photos', p50_ms: 3 + i },
  ]);
  expect(uploadsRatios(rows)).toEqual({ build_over_column: 1.5, pairs_over_column: 2 });
  for (const missing of [0, 1, 2, 3]) expect(() => uploadsRatios(rows.toSpliced(missing, 1))).toThrow('too little');
});

test('what is new and the answer over both kinds are compared by size, and need every arm', () => {
  const rows = [
    { arm: 'answer', sources: 10, p50_us: 100 },
    { arm: 'unseen', sources: 10, p50_us: 110 },
    { arm: 'mixed', sources: 10, p50_us: 150 },
    { arm: 'answer', sources: 20_000, p50_us: 110 },
    { arm: 'unseen', sources: 20_000, p50_us: 132 },
    { arm: 'mixed', sources: 20_000, p50_us: 165 },
  ];
  expect(looksRatios(rows)).toEqual({ mixed_flatness: 1.1, unseen_flatness: 1.2, unseen_over_answer: 1.2 });
  for (const missing of [1, 2, 3, 4, 5]) expect(() => looksRatios(rows.toSpliced(missing, 1))).toThrow('too little');
});

test('what a fresh read costs more is in ms, and needs both arms', () => {
  const rows = [
    { arm: 'plain', p50_ms: 0.75 },
    { arm: 'fresh', p50_ms: 1.5 },
  ];
  expect(freshRatios(rows)).toEqual({ fresh_extra_p50_ms: 0.75 });
  expect(() => freshRatios(rows.slice(1))).toThrow('too little');
});

describe('turns', () => {
  test('are taken one after the other, each round beginning with another, and the warm-up does not count', async () => {
    const taken: string[] = [];
    const turn = (arm: string, values: readonly number[]) => ({
      row: { arm },
      take: async (round: number) => {
        taken.push(`${arm}${round}`);
        return values[round] ?? Number.NaN;
      },
    });
    const turns = [[turn('a', [1_000, 3, 1, 2]), turn('b', [0, 10, 30, 20])], [turn('c', [0, 5, 6, 7])]];
    const rounds: number[] = [];
    const rows = await inTurns(turns, { rounds: 3, warmUp: 1, onRound: (done) => rounds.push(done) });
    expect(taken).toEqual(['a0', 'b0', 'c0', 'b1', 'a1', 'c1', 'a2', 'b2', 'c2', 'b3', 'a3', 'c3']);
    expect(rows).toEqual([
      { arm: 'a', median: 2 },
      { arm: 'b', median: 20 },
      { arm: 'c', median: 6 },
    ]);
    expect(rounds).toEqual([1, 2, 3, 4]);
  });

  test('end with the signal, between two of them', async () => {
    const ending = new AbortController();
    const take = async () => {
      ending.abort(new Error('enough'));
      return 1;
    };
    const turns = [
      { row: {}, take },
      { row: {}, take: () => expect.unreachable('taken after the end') },
    ];
    await expect(inTurns([turns], { rounds: 1, warmUp: 0, signal: ending.signal })).rejects.toThrow('enough');
  });
});

describe('ratios', () => {
  test('of answers: flatness from the fewest to the most, the others at the third number of contacts', () => {
    const variants = (recency: number) => ({
      recency: { p50: recency, p99: 0 },
      sql: { p50: 80, p99: 0 },
      recipe: { p50: 3, p99: 0 },
      recipe_hinted: { p50: 2, p99: 0 },
      denormalised: { p50: 1, p99: 0 },
      empty_route: { p50: 0.5, p99: 0 },
      redis_script: { p50: 0.25, p99: 0 },
      bare_sql: { p50: 0.85, p99: 0 },
    });
    const rows = [1, 1.5, 2, 1.1].map((p50) => ({ variants: variants(p50) }));
    expect(readRatios(rows)).toEqual({
      flatness: 1.1,
      over_parts: 1.25,
      sql_over_recency_20000: 40,
      recipe_over_recency_20000: 1.5,
      recipe_hinted_over_recency_20000: 1,
      denormalised_over_recency_20000: 0.5,
      denormalised_flatness: 1,
    });
    expect(() => readRatios(rows.slice(0, 3))).toThrow('too little was measured');
  });

  test('of a fan-out: of the first photo, and the total against what believes its payload', () => {
    const row = (arm: string, part: 'redis' | 'total' | 'total_from_payload', users_per_second: number) => [
      { arm, part, photo: 'first' as const, users_per_second },
      { arm, part, photo: 'next' as const, users_per_second: 1 },
    ];
    const rows = [
      ...row('recency', 'redis', 100),
      ...row('recency', 'total', 50),
      ...row('recipe', 'redis', 10),
      ...row('recipe', 'total', 5),
      ...row('recipe', 'total_from_payload', 25),
      ...row('recipe_pipelined', 'redis', 40),
      ...row('recipe_pipelined', 'total', 20),
      ...row('recipe_pipelined', 'total_from_payload', 100),
      ...row('raw_zadd', 'redis', 200),
      ...row('raw_zadd', 'total', 40),
      ...row('denormalised', 'total', 100),
    ];
    expect(fanOutRatios(rows)).toEqual({
      over_recipe: 10,
      over_recipe_pipelined: 2.5,
      over_raw_zadd: 0.5,
      over_recipe_total: 10,
      over_recipe_pipelined_total: 2.5,
      over_raw_zadd_total: 1.25,
      over_denormalised_total: 0.5,
      over_recipe_from_payload_total: 2,
      over_recipe_pipelined_from_payload_total: 0.5,
    });
  });

  test('of tasks: contact tasks from Kafka', () => {
    const row = (transport: 'kafka' | 'streams', consumer: 'recency' | 'bare', tasks_per_second: number) =>
      ({ transport, consumer, task: 'contact', tasks_per_second }) as const;
    const upload = { transport: 'kafka', consumer: 'recency', task: 'upload', tasks_per_second: 3 } as const;
    const rows = [upload, row('streams', 'recency', 7), row('kafka', 'recency', 12), row('kafka', 'bare', 96)];
    expect(overBareConsumer(rows)).toBe(0.125);
  });

  test('of memory: at each size, and at the default one without a name', () => {
    const row = (max: number, arm: 'recency' | 'plain_zset', bytes_per_user: number) => ({ max, arm, bytes_per_user });
    const rows = [
      row(12, 'recency', 300),
      row(12, 'plain_zset', 200),
      row(24, 'recency', 600),
      row(24, 'plain_zset', 500),
    ];
    expect(memoryRatios(rows)).toEqual({ over_plain_zset: 1.2, over_plain_zset_12: 1.5, over_plain_zset_24: 1.2 });
  });

  test('of jobs: the first one and the fewest contacts need no name', () => {
    const row = (
      job: 'repair_dry_run' | 'verify',
      arm: 'recency' | 'bare_sql',
      contacts: number,
      users_per_second: number,
    ) => ({
      ...{ job, arm, contacts, users_per_second },
    });
    const rows = [
      row('repair_dry_run', 'recency', 100, 6),
      row('repair_dry_run', 'bare_sql', 100, 10),
      row('verify', 'recency', 100, 7),
      row('verify', 'bare_sql', 100, 10),
      row('repair_dry_run', 'recency', 1_000, 8),
      row('repair_dry_run', 'bare_sql', 1_000, 10),
    ];
    expect(jobRatios(rows)).toEqual({ over_bare_sql: 0.6, verify_over_bare_sql: 0.7, over_bare_sql_1000: 0.8 });
  });
});

test('of a new epoch: against the warm answers, the other events by their names', () => {
  const row = (event: string, p99_ms: number, seconds_to_99_percent_index = 0, errors = 0, wrong = 0) => {
    return { event, reads: 1_000, errors, wrong, p99_ms, seconds_to_99_percent_index };
  };
  const rows = [row('none', 2), row('epoch', 10, 30, 2, 1), row('flushall', 12, 31), row('restart', 20, 32, 2)];
  expect(epochRatios(rows)).toEqual({
    wrong: 1,
    errors_share: 0.001,
    p99_over_warm: 5,
    seconds_to_99_percent_index: 30,
    p99_over_warm_flushall: 6,
    seconds_to_99_percent_index_flushall: 31,
    p99_over_warm_restart: 10,
    seconds_to_99_percent_index_restart: 32,
  });
});

test('of overload: the medians of the rounds, and the worst of what was left', () => {
  const row = (load: 'quiet' | 'overload', narrowed_p99_ms: number, left_running = 0, failed = 0) => {
    return { load, round: 1, from_index: 5, narrowed_p99_ms, left_running, failed };
  };
  const rows = [row('quiet', 10), row('overload', 25), row('quiet', 11), row('overload', 90, 2, 1)];
  expect(overloadRatios([...rows, row('quiet', 40), row('overload', 22, 1, 1)])).toEqual({
    narrowed_p99_over_quiet: 2.273,
    queries_left_running: 2,
    failed: 2,
  });
  expect(() => overloadRatios([...rows, { ...row('overload', 0), from_index: 0 }])).toThrow('no answer came from');
});

test('the most popular user is drawn about as often as twice the second, and everybody can be', () => {
  let lot = 0;
  const next = zipf(['1', '2', '3', '4'], () => (lot = (lot + 0.0137) % 1));
  const drawn = Map.groupBy(Array.from({ length: 10_000 }, next), (user) => user);
  const counts = [...drawn.values()].map((all) => all.length).sort((a, b) => b - a);
  expect(counts).toHaveLength(4);
  expect(Number(counts[0]) / Number(counts[1])).toBeCloseTo(2, 1);
  expect(Number(counts[0]) / Number(counts[3])).toBeCloseTo(4, 1);
});

test('in a circle everybody has as many contacts as followers, and never themselves', () => {
  const users = Array.from({ length: 11 }, (_, i) => String(100 + i));
  const contacts = users.flatMap((_, position) => contactsOf(users, position, 5));
  for (const user of users) {
    expect(new Set(contacts.filter((pair) => pair.user === user).map((pair) => pair.contact)).size).toBe(5);
    expect(contacts.filter((pair) => pair.contact === user)).toHaveLength(5);
  }
  expect(contacts.some((pair) => pair.user === pair.contact)).toBe(false);
});

test('one, two and four workers are compared by seconds, at the same delay, and a celebrity needs every part', () => {
  const spread = (workers: number, delay_ms: number, seconds: number, grown_mb: number): CelebrityRow => {
    return {
      part: 'spread',
      workers,
      delay_ms,
      seconds,
      users_per_second: 1,
      grown_mb,
      prediction_error: grown_mb / 100,
    };
  };
  const contacts = (lanes: 'together' | 'apart', load: 'quiet' | 'busy', p99_ms: number): CelebrityRow => {
    return { part: 'contacts', lanes, load, tasks: 1, p50_ms: 1, p99_ms, max_ms: 1, fan_outs: 1 };
  };
  const rows: CelebrityRow[] = [
    { part: 'speed', arm: 'recency', users_per_second: 80 },
    { part: 'speed', arm: 'raw_zadd', users_per_second: 100 },
    { part: 'cold', users: 5, redis_us: 0.5 },
    ...[spread(1, 5, 10, 3), spread(4, 5, 4, 9), spread(1, 50, 40, -1), spread(4, 50, 10, 2)],
    ...[spread(1, 0, 6, 0), spread(2, 0, 5, 1)],
    ...[contacts('together', 'quiet', 20), contacts('together', 'busy', 50)],
    ...[contacts('apart', 'quiet', 20), contacts('apart', 'busy', 30)],
    { part: 'kills', kills: 3, segments_repeated: 1.5 },
    { part: 'watched', who: 'watched', p50_ms: 200, p99_ms: 300 },
    { part: 'watched', who: 'others', p50_ms: 2_500, p99_ms: 5_000 },
  ];
  expect(celebrityRatios(rows)).toEqual({
    contact_p99_over_quiet: 1.5,
    contact_p99_over_quiet_together: 2.5,
    contact_p99_ms: 50,
    four_workers_over_one: 2.5,
    four_workers_over_one_50_ms: 4,
    two_workers_over_one: 1.2,
    over_raw_zadd_total: 0.8,
    cold_user_redis_us: 0.5,
    memory_grown_mb: 9,
    prediction_error: 0.09,
    segments_repeated_per_kill: 0.5,
    watched_wait_over_others: 0.08,
  });
  for (const [place, row] of rows.entries()) {
    const isOptional = row.part === 'spread' && row.workers > 1;
    if (!isOptional) expect(() => celebrityRatios(rows.toSpliced(place, 1))).toThrow('too little');
  }
});

test('load is compared at 64 connections, with the fewest and the most contacts', () => {
  const row = (arm: LoadRow['arm'], contacts: number, connections: number, more: Partial<LoadRow>): LoadRow => {
    return { arm, contacts, connections, per_second: 0, cpu_us: 0, p50_ms: 1, p99_ms: 1, ...more } as LoadRow;
  };
  const rows = [
    row('recency', 10, 1, { per_second: 7 }),
    row('recency', 10, 64, { per_second: 400, cpu_us: 60, p50_ms: 2, p99_ms: 5 }),
    row('recency_2_workers', 10, 64, { per_second: 600 }),
    row('sql', 10, 64, { per_second: 200, cpu_us: 50 }),
    row('recency', 20_000, 64, { per_second: 390 }),
    row('sql', 20_000, 64, { per_second: 3 }),
    row('sql', 20_000, 256, { per_second: 1 }),
  ];
  expect(loadRatios(rows)).toEqual({
    rate_over_sql_64_10: 2,
    rate_over_sql_64_20000: 130,
    cpu_over_sql: 1.2,
    p99_over_p50_64: 2.5,
    workers_2_over_1: 1.5,
  });
  for (const missing of [1, 2, 3, 4, 5]) expect(() => loadRatios(rows.toSpliced(missing, 1))).toThrow('too little');
});

test('freshness is compared at each rate, and needs both arms', () => {
  const row = (arm: 'recency' | 'denormalised', rate: number, p50_ms: number) => ({ arm, rate, p50_ms });
  const rows = [row('recency', 100, 10), row('denormalised', 100, 5), row('recency', 9, 3), row('denormalised', 9, 4)];
  expect(freshnessRatios(rows)).toEqual({ p50_over_denormalised_100: 2, p50_over_denormalised_9: 0.75 });
  expect(() => freshnessRatios(rows.slice(0, 3))).toThrow('nothing of denormalised at 9');
});

test('what a denormalised table costs is compared by the second upload, and needs every part', () => {
  const photos = (pool: 'memory' | 'tenth', event: 'next_uploaded' | 'deleted', us_per_follower: number) =>
    ({ part: 'photos', pool, event, us_per_follower }) as const;
  const locks = (load: 'quiet' | 'busy', row_p99_ms: number, deadlocks: number) => {
    const none = { lock_waits: 0, lock_wait_ms: 0, lock_timeouts: 0, fan_outs: 0 };
    return {
      part: 'locks',
      load,
      changes: 9,
      commit_p99_ms: 1,
      row_p50_ms: 1,
      row_p99_ms,
      deadlocks,
      ...none,
    } as const;
  };
  const ofPairs = { table_bytes_per_pair: 50, index_bytes_per_pair: 40 };
  const rows: DenormalisedRow[] = [
    ...[photos('memory', 'next_uploaded', 4), photos('memory', 'deleted', 5), photos('tenth', 'next_uploaded', 30)],
    ...[locks('quiet', 2, 0), locks('busy', 8, 3)],
    { part: 'bytes', pairs: 9, ...ofPairs, binlog_bytes_per_follower: 70, redo_bytes_per_follower: 200 },
  ];
  expect(denormalisedRatios(rows)).toEqual({
    us_per_follower: 4,
    tenth_over_memory: 7.5,
    deleted_over_uploaded: 1.25,
    row_p99_over_quiet: 4,
    deadlocks: 3,
    bytes_per_pair: 90,
    binlog_bytes_per_follower: 70,
  });
  for (const place of rows.keys()) expect(() => denormalisedRatios(rows.toSpliced(place, 1))).toThrow('too little');
});
