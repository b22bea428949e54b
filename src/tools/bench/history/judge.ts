/** Judges a history by SQL over the base table alone, which is read after every statement. */
import type { Said } from './captured.ts';

/** A change of a pair, and how much had been said, and when, before its statement was sent. */
interface PairChange {
  readonly pair: string;
  readonly during: string;
  readonly hintsBefore: number;
  readonly sentAt: number;
}

/** By pair, the rest of the row. */
export type RowsByPair = ReadonlyMap<string, string>;

/** What a TRUNCATE that fails on MariaDB has emptied, its log does not say (docs/capture.md). */
export const UNLOGGED = Symbol('unlogged');

export class HistoryJudge {
  readonly #read: () => Promise<RowsByPair>;
  readonly #said: Said;
  readonly #changes: PairChange[] = [];
  #rows: RowsByPair;

  private constructor(read: () => Promise<RowsByPair>, said: Said, rows: RowsByPair) {
    this.#read = read;
    this.#said = said;
    this.#rows = rows;
  }

  static async of(read: () => Promise<RowsByPair>, said: Said): Promise<HistoryJudge> {
    return new HistoryJudge(read, said, await read());
  }

  /** @param during for people @param work what may change rows; UNLOGGED: nobody can be told of what it has changed */
  async during(during: string, work: () => Promise<unknown>): Promise<void> {
    const [hintsBefore, sentAt] = [this.#said.hints.length, performance.now()];
    const outcome = await work();
    const before = this.#rows;
    this.#rows = await this.#read();
    if (outcome === UNLOGGED) return;
    for (const pair of changedPairs(before, this.#rows)) this.#changes.push({ pair, during, hintsBefore, sentAt });
  }

  /** Once everything has come through: each change was hinted at after its statement was sent, or an epoch began after that. */
  verdict(): { readonly changes: number; readonly missed: readonly string[] } {
    const { hints, epochs } = this.#said;
    const isTold = ({ pair, hintsBefore, sentAt }: PairChange) =>
      hints.indexOf(pair, hintsBefore) >= 0 || epochs.some((at) => at >= sentAt);
    const missed = this.#changes.filter((change) => !isTold(change));
    return { changes: this.#changes.length, missed: missed.map(({ pair, during }) => `${pair} by ${during}`) };
  }
}

function changedPairs(before: RowsByPair, after: RowsByPair): string[] {
  const pairs = new Set([...before.keys(), ...after.keys()]);
  return [...pairs].filter((pair) => before.get(pair) !== after.get(pair));
}
