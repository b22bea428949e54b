import { CaptureGap, type RowChange } from '../change-source.ts';
import type { Xid } from './log-event.ts';

/** Rows of prepared transactions that are kept, together. */
const MOST_ROWS = 200_000;

/** What was prepared; undefined: too much to keep. */
type Kept = readonly RowChange[] | undefined;

/**
 * The rows of an XA transaction are in the log when it is prepared, which may be long before it is committed. So they are kept
 * until XA COMMIT, and no position is given meanwhile: after a restart they are read again.
 *
 * A transaction that was prepared before what is read here is committed here without its rows: a gap. So is one that had too many
 * rows to keep.
 */
export class XaTransactions {
  readonly #prepared = new Map<Xid, Kept>();
  #rows = 0;
  #open: RowChange[] | undefined;
  #isTooLarge = false;
  readonly #most: number;

  constructor(most = MOST_ROWS) {
    this.#most = most;
  }

  /** Whether rows of prepared transactions wait. Those without any cannot be lost. */
  get hasPrepared(): boolean {
    return [...this.#prepared.values()].some((rows) => rows === undefined || rows.length > 0);
  }

  /** Whether the rows that come belong to one. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  begin(): void {
    this.#open ??= [];
  }

  /** Keeps rows of the open transaction. @returns `kept` */
  keep<T>(changes: readonly RowChange[], kept: T): T {
    if (this.#isTooLarge) return kept;
    if (this.#rows + (this.#open?.length ?? 0) + changes.length > this.#most) {
      this.#isTooLarge = true;
      this.#open = [];
      return kept;
    }
    for (const change of changes) this.#open?.push(change);
    return kept;
  }

  /** The open transaction, if there is one, was committed at once. @returns its rows @throws CaptureGap: too many to keep */
  end(): readonly RowChange[] {
    const rows = this.#isTooLarge ? undefined : (this.#open ?? []);
    this.#open = undefined;
    this.#isTooLarge = false;
    return kept(rows);
  }

  /** The open transaction is prepared. */
  prepare(xid: Xid): readonly RowChange[] {
    const rows = this.#isTooLarge ? undefined : (this.#open ?? []);
    this.#open = undefined;
    this.#isTooLarge = false;
    this.#prepared.set(xid, rows);
    this.#rows += rows?.length ?? 0;
    return [];
  }

  /**
   * @param does the word after XA
   * @param rest what follows: `X'6162',X'',1`
   * @returns rows that are committed by it
   * @throws CaptureGap
   */
  statement(does: string, rest: string): readonly RowChange[] {
    if (does === 'START' || does === 'BEGIN') this.begin();
    if (does !== 'COMMIT' && does !== 'ROLLBACK') return [];
    if (/ONE\s+PHASE\s*$/i.test(rest)) return this.end();
    const xid = rest.replaceAll(/\s/g, '').toLowerCase();
    const isKnown = this.#prepared.has(xid);
    const rows = this.#prepared.get(xid);
    this.#prepared.delete(xid);
    this.#rows -= rows?.length ?? 0;
    if (does === 'ROLLBACK') return [];
    if (!isKnown) {
      throw new CaptureGap('position', 'an XA transaction was committed that was prepared before what was read');
    }
    return kept(rows);
  }
}

function kept(rows: Kept): readonly RowChange[] {
  if (rows !== undefined) return rows;
  throw new CaptureGap('unreadable', 'an XA transaction has changed more rows than can be kept until its commit');
}
