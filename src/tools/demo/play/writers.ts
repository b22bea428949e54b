import { setTimeout as pause } from 'node:timers/promises';
import { pick } from '../random.ts';
import { MOVES_OF_CONTACTS } from './moves-of-contacts.ts';
import { MOVES_OF_GROUPS } from './moves-of-groups.ts';
import type { Move, Stage } from './stage.ts';

/** Resolves when it is the caller's turn, or when aborted. */
export type WriterTurn = (signal: AbortSignal) => Promise<void>;

/**
 * Gives out turns at an even rate. Missed turns are not made up for, because that would be a burst. @param rate turns
 * per second
 */
export function pacedAt(rate: number): WriterTurn {
  let next = performance.now();
  return async (signal) => {
    const now = performance.now();
    next = Math.max(next + 1000 / rate, now);
    if (next > now) await pause(next - now, undefined, { signal }).catch(() => undefined);
  };
}

/** Each move as often as it is drawn. */
const DRAWN: readonly Move[] = [...MOVES_OF_CONTACTS, ...MOVES_OF_GROUPS].flatMap(([move, times]) =>
  Array<Move>(times).fill(move),
);

export interface WritersOptions {
  readonly stage: Stage;
  /** Concurrent writers. */
  readonly atOnce: number;
  /** Maximum changes per second of all writers together. */
  readonly rate: number;
  readonly onChange: () => void;
}

/** Changes the site until aborted; resolves when the last transaction has returned. */
export async function runWriters(
  { stage, atOnce, rate, onChange }: WritersOptions,
  signal: AbortSignal,
): Promise<void> {
  const turn = pacedAt(rate);
  const write = async () => {
    while (!signal.aborted) {
      await turn(signal);
      await pick(stage.random, DRAWN)(stage);
      onChange();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, write));
}
