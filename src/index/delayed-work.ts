/**
 * Work to be done later. Refreshes and rebuilds wait in a delay queue in Redis; re-checks wait in MySQL, because they must
 * survive the loss of Redis.
 */
import type { Id } from '../contracts/id.ts';
import type { Kind } from '../contracts/kind.ts';
import type { Database } from '../mysql/database.ts';
import { claimRechecks, deleteRechecks, insertRechecks, type RecheckRow, readRechecksOf } from '../mysql/rechecks.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import { readPairs } from '../mysql/statements/pairs.ts';
import type { DelayQueue, Held } from '../redis/delay-queue.ts';
import { chunks } from '../timing/batches.ts';
import { IdlePause } from '../timing/idle-pause.ts';
import {
  EVERYBODY,
  keyOf,
  type PendingSource,
  type PendingWork,
  type Suspect,
  type SuspectKey,
} from './drain-barrier.ts';
import type { UnfinishedWork, VersionedPair } from './protocol.ts';
import { isStoreFault } from './store-fault.ts';

/** One item of delayed work. Its JSON text is its identity in the delay queue: equal items are one. */
export type DelayedItem =
  | { readonly kind: 'refresh'; readonly user: Id; readonly contact: Id }
  | { readonly kind: 'rebuild'; readonly user: Id }
  /**
   * A pair whose row was older than its task said. `attempt` counts from 1. Kept in MySQL (see {@link Rechecks}); in a delay
   * queue only where a version before 0003_outbox_due has left it, and if it is still behind then it moves to MySQL.
   */
  | {
      readonly kind: 'recheck';
      readonly user: Id;
      readonly contact: Id;
      readonly version: string;
      readonly attempt: number;
    };

/** A refresh that lost its races waits this long, so that the others can finish, ms. */
const CONTENDED_MS = 100;

/** Many reads may ask for a rebuild of the same index; one is enough, ms. */
const REBUILD_DEBOUNCE_MS = 250;

/** How often a process looks for delayed work: rarely where nothing is put, as the process that puts it looks for it. */
const DELAYED_LOOKS = { firstMs: 100, longestMs: 2_000 };

/** The same for re-checks, which wait for commits. */
const RECHECK_LOOKS = { firstMs: 250, longestMs: 2_000 };

/** Items dropped in one call, so that none blocks Redis for long. */
const ITEMS_A_CALL = 200;

/** How the texts of the items begin that carry a change. */
const CHANGES = [prefixOf('refresh', {}), prefixOf('recheck', {})];

/**
 * Refreshes and rebuilds to be done later, in a delay queue. Only work that a new epoch makes unnecessary may wait there: when
 * Redis is lost the queue is lost too, and the rebuilds of the new epoch do what it would have done.
 */
export class DelayedWork implements PendingSource {
  /** Between two looks of this process that find nothing. */
  readonly looks = new IdlePause(DELAYED_LOOKS);
  readonly #queue: DelayQueue;

  constructor(queue: DelayQueue) {
    this.#queue = queue;
  }

  /** Delays what could not be finished now. @throws RedisUnavailable */
  async defer({ pairs, rebuilds }: UnfinishedWork): Promise<void> {
    const items: DelayedItem[] = [
      ...pairs.map(({ user, contact }) => ({ kind: 'refresh', user, contact }) as const),
      ...rebuilds.map((user) => ({ kind: 'rebuild', user }) as const),
    ];
    await this.#queue.put(items.map(textOf), CONTENDED_MS);
    this.looks.end();
  }

  /** A read found that the user's index has too few members. @throws RedisUnavailable */
  async askForRebuild(user: Id): Promise<void> {
    await this.#queue.put([textOf({ kind: 'rebuild', user })], REBUILD_DEBOUNCE_MS);
  }

  /**
   * Drops the refreshes and rebuilds of these users, whether they wait or are being done. Re-checks stay, in the queue and in
   * MySQL: the commit that they wait for is still to come, and an index built before it will need them.
   */
  async forget(users: readonly Id[]): Promise<void> {
    const refreshes = users.map((user) => prefixOf('refresh', { user }));
    const waiting = await this.#queue.waiting(refreshes);
    const dropped = [...users.map((user) => textOf({ kind: 'rebuild', user })), ...waiting];
    for (const some of chunks(dropped, ITEMS_A_CALL)) await this.#queue.drop(some);
  }

  /** The items about these suspects that wait or are being done, by their text. @throws RedisUnavailable */
  async pendingFor(suspects: readonly Suspect[]): Promise<PendingWork> {
    const pending = new Map<SuspectKey, Set<string>>(suspects.map((suspect) => [keyOf(suspect), new Set()]));
    for (const text of await this.#queue.waiting(suspects.flatMap(prefixesFor))) {
      for (const suspect of suspectsOf(JSON.parse(text) as DelayedItem)) pending.get(keyOf(suspect))?.add(text);
    }
    return pending;
  }

  /**
   * The items that carry a change, as pending for each suspect, whomever they are about. Rebuilds carry none: an index that
   * waits for one is small, or cold, but not wrong.
   * @param onAnswer see {@link DelayQueue.waiting}
   */
  changes(onAnswer?: (replicationId: string) => void): PendingSource {
    return {
      pendingFor: async (suspects) => {
        const found = await this.#queue.waiting(CHANGES, onAnswer);
        return new Map(suspects.map((suspect) => [keyOf(suspect), found]));
      },
    };
  }

  /** Due items, at most `count`, to be finished within `leaseMs`; otherwise they come again. @throws RedisUnavailable */
  async take(count: number, leaseMs: number): Promise<Held<DelayedItem>> {
    const { items, leaseEnd } = await this.#queue.take(count, leaseMs);
    return { items: items.map((text) => JSON.parse(text) as DelayedItem), leaseEnd };
  }

  /** Extends the hold to `leaseMs` from now, and returns the items that are still held. @throws RedisUnavailable */
  async extend({ items, leaseEnd }: Held<DelayedItem>, leaseMs: number): Promise<Held<DelayedItem>> {
    const held = await this.#queue.extend({ items: items.map(textOf), leaseEnd }, leaseMs);
    return { items: held.items.map((text) => JSON.parse(text) as DelayedItem), leaseEnd: held.leaseEnd };
  }

  /** These items are done. @throws RedisUnavailable */
  async finish({ items, leaseEnd }: Held<DelayedItem>): Promise<void> {
    await this.#queue.finish({ items: items.map(textOf), leaseEnd });
  }
}

/** How often a pair is re-checked. With waits growing to 30 s this is some four minutes: longer than any open transaction lasts. */
export const RECHECKS = 14;

/** With more re-checks than this, all of them may be committed: their pairs are not looked up. */
const MOST_COMPARED = 1_000;

/** The wait before an attempt, so that a slow transaction can commit: 0.25 s, 0.5 s, … at most 30 s. */
function recheckDelayOf(attempt: number): number {
  return Math.min(250 * 2 ** (attempt - 1), 30_000);
}

/**
 * Pairs to be looked at again, in MySQL. A task that arrived before its commit is acknowledged once its re-check is stored,
 * and from then on nothing else knows that a change is still to come. If Redis held them, losing it would lose them, and the
 * rebuild of the new epoch may still read MySQL before that commit.
 *
 * They are not dropped with a user's index: the index may be built again before the commit. For a user without an index they
 * do nothing.
 */
export class Rechecks implements PendingSource {
  /** Between two looks of this process that find nothing. */
  readonly looks = new IdlePause(RECHECK_LOOKS);
  readonly #primary: KindDatabase;
  readonly #database: Database;
  readonly #kind: Kind;

  constructor(primary: KindDatabase) {
    this.#primary = primary;
    this.#database = primary.server;
    this.#kind = primary.statements.kind;
  }

  /** Schedules an attempt, counted from 1. @throws DatabaseUnavailable */
  async put(pairs: readonly VersionedPair[], attempt: number): Promise<void> {
    await insertRechecks(this.#database, this.#kind, pairs, attempt, recheckDelayOf(attempt));
    this.looks.end();
  }

  /** Due re-checks, at most `count`, to be finished within `leaseMs`; otherwise they come again. @throws DatabaseUnavailable */
  async take(count: number, leaseMs: number): Promise<readonly RecheckRow[]> {
    return await claimRechecks(this.#database, this.#kind, count, leaseMs);
  }

  /** The re-checks about these suspects that wait or are being done, by their row ids. @throws DatabaseUnavailable */
  async pendingFor(suspects: readonly Suspect[]): Promise<PendingWork> {
    const pending = new Map<SuspectKey, Set<string>>(suspects.map((suspect) => [keyOf(suspect), new Set()]));
    const users = new Set(suspects.map(({ user }) => user));
    const known = [...users].filter((user) => user !== undefined);
    for (const { id, ...pair } of await readRechecksOf(
      this.#database,
      this.#kind,
      users.has(undefined) ? undefined : known,
    )) {
      for (const suspect of suspectsOf({ kind: 'recheck', ...pair })) pending.get(keyOf(suspect))?.add(`recheck ${id}`);
    }
    return pending;
  }

  /**
   * The re-checks whose change may be committed, as pending for each suspect, whomever they are about. Where MySQL still has the row in
   * an older version it is not committed, and perhaps never will be.
   */
  get changes(): PendingSource {
    return {
      pendingFor: async (suspects) => {
        const waiting = await readRechecksOf(this.#database, this.#kind, undefined);
        const older = waiting.length > MOST_COMPARED ? new Set<RecheckRow>() : await this.#uncommitted(waiting);
        const found = new Set(waiting.filter((row) => !older.has(row)).map(({ id }) => `recheck ${id}`));
        return new Map(suspects.map((suspect) => [keyOf(suspect), found]));
      },
    };
  }

  /** A pair without a row is not among them: a change that deletes it is committed when it is gone. */
  async #uncommitted(waiting: readonly RecheckRow[]): Promise<ReadonlySet<RecheckRow>> {
    if (waiting.length === 0) return new Set();
    const { rows } = await readPairs(this.#primary, waiting).catch((error: unknown) => {
      if (isStoreFault(error)) throw error;
      return { rows: [] }; // one of them cannot be read, and is soon set aside
    });
    const versions = new Map(rows.map(({ user, contact, version }) => [`${user} ${contact}`, BigInt(version)]));
    const isOlder = ({ user, contact, version }: RecheckRow) =>
      (versions.get(`${user} ${contact}`) ?? BigInt(version)) < BigInt(version);
    return new Set(waiting.filter(isOlder));
  }

  /** These are done, or were scheduled again. @throws DatabaseUnavailable */
  async finish(rows: readonly RecheckRow[]): Promise<void> {
    await deleteRechecks(this.#database, rows);
  }
}

/** How the texts of the items begin that could change what this suspect's index says. A re-check concerns both sides. */
function prefixesFor({ user, contact }: Suspect): string[] {
  if (user === undefined) return [''];
  if (contact === undefined) {
    return [textOf({ kind: 'rebuild', user }), prefixOf('refresh', { user }), prefixOf('recheck', { user })];
  }
  return [
    textOf({ kind: 'refresh', user, contact }),
    prefixOf('recheck', { user, contact }),
    prefixOf('recheck', { user: contact, contact: user }),
  ];
}

function prefixOf(kind: DelayedItem['kind'], fields: { readonly user?: Id; readonly contact?: Id }): string {
  return `${JSON.stringify({ kind, ...fields }).slice(0, -1)},`;
}

/** The suspects whose difference the item may resolve: the reverse of `prefixesFor`. */
function suspectsOf(item: DelayedItem): Suspect[] {
  const { user } = item;
  const whole = [EVERYBODY, { user, contact: undefined }];
  if (item.kind === 'rebuild') return whole;
  const { contact } = item;
  if (item.kind === 'refresh') return [...whole, { user, contact }];
  return [...whole, { user, contact }, { user: contact, contact: undefined }, { user: contact, contact: user }];
}

/** The fields always come in the same order, because the text is the item's identity. */
function textOf(item: DelayedItem): string {
  const { kind, user } = item;
  if (kind === 'rebuild') return JSON.stringify({ kind, user });
  const { contact } = item;
  if (kind === 'refresh') return JSON.stringify({ kind, user, contact });
  return JSON.stringify({ kind, user, contact, version: item.version, attempt: item.attempt });
}
