import { beforeEach, expect, it } from 'vitest';
import { tokenOn } from '../../src/mysql/epoch-token.ts';
import { EpochsSeen } from '../../src/mysql/epochs-seen.ts';
import { proofOf } from '../../src/mysql/session.ts';

const SERVER = proofOf('uuid:one');
const OLD = tokenOn(SERVER, 'aaaaaaaa');
const NEW = tokenOn(SERVER, 'bbbbbbbb');

let epochs: EpochsSeen;

beforeEach(() => {
  epochs = new EpochsSeen();
});

it('the epoch is that of the statement that began last, whichever ends last', () => {
  expect([epochs.latest, epochs.server]).toEqual([undefined, undefined]);
  epochs.saw(NEW, 5);
  epochs.saw(OLD, 3);
  expect([epochs.latest, epochs.server]).toEqual([NEW, SERVER]);
});

it('it is known since a time if a statement has begun since', () => {
  expect(epochs.since(0)).toBeUndefined();
  epochs.saw(OLD, 5);
  expect([4, 5, 6].map((time) => epochs.since(time))).toEqual([OLD, OLD, undefined]);
  epochs.saw(OLD, 7);
  expect(epochs.since(6)).toBe(OLD);
});

it('listeners are called when it is another one', () => {
  const called: string[] = [];
  const forget = epochs.onChange(() => called.push(String(epochs.latest)));
  for (const [token, askedAt] of [
    [OLD, 1],
    [OLD, 2],
    [NEW, 3],
  ] as const) {
    epochs.saw(token, askedAt);
  }
  expect(called).toEqual([OLD, NEW]);
  forget();
  epochs.saw(OLD, 4);
  expect(called).toHaveLength(2);
});
