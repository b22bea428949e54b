import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { Database } from '../../src/mysql/database.ts';
import { WatchSweep } from '../../src/push/watch-sweep.ts';

const DUE = 1_200;

/** A database with so many watches that are due, all at once. @returns whose checks are asked for */
function sweepOf(isBehind: () => boolean) {
  const checked: string[] = [];
  const rows = async (text: string, values: readonly unknown[]) => {
    if (!text.includes('recency_watches')) return [['an epoch', '0']];
    if (!text.includes('w.due_at <=')) return [];
    const [after, limit] = values.slice(-2).map(Number) as [number, number];
    const ids = Array.from({ length: DUE }, (_, i) => i + 1).filter((id) => id > after);
    return ids.slice(0, limit).map((id) => [String(id), String(id), '1']);
  };
  const watched = {
    add: async () => undefined,
    check: async (users: readonly string[]) => void checked.push(...users),
  };
  const database = { rows } as unknown as Database;
  return { checked, sweep: new WatchSweep({ database, watched, isBehind, logger: pino({ level: 'silent' }) }) };
}

it('adds few to those who wait while more wait than are taken, and goes on where it stopped', async () => {
  const state = { isBehind: true };
  const { checked, sweep } = sweepOf(() => state.isBehind);
  await sweep.runOnce();
  await sweep.runOnce();
  expect(checked).toEqual(Array.from({ length: 100 }, (_, i) => String(i + 1)));
  state.isBehind = false;
  await sweep.runOnce();
  expect(new Set(checked).size).toBe(DUE);
  expect(checked).toHaveLength(DUE);
});
