import type { Delivery } from './task-source.ts';

/** Why a delivery can never be applied. */
export interface Failure {
  /** The class of the error, for example `InvalidTask`. */
  readonly errorClass: string;
  readonly message: string;
  /** How many times it was attempted. */
  readonly attempts: number;
}

/** A message that was set aside: its body, possibly truncated, its headers and the `dlq-…` headers. */
export interface DeadLetter {
  /** Identifies it in `dlq show` and `dlq replay`. */
  readonly id: string;
  readonly body: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
  /** When it was set aside, ms since 1970 UTC. */
  readonly timestamp: number;
}

/** A letter in a list, without its body: many bodies would take much memory. */
export interface ListedLetter extends Omit<DeadLetter, 'body'> {
  /** Bytes of the body that are kept; null if there is no body. */
  readonly bytes: number | null;
}

/** A letter does not hold the whole message, so it cannot be sent again. Nothing was replayed. */
export class NotReplayable extends Error {
  override readonly name = 'NotReplayable';
}

export interface Replayed {
  /** How many are on the transport again. */
  readonly replayed: number;
  /** Ids without a letter. */
  readonly missing: readonly string[];
}

/** A letter put twice is listed twice. Replayed letters stay listed; a replayed task that fails again is a new letter. */
export interface DeadLetters {
  /**
   * Resolves once the transport has stored the letters durably: only then may the originals be acknowledged.
   * @throws MessageRefused if there is only one letter and the transport will never take it
   */
  put(letters: readonly { delivery: Delivery; failure: Failure }[]): Promise<void>;
  /** At most `limit` letters after the given one, oldest first. @throws RangeError if `after` is not an id */
  list(options: { limit: number; after?: string }): Promise<ListedLetter[]>;
  get(id: string): Promise<DeadLetter | undefined>;
  /**
   * Sends letters to the transport again with their original bytes and headers, each once. Ids without a letter are skipped.
   * @throws NotReplayable if one of them is truncated, or is a batch that could not be read
   */
  replay(ids: readonly string[]): Promise<Replayed>;
  close(): Promise<void>;
}
