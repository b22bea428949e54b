/** A benchmark in its quick form, and what it prints. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { z } from 'zod';
import type { Settings } from './cli.ts';
import { runInProcess } from './in-process.ts';
import { hasKafka, kafkaBrokers, mysqlUrl, redisUrl } from './servers.ts';

/** The one figure that is a difference of two medians, and so may be below 0. */
const DIFFERENCE = 'fresh_extra_p50_ms';

/** What `bench --json` prints. The figures of such small runs mean nothing, and none is looked at. */
const report = z.strictObject({
  bench: z.string(),
  machine: z.looseObject({ cores: z.int().positive(), node: z.string() }),
  servers: z.looseObject({ mysql: z.string().min(1), redis: z.string().min(1) }),
  rows: z.array(z.record(z.string(), z.union([z.string(), z.number()]))).min(1),
  ratios: z
    .record(z.string(), z.number())
    .refine((ratios) => Object.entries(ratios).every(([name, ratio]) => ratio >= 0 || name === DIFFERENCE)),
  seconds: z.number().positive(),
  at: z.iso.datetime(),
});

type Report = z.infer<typeof report>;

/**
 * To be called once by a file. Runs benchmarks in the file's own process: test/app/built.e2e.test.ts runs one in a process of its own.
 * @returns runs one by its name, and gives what it printed
 */
export function quickBench(): (name: string, mysql?: string) => Promise<Report> {
  const out = mkdtempSync(join(tmpdir(), 'recency-bench-'));
  afterAll(() => rmSync(out, { recursive: true }));
  return async (name, MYSQL_URL = mysqlUrl()) => {
    const settings: Settings = {
      MYSQL_URL,
      REDIS_URL: redisUrl(),
      ...(hasKafka() ? { KAFKA_BROKERS: kafkaBrokers().join(',') } : {}),
    };
    const ran = await runInProcess(['bench', name, '--quick', '--json', '--out', out], settings);
    expect(ran.code, ran.stderr).toBe(0);
    const [printed] = ran.json();
    const file = readdirSync(out).find((entry) => entry.startsWith(`${name}-`)) ?? '';
    expect(JSON.parse(readFileSync(join(out, file), 'utf8'))).toEqual(printed);
    return report.parse(printed);
  };
}

/** The different values of a column. */
export const valuesOf = (rows: readonly Record<string, unknown>[], column: string) => [
  ...new Set(rows.map((row) => row[column])),
];
