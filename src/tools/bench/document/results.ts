import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type BenchReport, tableOf } from '../report.ts';

const FOLDER = new URL('../../../../bench/results/', import.meta.url);

/** All results, sorted by benchmark and kind of MySQL. */
export function readResults(): BenchReport[] {
  const folder = fileURLToPath(FOLDER);
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  return files.sort().map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as BenchReport);
}

/** The server that matters most in a run, for example `MariaDB 10.11`. */
export function serverOf({ servers }: BenchReport): string {
  return /^\S+ \d+\.\d+/.exec(servers.mysql ?? '')?.[0] ?? 'unknown';
}

/** All ratios, with a column for each kind of MySQL. */
export function ratiosTable(results: readonly BenchReport[]): string {
  const servers = [...new Set(results.map(serverOf))].sort();
  const names = new Map<string, readonly [bench: string, ratio: string]>();
  for (const { bench, ratios } of results) {
    for (const ratio of Object.keys(ratios)) names.set(`${bench} ${ratio}`, [bench, ratio]);
  }
  const ratioAt = (server: string, bench: string, ratio: string) =>
    results.find((result) => result.bench === bench && serverOf(result) === server)?.ratios[ratio] ?? '';
  const rows = [...names.values()].map(([bench, ratio]) => [
    bench,
    `\`${ratio}\``,
    ...servers.map((server) => ratioAt(server, bench, ratio)),
  ]);
  return markdown(['benchmark', 'ratio', ...servers], rows);
}

export function rowsTable({ rows }: BenchReport): string {
  const { head, cells } = tableOf(rows);
  return markdown(head, cells);
}

export function placeOf({ machine, servers, at, seconds }: BenchReport): string {
  const products = Object.values(servers).join(', ');
  return `${products}; ${machine.cores} cores (${machine.cpu}), ${machine.memory_gb} GB, Node ${machine.node}; ${at.slice(0, 10)}, ${seconds} s.`;
}

function markdown(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
