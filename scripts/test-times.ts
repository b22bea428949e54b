/**
 * Runs the tests, and prints where their time goes: for each file the time that it took, waited and worked, and the processes and
 * databases that it created; then the sums, and how busy the processors were. Arguments are vitest's: `npm run test:times -- test/api`.
 * With `--record` alone it also writes the times of the files that took long, by which later runs order the files.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import Table from 'cli-table3';
import { RECORDED } from '../test/support/longest-first.ts';
import type { FileTimes } from '../test/support/test-times.ts';

/** Files that are listed, those that took longest first. */
const LISTED = 60;

/** The order of the others matters little. */
const LONG_MS = 10_000;

const root = fileURLToPath(new URL('..', import.meta.url));
const report = join(root, '.recency', 'test-times.jsonl');

const records = process.argv[2] === '--record';

rmSync(report, { force: true });
mkdirSync(dirname(report), { recursive: true });
const env = { ...process.env, TEST_TIMES: report };
const [before, from] = [processorMs(), performance.now()];
const args = ['run', ...process.argv.slice(records ? 3 : 2)];
const { status } = spawnSync('vitest', args, { cwd: root, env, stdio: 'inherit' });
const [busy, wall] = [processorMs() - before, performance.now() - from];
const files = readReport();
print(files);
console.log(
  `${(wall / 1000).toFixed(0)} s, in which the machine worked ${(busy / 1000).toFixed(0)} processor seconds.`,
);
if (records) writeFileSync(RECORDED, `${JSON.stringify(longest(files), null, 2)}\n`);
process.exitCode = status ?? 1;

/** Processor time of the whole machine since it was started, ms: servers are counted too, and whatever else it does. */
function processorMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}

/** Whole seconds by file, the longest first. */
function longest(files: readonly FileTimes[]): Record<string, number> {
  const long = files.filter(({ wallMs }) => wallMs >= LONG_MS);
  return Object.fromEntries(long.map(({ file, wallMs }) => [file, Math.round(wallMs / 1000)]));
}

function readReport(): FileTimes[] {
  const lines = readFileSync(report, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as FileTimes).sort((one, other) => other.wallMs - one.wallMs);
}

function print(files: readonly FileTimes[]): void {
  const table = new Table({
    head: ['file', 'seconds', 'waiting', 'own CPU', 'processes’ CPU', 'started', 'databases'],
  });
  for (const file of files.slice(0, LISTED)) table.push(rowOf(file.file, [file]));
  table.push(rowOf(`all ${files.length}`, files));
  console.log(table.toString());
}

function rowOf(name: string, files: readonly FileTimes[]): string[] {
  const seconds = (time: keyof FileTimes & `${string}Ms`) =>
    (files.reduce((sum, file) => sum + file[time], 0) / 1000).toFixed(1);
  const databases = files.reduce((sum, file) => sum + file.databases, 0);
  return [
    name,
    seconds('wallMs'),
    seconds('idleMs'),
    seconds('ownMs'),
    seconds('childrenMs'),
    startedBy(files),
    `${databases}`,
  ];
}

/** For example `12 recency consume, 3 supervisor/main.ts`. */
function startedBy(files: readonly FileTimes[]): string {
  const sums = new Map<string, number>();
  for (const { started } of files) {
    for (const [title, times] of Object.entries(started)) sums.set(title, (sums.get(title) ?? 0) + times);
  }
  const inOrder = [...sums].sort(([, one], [, other]) => other - one);
  return inOrder.map(([title, times]) => `${times} ${title}`).join('\n');
}
