import type { SavedCapture } from '../mysql/capture.ts';
import { CaptureGap, type Echo } from './change-source.ts';

/** A place in MySQL's log in front of a write of capture's own row, for a source that does not say where it reads. */
export interface LogAnchor {
  /** The end of the log. */
  readonly end: () => Promise<string>;
  /** @throws CaptureGap: the write that was saved with it does not come first there */
  readonly prove: (saved: SavedCapture, signal: AbortSignal) => Promise<void>;
}

/**
 * Whether the log that is read is the one in which the position was saved. A position alone does not say so: after RESET, on
 * a restored server, or on one that has lost the end of its log, the same name stands for other transactions.
 *
 * So capture looks at its own row as it comes back. Reading begins in front of a write that has come back before, which must
 * come first, with its nonce. From then on each write has the number after the one before, or some of the log is missing.
 */
export class LogProof {
  #awaited: string | undefined;
  readonly #mayRepeat: boolean;
  #fence: number | undefined;

  /**
   * @param awaited the nonce of the write that comes first; undefined: the source keeps its own position, and may deliver twice
   * @param last the number of the last write that came before; undefined: the first one may have any
   */
  constructor(awaited: string | undefined, last?: number) {
    this.#awaited = awaited;
    this.#mayRepeat = awaited === undefined;
    this.#fence = last;
  }

  /** The number of the newest write that has come; undefined: none has. */
  get last(): number | undefined {
    return this.#fence;
  }

  /** Call with every write that comes back, in their order. @throws CaptureGap */
  see({ nonce, fence }: Pick<Echo, 'nonce' | 'fence'>): void {
    if (this.#awaited !== undefined && nonce !== this.#awaited) {
      throw new CaptureGap(
        'position',
        'the log is not the one in which the position was saved: it was reset or restored, or has lost its end',
      );
    }
    this.#awaited = undefined;
    const last = this.#fence ?? fence;
    if (fence > last + 1 || (fence < last && !this.#mayRepeat)) {
      throw new CaptureGap(
        'position',
        `the log has write ${fence} of Recency's own row after write ${last}: some of it is missing`,
      );
    }
    this.#fence = Math.max(last, fence);
  }
}
