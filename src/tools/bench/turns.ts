import { quantile } from '../harness/latency.ts';

/** One measurement, and its row. */
export interface Turn<ResultRow> {
  readonly row: ResultRow;
  readonly take: (round: number) => Promise<number>;
}

export interface TurnsOptions {
  /** Rounds that count, and warm-up rounds before them. */
  readonly rounds: number;
  readonly warmUp: number;
  readonly onRound?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Takes all turns of a round one after the other, group by group, so that whatever else the machine does falls on all of
 * them alike. In each round another one is the first of its group (A B C, B C A): what goes before a group, or is left of it in a
 * cache, falls on each of them in turn as well.
 * @returns the rows, each with the median of its rounds
 */
export async function inTurns<ResultRow extends object>(
  groups: readonly (readonly Turn<ResultRow>[])[],
  { rounds, warmUp, onRound, signal }: TurnsOptions,
): Promise<(ResultRow & { median: number })[]> {
  const measured = groups.map((group) => group.map((turn) => ({ ...turn, values: [] as number[] })));
  for (let round = 0; round < warmUp + rounds; round++) {
    for (const { take, values } of measured.flatMap((group) => beginningAt(group, round))) {
      signal?.throwIfAborted();
      const value = await take(round);
      if (round >= warmUp) values.push(value);
    }
    onRound?.(round + 1, warmUp + rounds);
  }
  return measured.flat().map(({ row, values }) => ({ ...row, median: quantile(values, 0.5) }));
}

export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return (performance.now() - from) / 1000;
}

function beginningAt<T>(items: readonly T[], position: number): T[] {
  const first = position % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
