import type { Delivery } from './task-source.ts';

/** Why a delivery can never be applied. */
export interface Failure {
  /** The class of the error, for example `InvalidTask`. */
  readonly errorClass: string;
  readonly message: string;
  /** How many times it was tried. */
  readonly attempts: number;
}

/** A message put aside: its body, up to a bound, and its headers, with the `dlq-…` headers of DESIGN §6 beside them. */
export interface DeadLetter {
  /** Its place among the dead letters, for `dlq show` and `dlq replay`. */
  readonly id: string;
  readonly body: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
  /** When it was put aside, ms since 1970 UTC. */
  readonly timestamp: number;
}

/** A letter in a list: without its body, of which many would take much memory. */
export interface ListedLetter extends Omit<DeadLetter, 'body'> {
  /** Of the body that is kept; null: it has none. */
  readonly bytes: number | null;
}

/** A letter does not hold the message as it was sent, so it cannot be sent again. Nothing was put back. */
export class NotReplayable extends Error {
  override readonly name = 'NotReplayable';
}

export interface Replayed {
  /** How many are on the topic again. */
  readonly replayed: number;
  /** The ids by which there is no letter. */
  readonly missing: readonly string[];
}

/** A letter put twice is listed twice. Letters stay listed when they were replayed: a replayed task that fails again is a new one. */
export interface DeadLetters {
  /**
   * Resolves once the transport has them durably: only then may the original be acknowledged.
   * @throws MessageRefused where there is one letter, and the transport will never take it
   */
  put(letters: readonly { delivery: Delivery; failure: Failure }[]): Promise<void>;
  /** Oldest first, at most `limit`, after the one named. @throws RangeError for what is not an id */
  list(options: { limit: number; after?: string }): Promise<ListedLetter[]>;
  get(id: string): Promise<DeadLetter | undefined>;
  /**
   * Puts these back on the topic of the tasks with their original bytes and headers, each once, as far as there are such letters.
   * @throws NotReplayable when one of them is truncated, or is a batch that could not be read
   */
  replay(ids: readonly string[]): Promise<Replayed>;
  close(): Promise<void>;
}
