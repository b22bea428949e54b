import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BenchReport } from '../report.ts';

const FOLDER = new URL('../../../../bench/results/', import.meta.url);

/** Every result that is kept, each benchmark's on the one MySQL after that on the other. */
export function readResults(): BenchReport[] {
  const folder = fileURLToPath(FOLDER);
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  return files.sort().map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as BenchReport);
}

/** The kind of server that says most of a run, for example `MariaDB 10.11`. */
export function serverOf({ servers }: BenchReport): string {
  return /^\S+ \d+\.\d+/.exec(servers.mysql ?? '')?.[0] ?? 'unknown';
}
