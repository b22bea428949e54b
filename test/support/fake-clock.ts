import { chmodSync, globSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { afterAll } from 'vitest';
import { aptInstall, aptUnavailable, findProgram } from '../../src/tools/devservers/launch/machine.ts';
import { type RunningServer, startMysql, startRedis } from '../../src/tools/devservers/start-server.ts';

/** A server whose wall clock the test sets while it runs; the monotonic clock is not affected. */
export interface ClockedServer {
  readonly server: RunningServer;
  /** Sets the clock's offset from the real one, ms, with immediate effect. */
  setClock(offsetMs: number): void;
}

/** Debian's package `faketime`, installed where it is missing, as the servers are. */
async function faketimeLibrary(): Promise<string> {
  const find = () => globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')[0];
  if (find() === undefined) {
    const unavailable = aptUnavailable();
    if (unavailable !== undefined) throw new Error(`libfaketime is missing (apt-get install faketime); ${unavailable}`);
    await aptInstall(['faketime']);
  }
  return find() ?? Promise.reject(new Error('the package faketime brings no libfaketimeMT.so.1'));
}

/** A folder with a program of this name that runs the real one with a clock of its own, and the file that sets the clock. */
async function wrap(names: readonly string[]): Promise<{ folder: string; setClock: (offsetMs: number) => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'recency-clock-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const [library, program] = [await faketimeLibrary(), findProgram(...names)];
  if (program === undefined) throw new Error(`${names.join(' or ')} is not on the path`);
  const file = join(folder, 'clock');
  const setClock = (offsetMs: number) => {
    writeFileSync(`${file}.new`, `${offsetMs < 0 ? '' : '+'}${offsetMs / 1_000}\n`);
    renameSync(`${file}.new`, file); // atomic: never half-read
  };
  setClock(0);
  // The C library's own allocator first: Redis's jemalloc asks for the time while libfaketime is being loaded.
  const environment = `LD_PRELOAD='${library}:libc.so.6' FAKETIME_TIMESTAMP_FILE='${file}' FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1`;
  const wrapper = join(folder, names[0] ?? '');
  writeFileSync(wrapper, `#!/bin/sh\n${environment} exec '${program}' "$@"\n`);
  chmodSync(wrapper, 0o755);
  return { folder, setClock };
}

async function startClocked(names: readonly string[], start: () => Promise<RunningServer>): Promise<ClockedServer> {
  const { folder, setClock } = await wrap(names);
  const path = process.env.PATH;
  process.env.PATH = `${folder}${delimiter}${path}`;
  try {
    const server = await start();
    return { server, setClock };
  } finally {
    process.env.PATH = path;
  }
}

/** A Redis of the test's own, always a program, wherever the other servers come from. */
export const startClockedRedis = (): Promise<ClockedServer> =>
  startClocked(['redis-server'], () => startRedis({ from: 'programs' }));

/** The same for a MariaDB or MySQL server. */
export const startClockedMysql = (): Promise<ClockedServer> =>
  startClocked(['mariadbd', 'mysqld'], () => startMysql({ from: 'programs' }));
