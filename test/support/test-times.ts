/**
 * Where a test file's time goes, for `npm run test:times`: one line of JSON for each file, appended to the file that TEST_TIMES
 * names. Processor times of other processes are those that have ended and were waited for; Linux only.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import process from 'node:process';
import { beforeAll, expect } from 'vitest';

export interface FileTimes {
  readonly file: string;
  /** From before the first hook to after the last, ms. */
  readonly wallMs: number;
  /** Of them this process had nothing to do, ms: it waited for servers, processes or the clock. */
  readonly idleMs: number;
  /** Processor time of this process, ms. */
  readonly ownMs: number;
  /** Processor time of processes that the file started, ms. */
  readonly childrenMs: number;
  /** Processes that the file started, by what they ran. */
  readonly started: Readonly<Record<string, number>>;
  /** Databases that were created by copy. */
  readonly databases: number;
}

/** A tick of Linux's process times, ms. */
const TICK_MS = 10;

interface Snapshot {
  readonly now: number;
  readonly idle: number;
  readonly own: number;
  readonly children: number;
}

function snapshot(): Snapshot {
  const { user, system } = process.cpuUsage();
  const { idle } = performance.eventLoopUtilization();
  return { now: performance.now(), idle, own: (user + system) / 1000, children: childrenMs() };
}

function childrenMs(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS;
}

/** What a process runs, in a word: `recency consume`, `supervisor`, `docker`. */
function titleOf(args: readonly string[]): string {
  const script = args.findIndex((part) => /\.[mc]?[jt]s$/.test(part));
  const name = (args[script < 0 ? 0 : script] ?? '').split('/').slice(-2).join('/');
  return name === 'cli/main.ts' ? `recency ${args[script + 1] ?? ''}` : name;
}

/** Registers the hooks that measure this test file. @param databases how many databases this process has created so far */
export function measureFile(report: string, databases: () => number): void {
  beforeAll(() => {
    const before = snapshot();
    const databasesBefore = databases();
    const started: Record<string, number> = {};
    // The channel tells of a process before its command is known.
    const note = (message: unknown) => queueMicrotask(() => count(started, message as StartedProcess));
    subscribe('child_process', note);
    return () => {
      unsubscribe('child_process', note);
      const file = relative(process.cwd(), expect.getState().testPath ?? '');
      const times = { file, ...between(before, snapshot()), started, databases: databases() - databasesBefore };
      appendFileSync(report, `${JSON.stringify(times satisfies FileTimes)}\n`);
    };
  });
}

interface StartedProcess {
  readonly process: { readonly spawnargs?: readonly string[] };
}

function count(started: Record<string, number>, { process: { spawnargs = [] } }: StartedProcess): void {
  const title = titleOf(spawnargs);
  started[title] = (started[title] ?? 0) + 1;
}

function between(before: Snapshot, after: Snapshot) {
  return {
    wallMs: after.now - before.now,
    idleMs: after.idle - before.idle,
    ownMs: after.own - before.own,
    childrenMs: after.children - before.children,
  };
}
