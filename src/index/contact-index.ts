import type { Id } from '../contracts/id.ts';
import type { Key } from '../contracts/key.ts';

/** A random value that every write to an index replaces. '' is none: the user is cold. */
export type Nonce = string;

/** A random token kept in MySQL; indexes of another epoch count as cold. */
export type Epoch = string;

/** What MySQL says of a contact: the last upload in ms since 1970 UTC; 0: not to be in the index. */
export type Change = Key;

export interface ApplyRequest {
  readonly user: Id;
  /** The nonce that was read before the rows were. */
  readonly seen: Nonce;
  readonly changes: readonly Change[];
}

/**
 * - `applied`: written
 * - `rebuild_due`: written; fewer than min are left and the index is not complete
 * - `raced`: the nonce moved; nothing written, read again
 * - `cold`: there is no index; nothing to do
 * - `dropped`: there was something that is no whole index of this epoch; deleted
 * - `wrong_type`: a key that is not Recency's is in the way; counts as cold
 */
export type ApplyOutcome = 'applied' | 'rebuild_due' | 'raced' | 'cold' | 'dropped' | 'wrong_type';

export interface ReplaceRequest {
  readonly user: Id;
  /** The nonce claimed before the rows were read. */
  readonly seen: Nonce;
  /** The user's best contacts, highest key first, max + 1 at the most; undefined: no index is to be kept. */
  readonly top: readonly Key[] | undefined;
}

/** `removed`: none is kept, as was asked for. */
export type ReplaceOutcome = 'replaced' | 'removed' | 'raced' | 'wrong_type';

/** In place of a nonce: the user was forgotten since the rebuild was asked for. */
export const FORGOTTEN = '-';

/** How long it is remembered that a user was forgotten: longer than a rebuild that was asked for before may wait, ms. */
export const FORGOTTEN_MS = 3_600_000;

/** A whole index, or its head. Whether it is of the epoch in force only MySQL can say. */
export interface WarmReading {
  readonly state: 'warm';
  readonly nonce: Nonce;
  readonly epoch: Epoch;
  /** Highest key first. */
  readonly head: readonly Key[];
  readonly size: number;
  /** The highest key ever left out; undefined: none was, the index is complete. */
  readonly floor: Key | undefined;
  /** The day on which it was last read or built, by Redis's clock: days since 1970 UTC. */
  readonly lastUsed: number;
}

/**
 * - `cold`: no index
 * - `building`: a rebuild is under way
 * - `torn`: fields are missing, or the set is not of the size that was written (one of the two keys was evicted)
 * - `wrong_type`: a key that is not Recency's is in the way
 * All of them are cold to a reader.
 */
export interface ColdReading {
  readonly state: 'cold' | 'building' | 'torn' | 'wrong_type';
  /** What a torn index says its epoch is; undefined: nothing. */
  readonly epoch?: Epoch;
  /** Torn by its floor, which is no number. */
  readonly unreadableFloor?: true;
}

export type Reading = WarmReading | ColdReading;

/** The users' indexes. Each method is atomic for each user. No user may be named twice in one call. */
export interface ContactIndex {
  /** The nonces, in the order of the users. */
  nonces(users: readonly Id[]): Promise<Nonce[]>;
  /** The outcomes, in the order of the requests; at most 500 pairs of user and contact. */
  apply(epoch: Epoch, requests: readonly ApplyRequest[]): Promise<ApplyOutcome[]>;
  /**
   * The nonces in force after each user has one; '' where a key of the wrong type is in the way; FORGOTTEN where the user was
   * forgotten and nobody has read since.
   * @param asked somebody asks for these very indexes now, forgotten or not (false)
   */
  claim(users: readonly Id[], asked?: boolean): Promise<Nonce[]>;
  replace(epoch: Epoch, requests: readonly ReplaceRequest[]): Promise<ReplaceOutcome[]>;
  /** The first `count` members (0: all). `touch`: it is being used, not only looked at. */
  read(user: Id, count: number, touch: boolean): Promise<Reading>;
  /** Drops the users' indexes. A rebuild under way may bring them back. */
  drop(users: readonly Id[]): Promise<void>;
  /**
   * Drops the users' indexes, and notes for so many ms that they were: no rebuild brings one back that was asked for before.
   * `soft`: until the user is read or a rebuild is asked for by name; `hard`: not even then.
   */
  bar(users: readonly Id[], note: 'soft' | 'hard', ms: number): Promise<void>;
  /** Drops those of the users' indexes whose last use is more than so many days ago, 1 or more. How many it were. */
  dropIdle(users: readonly Id[], days: number): Promise<number>;
}

/** As configured: the most members of an index, and the fewest of one that leaves contacts out. */
export interface Limits {
  readonly max: number;
  readonly min: number;
}

/** How an index breaks rule I2: `cap`, more members than max; `floor`, fewer than min though contacts were left out. */
export function outsideLimits(
  { size, floor }: Pick<WarmReading, 'size' | 'floor'>,
  { max, min }: Limits,
): 'cap' | 'floor' | undefined {
  if (size > max) return 'cap';
  return size < min && floor !== undefined ? 'floor' : undefined;
}
