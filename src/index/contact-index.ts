import type { Id } from '../contracts/id.ts';
import type { Key } from '../contracts/key.ts';
import type { Allowance } from './allowance.ts';

/** A random value that every write to an index replaces. '': none, the user is cold. */
export type Nonce = string;

/** A random token kept in MySQL; an index of another epoch counts as cold. */
export type Epoch = string;

/** What MySQL says about a contact: `at` is the last upload in ms since 1970 UTC; 0: it must not be in the index. */
export type Change = Key;

export interface ApplyRequest {
  readonly user: Id;
  /** The nonce that was read before the rows. */
  readonly seen: Nonce;
  readonly changes: readonly Change[];
}

/**
 * - `applied`: written
 * - `rebuild_due`: written; fewer than min members are left and the index is not complete
 * - `raced`: the nonce has changed; nothing written, read again
 * - `cold`: there is no index; nothing to do
 * - `dropped`: what was there was not a whole index of this epoch; deleted
 * - `unread`: the index was whole, but nobody has read it for as many changes as it takes without a read; deleted
 * - `wrong_type`: a foreign key is in the way; counts as cold
 */
export type ApplyOutcome = 'applied' | 'rebuild_due' | 'raced' | 'cold' | 'dropped' | 'unread' | 'wrong_type';

export interface ReplaceRequest {
  readonly user: Id;
  /** The nonce claimed before the rows were read. */
  readonly seen: Nonce;
  /** The user's best contacts, highest key first, at most max + 1. */
  readonly top: readonly Key[];
  /** The changes that it takes without a read. An index that is there already keeps what it has left. */
  readonly allowance: Allowance;
}

/** As in {@link ApplyOutcome}. */
export type ReplaceOutcome = 'replaced' | 'raced' | 'wrong_type';

/** In place of a nonce: the user was forgotten since the rebuild was requested. */
export const FORGOTTEN = '-';

/** How long it is remembered that a user was forgotten: longer than a rebuild that was requested earlier may wait, ms. */
export const FORGOTTEN_MS = 3_600_000;

/** A whole index, or its head. Only MySQL can say whether its epoch is current. */
export interface WarmReading {
  readonly state: 'warm';
  readonly nonce: Nonce;
  readonly epoch: Epoch;
  /** Highest key first. */
  readonly head: readonly Key[];
  readonly size: number;
  /** The highest key ever left out; undefined: none was left out, the index is complete. */
  readonly floor: Key | undefined;
  /** The day on which it was last read or built, by the clock of Redis: days since 1970 UTC. */
  readonly lastUsed: number;
  /** The changes that it still takes without a read, and those that it takes after one; undefined: 0.1.0 has written it last. */
  readonly allowance: { readonly left: Allowance; readonly whole: Allowance } | undefined;
  /** Of the server that was read, see `RedisMaster`. */
  readonly replicationId: string;
}

/**
 * - `cold`: no index
 * - `building`: a rebuild is running
 * - `torn`: fields are missing, or the set has not the size that was written (one of the two keys was evicted)
 * - `wrong_type`: a foreign key is in the way
 * To a reader all of them are cold.
 */
export interface ColdReading {
  readonly state: 'cold' | 'building' | 'torn' | 'wrong_type';
  /** The epoch that a torn index names; undefined: none. */
  readonly epoch?: Epoch;
  /** Torn because its floor is not a number. */
  readonly unreadableFloor?: true;
}

export type Reading = WarmReading | ColdReading;

/** The users' indexes. Each method is atomic for each user. A call must not name a user twice. */
export interface ContactIndex {
  /** The nonces, in the order of the users. */
  nonces(users: readonly Id[]): Promise<Nonce[]>;
  /** Writes changes, at most 500 pairs of user and contact. The outcomes are in the order of the requests. */
  apply(epoch: Epoch, requests: readonly ApplyRequest[]): Promise<ApplyOutcome[]>;
  /**
   * Gives each user a nonce who has none, and returns the current nonces: '' if a key of the wrong type is in the way;
   * FORGOTTEN if the user was forgotten and has not been read since.
   * @param asked these indexes are requested now, whether forgotten or not (false)
   */
  claim(users: readonly Id[], asked?: boolean): Promise<Nonce[]>;
  /** Writes whole indexes. The outcomes are in the order of the requests. */
  replace(epoch: Epoch, requests: readonly ReplaceRequest[]): Promise<ReplaceOutcome[]>;
  /** Reads the first `count` members (0: all). `touch`: the index is being used, not only inspected. */
  read(user: Id, count: number, touch: boolean): Promise<Reading>;
  /** The same of several users, in their order. */
  readMany(users: readonly Id[], count: number, touch: boolean): Promise<Reading[]>;
  /** Drops the users' indexes. A running rebuild may bring them back. */
  drop(users: readonly Id[]): Promise<void>;
  /**
   * Drops the users' indexes and leaves a note for `ms`, so that no rebuild that was requested earlier brings one back.
   * `soft`: until the user is read or a rebuild is requested by name; `hard`: not even then.
   */
  bar(users: readonly Id[], note: 'soft' | 'hard', ms: number): Promise<void>;
  /** Drops those of the users' indexes whose last use is more than `days` ago (1 or more). Returns how many. */
  dropIdle(users: readonly Id[], days: number): Promise<number>;
}

/** As configured: the most members of an index, and the fewest of one that leaves contacts out. */
export interface Limits {
  readonly max: number;
  readonly min: number;
  /** Rows of the view up to which a user has no index. Left out: only who has none. */
  readonly indexAbove?: number;
  /** The limits of an index that was built under others. Left out: there are none. */
  readonly widest?: { readonly max: number; readonly min: number };
}

/** How an index breaks rule I2: `cap`, more members than max; `floor`, fewer than min though contacts were left out. */
export function outsideLimits(
  { size, floor }: Pick<WarmReading, 'size' | 'floor'>,
  { max, min, widest = { max, min } }: Limits,
): 'cap' | 'floor' | undefined {
  if (size > widest.max) return 'cap';
  return size < widest.min && floor !== undefined ? 'floor' : undefined;
}
