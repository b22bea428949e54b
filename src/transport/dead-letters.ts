import type { Id } from '../contracts/id.ts';
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

export interface Discarded {
  readonly discarded: readonly string[];
  /** Ids without a letter. */
  readonly missing: readonly string[];
}

/** Dead letters as a transport keeps them: a letter put twice is listed twice, and replayed letters stay listed. */
export interface TransportLetters {
  /**
   * Resolves once the transport has stored the letters durably: only then may the originals be acknowledged.
   * @throws MessageRefused if there is only one letter and the transport will never take it
   */
  put(letters: readonly { delivery: Delivery; failure: Failure }[]): Promise<void>;
  /** At most `limit` letters after the given one, oldest first. @throws RangeError if `after` is not an id */
  list(options: { limit: number; after?: string }): Promise<ListedLetter[]>;
  get(id: string): Promise<DeadLetter | undefined>;
  /** Every letter with its body, oldest first in each part of the transport. */
  all(): AsyncIterable<DeadLetter>;
  /** Removes letters for good. Undefined: the transport cannot, and keeps them until its retention ends. */
  readonly remove?: (ids: readonly string[]) => Promise<void>;
  /**
   * Sends letters to the transport again with their original bytes and headers, each once. Ids without a letter are skipped.
   * @throws NotReplayable if one of them is truncated, or is a batch that could not be read
   */
  replay(ids: readonly string[]): Promise<Replayed>;
  close(): Promise<void>;
}

/** What became of the letters that name a user. */
export interface ErasedLetters {
  /** How many were removed: those that name nobody else. */
  readonly erased: number;
  /** How many are left: they also concern others, cannot be read as a task, or the transport removes no single one. */
  readonly left: number;
  /** When the newest of those left was set aside, ms since 1970 UTC; undefined: none is left. */
  readonly newest: number | undefined;
}

/**
 * Dead letters that somebody has to deal with. What was replayed or discarded is not listed any more; a replayed task that fails
 * again is a new letter, which says why it failed before, too.
 */
export interface DeadLetters extends Omit<TransportLetters, 'all' | 'remove'> {
  /**
   * Lists these no longer.
   * @param which their ids, or all of a type (`ce_type`) among the 10,000 oldest that are listed
   * @param why kept with them
   */
  discard(which: readonly string[] | { readonly type: string }, why: string): Promise<Discarded>;
  /** The ids of all letters that name this user, or may: also those that are not listed any more. */
  naming(user: Id): Promise<ReadonlySet<string>>;
  /** Removes letters that name this user, also those that are not listed any more. */
  erase(user: Id): Promise<ErasedLetters>;
}

/** Dead letters in JSON, for the command line and the console. */

const LATEST_TIME = 8.64e15;

export function listedLetterView({ id, bytes, headers, timestamp }: ListedLetter) {
  return { id, time: letterTime(timestamp), headers, bytes };
}

/** A body that is not UTF-8 is in base64. */
export function letterView({ id, body, headers, timestamp }: DeadLetter) {
  const text = body?.toString('utf8');
  const isText = body === null || Buffer.from(text ?? '').equals(body);
  const shown = isText ? { body: text ?? null } : { body: body.toString('base64'), encoding: 'base64' };
  return { id, time: letterTime(timestamp), headers, ...shown };
}

/** Capped at the latest time that a Date can hold: the producer set the timestamp. */
export function letterTime(timestamp: number): string {
  return new Date(Math.min(timestamp, LATEST_TIME)).toISOString();
}
