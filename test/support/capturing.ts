import { onTestFinished } from 'vitest';
import { parsePosition, positionText } from '../../src/capture/binlog/log-place.ts';
import { readTables } from '../../src/capture/binlog/log-reader.ts';
import { BinlogSource } from '../../src/capture/binlog/source.ts';
import { Capture, type CaptureOptions } from '../../src/capture/capture.ts';
import { hintBatches } from '../../src/capture/hints.ts';
import { type Mapping, mappedColumns, mappingDigest } from '../../src/capture/mapping.ts';
import { PatientPublisher } from '../../src/capture/publishing.ts';
import { bumpKeepingSuspension } from '../../src/index/epoch.ts';
import { readLogEnd } from '../../src/mysql/capture.ts';
import { Database } from '../../src/mysql/database.ts';
import { nextFencingToken } from '../../src/mysql/leases.ts';
import { readServer } from '../../src/mysql/server-record.ts';
import { connectionOptions } from './logged-mysql.ts';
import { recorder, silent } from './outbox-bench.ts';
import { until } from './until.ts';

/**
 * Captures a database in this process, until the test has finished or `stop` is called.
 * @param logUrl where the log is read, if not at the same address
 */
export async function capturing(
  url: string,
  mapping: Mapping,
  { logUrl = url, ...parts }: Partial<CaptureOptions> & { logUrl?: string } = {},
) {
  const database = new Database(url, { connections: 4, queue: 100, deadlineMs: 60_000 });
  const { tasks, publish } = recorder();
  const gaps: string[] = [];
  let found = '';
  const own = new URL(url).pathname.slice(1);
  const publisher = new PatientPublisher({ publish, checkRoom: async () => undefined }, silent, 'test');
  const capture = new Capture({
    database,
    source: 'binlog',
    open: (position) => {
      const from = parsePosition(position);
      if (from === undefined) throw new Error(`no position: ${position}`);
      const tables = readTables(mapping, { own, source: 'binlog', views: [] });
      return new BinlogSource({
        connection: connectionOptions(logUrl),
        from,
        tables,
        mapped: mappedColumns(mapping).values(),
      });
    },
    present: async () => positionText(await readLogEnd(database)),
    server: async () => (await readServer(database)).identity,
    check: async () => undefined,
    // Counted once the new position is fixed: what is committed from then on is captured.
    newEpoch: async (why) => {
      await bumpKeepingSuspension(database, why);
      gaps.push(found);
    },
    begin: hintBatches(mapping),
    mapping: mappingDigest(mapping),
    publisher,
    logger: silent,
    clock: { wall: () => Date.now(), now: () => performance.now() },
    stallMs: 18_000,
    onGap: (reason) => {
      found = reason;
    },
    ...parts,
  });
  const ending = new AbortController();
  const token = await nextFencingToken(database, 'capture', Date.now());
  const running = capture.run({ lease: 'capture', token }, ending.signal);
  running.catch(() => undefined);
  const stop = async () => {
    ending.abort();
    await running.catch(() => undefined);
    await database.close();
  };
  onTestFinished(stop);
  return { tasks, gaps, capture, stop, running, database };
}

/**
 * Makes a change, and waits until it is captured. One that a gap comes after is made again under another number, because the new
 * epoch stands for it.
 * @param gaps those seen so far; it grows
 */
export async function untilCaptured(
  first: number,
  change: (number: number) => Promise<unknown>,
  { isTold, gaps }: { readonly isTold: (number: number) => boolean; readonly gaps: readonly string[] },
): Promise<void> {
  for (let number = first; !isTold(number); number += 10_000) {
    const count = gaps.length;
    await change(number);
    await until(() => isTold(number) || gaps.length > count);
    if (isTold(number)) return;
  }
}
