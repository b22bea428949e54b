import { expect, it } from 'vitest';
import { Capture, type CaptureOptions } from '../../src/capture/capture.ts';
import { CaptureGap, type ChangeBatch, type ChangeSource } from '../../src/capture/change-source.ts';
import type { Database } from '../../src/mysql/database.ts';
import { silent } from '../support/outbox-bench.ts';

const SAVED = ['server', 'gtid:0-1-1', 'nonce', 'mapping', 0];
const NOTHING: ChangeBatch = { changes: [], at: undefined, echoes: [] };

/** Captures from this source until aborted. `done` has what was done to MySQL, in its order. @returns its waits, ms */
async function captureFrom(open: CaptureOptions['open'], signal: AbortSignal, done: string[] = []): Promise<number[]> {
  const waits: number[] = [];
  let time = 0;
  const database = {
    rows: async () => [SAVED],
    write: async () => {
      done.push('write');
      return { affectedRows: 1 };
    },
  };
  const capture = new Capture({
    database: database as unknown as Database,
    source: 'binlog',
    mapping: 'mapping',
    open,
    present: async () => {
      done.push('present');
      return 'gtid:0-1-1';
    },
    server: async () => 'server',
    check: async () => void done.push('check'),
    newEpoch: async () => void done.push('epoch'),
    begin: () => {
      throw new Error('nothing has changed');
    },
    publisher: { publish: async () => undefined },
    logger: silent,
    clock: { wall: () => time, now: () => ++time },
    stallMs: 18_000,
    pause: async (ms) => void waits.push(ms),
  });
  await capture.run({ lease: 'capture', token: '1' }, signal);
  return waits;
}

/** @param next of each batch: the bytes received with it, or what is wrong */
function sourceOf(batches: (number | Error)[]): ChangeSource {
  let received = 0;
  return {
    get received() {
      return received;
    },
    next: async () => {
      const batch = batches.shift() ?? new Error('the source has failed');
      if (batch instanceof Error) throw batch;
      received = batch;
      return NOTHING;
    },
    close: async () => undefined,
  };
}

it('capture waits longer after each failure of its source, and anew after one that got further', async () => {
  const sessions: number[][] = [[], [], [], [1], []];
  const ending = new AbortController();
  const open = () => {
    const batches = sessions.shift();
    if (batches === undefined) ending.abort();
    return sourceOf(batches ?? []);
  };
  expect(await captureFrom(open, ending.signal)).toEqual([100, 200, 400, 100, 200]);
});

it('capture writes its row before it takes the position of the present: what a gap was found in is committed then, and behind it', async () => {
  const ending = new AbortController();
  const done: string[] = [];
  let opened = 0;
  const open = () => {
    opened += 1;
    if (opened === 2) ending.abort();
    return sourceOf([new CaptureGap('statement', 'a statement')]);
  };
  await captureFrom(open, ending.signal, done);
  const begun = done.indexOf('write'); // of the session itself
  expect(done.slice(begun + 1, begun + 6)).toEqual(['write', 'check', 'present', 'epoch', 'write']);
});
