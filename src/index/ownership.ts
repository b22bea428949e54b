/**
 * Redis names the MySQL that its indexes belong to, and MySQL remembers under which id.
 *
 * A master can be the one on record, and yet what is written to it may be missing elsewhere:
 * - Consumers that were led to a copy of MySQL take the tasks of the original. Whom a task is about there may be nobody: the
 *   original's indexes would not be changed, and the tasks would be acknowledged.
 * - The keys may be exchanged while the server runs on (SWAPDB, MOVE, a restore by RESTORE), and then come back as they were.
 * - The server may be set back while it runs on (see set-back.ts).
 *
 * So there is one owner at a time. Its id is new whenever there was none, another MySQL takes Redis over, or Redis was set back; what was written counts only
 * if Redis had the id on record before and after (see on-record.ts), and another id begins an epoch (see redis-masters.ts).
 *
 * A failover of MySQL looks like a copy. So consumers take Redis over, whose work it is about, and no other process does: one that came
 * to a copy by mistake does no harm. Where consumers of two servers are at work, the one that was replaced is refused while the
 * other is present, as with the servers themselves (see ../mysql/replaced-servers.ts), until an epoch begins on it: a switch back.
 */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Database } from '../mysql/database.ts';
import { readProvenEpoch } from '../mysql/epoch.ts';
import { serverOn } from '../mysql/epoch-token.ts';
import type { ClaimedOwnership } from '../mysql/redis-masters.ts';
import { isPresent, stillReplaced } from '../mysql/replaced-servers.ts';
import { type TextRecord, valueIn } from '../redis/text-record.ts';
import { RedisUnavailable } from '../redis/unavailable.ts';
import type { Epoch } from './contact-index.ts';

const OWNERSHIP = z.object({
  id: z.string(),
  /** The owner's when it was last seen, which names the server. */
  epoch: z.string(),
  /** ms since 1970 UTC */
  seenAt: z.number(),
  /** By epoch: when each owner was replaced or last refused, ms since 1970 UTC. */
  replaced: z.record(z.string(), z.number()),
});

/** The key in Redis. */
export const ownerKey = (prefix: string) => `${prefix}:owner`;

type Ownership = z.infer<typeof OWNERSHIP>;

/** The indexes belong to another MySQL than this process uses. */
export class RedisBelongsToAnother extends RedisUnavailable {
  constructor() {
    super('The indexes in this Redis belong to another MySQL server than the one that answers');
  }

  override get remedy() {
    return (
      'Lead RECENCY_MYSQL_URL of every process to the same server, or give a copy a RECENCY_KEY_PREFIX of its own. After a ' +
      'failover of MySQL, the first `recency consume` that starts takes the indexes over. A server that was replaced within the last half ' +
      'minute gets them back at once by `recency epoch bump`.'
    );
  }
}

/** Whose the indexes in a Redis are, as one process sees it. */
export class RedisOwnership {
  readonly #record: TextRecord;
  readonly #database: Database;
  readonly #takesOver: boolean;
  #claimed: ClaimedOwnership | undefined;

  /** @param takesOver may it take them from another server? */
  constructor(record: TextRecord, database: Database, takesOver: boolean) {
    this.#record = record;
    this.#database = database;
    this.#takesOver = takesOver;
  }

  /**
   * See {@link claim}. While the one master of a cluster that says so is away, the indexes on the others stay with their owner; what
   * is written to them does not count.
   * @throws RedisBelongsToAnother, RedisUnavailable, DatabaseUnavailable, EpochMissing
   */
  async claim(): Promise<ClaimedOwnership> {
    const claimed = this.#claimed;
    try {
      this.#claimed = await claim(this.#record, {
        readEpoch: () => this.#readEpoch(),
        takesOver: this.#takesOver,
        freshId,
        now: Date.now,
      });
      return this.#claimed;
    } catch (error) {
      const isAway = error instanceof RedisUnavailable && !(error instanceof RedisBelongsToAnother);
      if (!isAway || !this.#record.isCluster || claimed === undefined) throw error;
      if (!isOfServer(claimed, await this.#readEpoch())) throw error;
      return claimed;
    }
  }

  /** Changes nothing. @throws RedisBelongsToAnother, RedisUnavailable, DatabaseUnavailable, EpochMissing */
  async check(): Promise<void> {
    const found = ownershipIn(await this.#record.read());
    if (found !== undefined && !isOfServer(found, await this.#readEpoch())) throw new RedisBelongsToAnother();
  }

  /** See {@link renew}. @throws RedisUnavailable, DatabaseUnavailable, EpochMissing */
  async renew(id: string): Promise<void> {
    await renew(this.#record, id, { readEpoch: () => this.#readEpoch(), freshId });
  }

  #readEpoch(): Promise<Epoch> {
    return readProvenEpoch(this.#database);
  }

  /** The id that Redis has now; undefined: none. @throws RedisUnavailable */
  async id(): Promise<string | undefined> {
    return ownershipIn(await this.#record.read())?.id;
  }
}

interface ClaimOptions {
  /** The epoch in force on the server that the indexes are claimed for. */
  readonly readEpoch: () => Promise<Epoch>;
  /** May the indexes be taken from another server? */
  readonly takesOver: boolean;
  /** Of 64 random bits at least. */
  readonly freshId: () => string;
  /** ms since 1970 UTC */
  readonly now: () => number;
}

/** How often another process may be first. */
const ATTEMPTS = 10;

/**
 * Makes sure that the indexes belong to this server.
 * @returns the ownership, which has yet to be recorded
 * @throws RedisBelongsToAnother, RedisUnavailable, what reading the epoch throws
 */
export async function claim(record: TextRecord, options: ClaimOptions): Promise<ClaimedOwnership> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const text = await record.read();
    const before = ownershipIn(text);
    const epoch = await options.readEpoch(); // after the text, which so never goes back to an older epoch
    const now = options.now();
    const replaceBy = (after: Ownership) => record.replace(text, JSON.stringify(after));
    if (before !== undefined && isOfServer(before, epoch)) {
      const isOvertaken = (await replaceBy({ ...before, epoch, seenAt: now }).catch(isNotUrgent)) === false;
      if (isOvertaken && before.epoch !== epoch) continue;
      return { id: before.id, epoch };
    }
    if (before !== undefined && !options.takesOver) throw new RedisBelongsToAnother();
    if (before !== undefined && epoch in before.replaced && isPresent(before, now)) {
      await replaceBy({ ...before, replaced: { ...before.replaced, [epoch]: now } }).catch(isNotUrgent);
      throw new RedisBelongsToAnother();
    }
    const after = { id: options.freshId(), epoch, seenAt: now, replaced: replacedBy(before, now) };
    if (await replaceBy(after)) return { id: after.id, epoch };
  }
  throw claimedAtOnce();
}

/**
 * Gives the indexes another id, because they may be older than they were under this one; the next comparison begins an epoch.
 * Does nothing where they have another one already, or none, or belong to another server.
 * @throws RedisUnavailable, what reading the epoch throws
 */
export async function renew(
  record: TextRecord,
  id: string,
  { readEpoch, freshId }: Pick<ClaimOptions, 'readEpoch' | 'freshId'>,
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const text = await record.read();
    const before = ownershipIn(text);
    if (before?.id !== id || !isOfServer(before, await readEpoch())) return;
    if (await record.replace(text, JSON.stringify({ ...before, id: freshId() }))) return;
  }
  throw claimedAtOnce();
}

const claimedAtOnce = () => new RedisUnavailable('Redis is claimed by several processes at once');

const freshId = () => randomBytes(9).toString('base64url');

function isOfServer(before: Pick<Ownership, 'epoch'>, epoch: Epoch): boolean {
  return serverOn(before.epoch) === serverOn(epoch);
}

/** A Redis that takes no writes has said whose it is; who is present, or refused, can be said later. */
function isNotUrgent(error: unknown): void {
  if (!(error instanceof RedisUnavailable)) throw error;
}

/** Those that are remembered once this one has been replaced, too. */
function replacedBy(before: Ownership | undefined, now: number): Record<string, number> {
  return before === undefined ? {} : stillReplaced({ ...before.replaced, [before.epoch]: now }, now);
}

/** A text of any other shape is none: what is written counts only once it has been replaced. */
const ownershipIn = (text: string | undefined): Ownership | undefined => valueIn(OWNERSHIP, text);
