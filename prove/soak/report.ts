import { count, tableOf } from '../../src/tools/demo/layout.ts';
import type { SoakCounts } from './counts.ts';
import type { World } from './world.ts';

export interface SoakReport {
  readonly seed: number;
  readonly seconds: number;
  readonly worlds: readonly World[];
  /** The report as text. */
  readonly wrong: readonly string[];
}

/** A line after each round. */
export function roundLine(seconds: number, { transport, counts }: World): string {
  const { rounds, changes, deliveries, reads, kills, others, wrong } = counts;
  const disturbed = sum(others);
  return `${seconds.toFixed(0).padStart(6)} s  ${transport.padEnd(8)}round ${rounds}: so far ${count(changes)} changes, ${count(deliveries)} deliveries, ${count(reads)} reads, ${kills} kills, ${disturbed} other disturbances, wrong ${wrong}`;
}

/** The last actions on a site where something was wrong. */
export function failureLines({ transport, diary }: World): string[] {
  return [`what was done last on ${transport}:`, ...diary.last];
}

const ROWS: readonly (readonly [string, (counts: SoakCounts) => number])[] = [
  ['rounds', ({ rounds }) => rounds],
  ['changes of the site', ({ changes }) => changes],
  ['deliveries acknowledged', ({ deliveries }) => deliveries],
  ['segments of large fan-outs done', ({ segments }) => segments],
  ['reads over HTTP while things happened', ({ reads }) => reads],
  ['  of them narrowed by an index', ({ narrowed }) => narrowed],
  ['  not answered (503)', ({ refused }) => refused],
  ['processes killed', ({ kills }) => kills],
  ['processes that gave up by themselves', ({ gaveUp }) => gaveUp],
  ['other disturbances', ({ others }) => sum(others)],
];

const CHECKED: typeof ROWS = [
  ['indexes compared at rest', ({ indexes }) => indexes],
  ['answers compared at rest', ({ answers }) => answers],
  ['wrong', ({ wrong }) => wrong],
];

/** The final report. */
export function reportLines({ seed, seconds, worlds, wrong }: SoakReport): string {
  const names = [...new Set(worlds.flatMap(({ counts }) => [...counts.others.keys()]))];
  const rows = [
    ...ROWS,
    ...names.map((name) => [`  ${name}`, ({ others }: SoakCounts) => others.get(name) ?? 0] as const),
    ...CHECKED,
  ];
  const table = tableOf(
    ['', ...worlds.map(({ transport }) => transport)],
    rows.map(([name, value]) => [name, ...worlds.map(({ counts }) => count(value(counts)))]),
  );
  return `\n${table}\n\n${(seconds / 60).toFixed(1)} minutes, seed ${seed}: wrong ${wrong.length}`;
}

/** The object for `--json`. */
export function plainReport({ seed, seconds, worlds, wrong }: SoakReport): object {
  const transports = Object.fromEntries(worlds.map(({ transport, counts }) => [transport, counts]));
  return { seed, seconds: Math.round(seconds), wrong: wrong.length, transports, wrong_ones: wrong };
}

function sum(others: ReadonlyMap<string, number>): number {
  return [...others.values()].reduce((all, times) => all + times, 0);
}
