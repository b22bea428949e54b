import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { Database } from '../../src/mysql/database.ts';
import { tokenOn } from '../../src/mysql/epoch-token.ts';
import { proofOf } from '../../src/mysql/session.ts';

const SERVER = proofOf('uuid:one');
const OLD = tokenOn(SERVER, 'aaaaaaaa');
const NEW = tokenOn(SERVER, 'bbbbbbbb');

let database: Database;

beforeEach(() => {
  database = new Database('mysql://127.0.0.1:1/none', { connections: 1, queue: 1, deadlineMs: 1_000 });
  onTestFinished(() => database.close());
});

it('the epoch is that of the statement that began last, whichever ends last', () => {
  expect(database.epoch).toBeUndefined();
  database.sawEpoch(NEW, 5);
  database.sawEpoch(OLD, 3);
  expect(database.epoch).toBe(NEW);
  expect(database.onRecord).toBe(SERVER);
});

it('it is known since a time if a statement has begun since', () => {
  expect(database.epochSince(0)).toBeUndefined();
  database.sawEpoch(OLD, 5);
  expect([4, 5, 6].map((time) => database.epochSince(time))).toEqual([OLD, OLD, undefined]);
  database.sawEpoch(OLD, 7);
  expect(database.epochSince(6)).toBe(OLD);
});

it('listeners are called when it is another one', () => {
  const called: string[] = [];
  const forget = database.onEpoch(() => called.push(String(database.epoch)));
  for (const [token, askedAt] of [
    [OLD, 1],
    [OLD, 2],
    [NEW, 3],
  ] as const)
    database.sawEpoch(token, askedAt);
  expect(called).toEqual([OLD, NEW]);
  forget();
  database.sawEpoch(OLD, 4);
  expect(called).toHaveLength(2);
});
