import { arch, availableParallelism, cpus, platform, release, totalmem } from 'node:os';
import process from 'node:process';

export type ReportRow = Readonly<Record<string, string | number>>;

/** The result of one benchmark. */
export interface Measurements {
  readonly rows: readonly ReportRow[];
  readonly ratios: Readonly<Record<string, number>>;
}

/** What `bench --json` prints. */
export interface BenchReport extends Measurements {
  readonly bench: string;
  readonly machine: ReportRow;
  /** Product and version of each server. */
  readonly servers: Readonly<Record<string, string>>;
  /** Total duration, servers and people included. */
  readonly seconds: number;
  /** End, ISO 8601. */
  readonly at: string;
}

/** The rows as a table: a column for every name that any of them has. */
export function tableOf(rows: readonly ReportRow[]): { head: string[]; cells: (string | number)[][] } {
  const head = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return { head, cells: rows.map((row) => head.map((name) => row[name] ?? '')) };
}

/** Rounds to the digits that are significant here. */
export function rounded(value: number, digits = 4): number {
  return Number(value.toPrecision(digits));
}

/** The machine, which the load generator shares with the servers. */
export function describeMachine(): ReportRow {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memory_gb: Math.round(totalmem() / 1024 ** 3),
    os: `${platform()} ${release()} ${arch()}`,
    node: process.versions.node,
  };
}
