import { arch, availableParallelism, cpus, platform, release, totalmem } from 'node:os';
import process from 'node:process';
import type { Row } from './report.ts';

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
