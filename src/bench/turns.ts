import { quantile } from '../rig/quantile.ts';

/** One thing that is measured, and by what its row is known. */
export interface Turn<Row> {
  readonly row: Row;
  /** Does it once. @returns what was measured */
  readonly take: (round: number) => Promise<number>;
}

export interface TurnsOptions {
  /** Rounds that count, and those before them that do not. */
  readonly rounds: number;
  readonly warmUp: number;
  readonly onRound?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Takes all turns of a round one after the other, round by round (A B C A B C), so that whatever else the machine does
 * falls on all of them alike.
 * @returns the rows, each with the median of its rounds
 */
export async function inTurns<Row extends object>(
  turns: readonly Turn<Row>[],
  { rounds, warmUp, onRound, signal }: TurnsOptions,
): Promise<(Row & { median: number })[]> {
  const measured = turns.map(({ row, take }) => ({ row, take, values: [] as number[] }));
  for (let round = 0; round < warmUp + rounds; round++) {
    for (const { take, values } of measured) {
      signal?.throwIfAborted();
      const value = await take(round);
      if (round >= warmUp) values.push(value);
    }
    onRound?.(round + 1, warmUp + rounds);
  }
  return measured.map(({ row, values }) => ({ ...row, median: quantile(values, 0.5) }));
}

/** Seconds that some work takes. */
export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return (performance.now() - from) / 1000;
}
