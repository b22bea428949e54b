import { arch, availableParallelism, cpus, platform, release, totalmem } from 'node:os';
import process from 'node:process';

/** What a row is of, and what was measured. */
export type Row = Readonly<Record<string, string | number>>;

/** What one benchmark found. The names are those of INTERFACE. */
export interface Measured {
  readonly rows: readonly Row[];
  readonly ratios: Readonly<Record<string, number>>;
}

/** What `bench --json` prints. */
export interface BenchReport extends Measured {
  readonly bench: string;
  readonly machine: Row;
  /** Product and version of each server. */
  readonly servers: Readonly<Record<string, string>>;
  /** Of all of it, servers and people included. */
  readonly seconds: number;
  /** When it ended, ISO 8601. */
  readonly at: string;
}

/** With so many significant digits as a measurement here has any meaning. */
export function rounded(value: number, digits = 4): number {
  return Number(value.toPrecision(digits));
}

/** Where a benchmark ran. The load generator and the servers share it. */
export function describeMachine(): Row {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memory_gb: Math.round(totalmem() / 1024 ** 3),
    os: `${platform()} ${release()} ${arch()}`,
    node: process.versions.node,
  };
}
