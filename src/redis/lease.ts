/**
 * One long job at a time, out of any number of processes that could do it.
 *
 * A lease is a key in Redis with a random owner and an end (SET NX PX). Its holder renews it at a third of its time; a
 * standby takes it over once it has ended. What a global lock of this kind gets wrong is mended in three places:
 *
 * - It is given back by compare-and-delete. A holder that was late would otherwise delete the lease of its successor,
 *   and a third process would start beside that one.
 * - A holder that was stopped (SIGSTOP, a long pause) does not know that its time has passed. So each grant carries a
 *   FENCING TOKEN, given by MySQL and greater than every earlier one, and whatever must not come from a stale holder
 *   (the cursor and the report of a run) is written under the condition that no greater token was given.
 * - Its end is measured from before the request was sent, so a holder believes itself one for a shorter time than Redis
 *   does. `lost` fires then, whatever keeps the renewal from being answered.
 *
 * Correctness of the indexes never rests on a lease: two holders do no harm but double work.
 */
import { UserError } from '../contracts/user-error.ts';
import { pause } from '../timing/backoff.ts';
import type { RedisClient } from './connection.ts';
import { HeldLease } from './held-lease.ts';
import { leaseScripts } from './lease-scripts.ts';

export interface Lease {
  readonly name: string;
  /** The fencing token, a BIGINT as decimal text: greater than that of every earlier grant of this lease. */
  readonly token: string;
  /** Aborted when the lease can no longer be taken for one's own. */
  readonly lost: AbortSignal;
}

export interface LeasesOptions {
  /** Before every key in Redis. */
  readonly prefix: string;
  /** Of a lease that is not renewed, ms. Longer than a deadline of MySQL and a timeout of Redis together. */
  readonly ttlMs: number;
  /** Between two tries of a standby, ms. */
  readonly retryMs: number;
  /** A random text: at least 64 bits from the secure generator, fresh for every call. */
  readonly freshOwner: () => string;
  /** The next fencing token of a lease, given by MySQL. */
  readonly nextToken: (name: string) => Promise<string>;
  /** ms, monotonic. */
  readonly now: () => number;
}

export interface HoldOptions {
  /** Gives up waiting for the lease; the work has to look at it by itself. */
  readonly signal?: AbortSignal;
  /** Stand by until the lease is free (true), or be refused at once (false). */
  readonly wait?: boolean;
  /** Called once when somebody else has the lease. */
  readonly onWaiting?: () => void;
}

/** Somebody else has the lease, and the caller did not want to wait. */
export class LeaseTaken extends UserError {
  override readonly name = 'LeaseTaken';
}

export class Leases {
  readonly #options: LeasesOptions;
  readonly #scripts: ReturnType<typeof leaseScripts>;

  constructor(client: RedisClient, options: LeasesOptions) {
    this.#options = options;
    this.#scripts = leaseScripts(client);
  }

  /**
   * Does the work while holding the lease, and gives it back. The work must end soon after `lost` is aborted.
   * @throws LeaseTaken, the signal's reason, RedisUnavailable, DatabaseUnavailable, and what the work throws
   */
  async hold<T>(name: string, work: (lease: Lease) => Promise<T>, options: HoldOptions = {}): Promise<T> {
    const held = await this.#acquire(name, options);
    try {
      return await work(held);
    } finally {
      await held.release();
    }
  }

  async #acquire(name: string, { signal, wait = true, onWaiting }: HoldOptions): Promise<HeldLease> {
    const owner = this.#options.freshOwner();
    for (let tries = 1; ; tries++) {
      signal?.throwIfAborted();
      const held = await this.#tryOnce(name, owner);
      if (held) return held;
      if (!wait) throw new LeaseTaken(`another process holds the lease '${name}'; wait for it, or stop it`);
      if (tries === 1) onWaiting?.();
      await pause(this.#options.retryMs, signal);
    }
  }

  /** The token comes after the lease; a lease that ended before its token came is not one. */
  async #tryOnce(name: string, owner: string): Promise<HeldLease | undefined> {
    const { prefix, ttlMs, now, nextToken } = this.#options;
    const key = `${prefix}:lease:{${name}}`;
    const own = { key, owner, ttlMs };
    if (!(await this.#scripts.acquire(own))) return undefined;
    try {
      const token = await nextToken(name);
      const asked = now();
      if (!(await this.#scripts.renew(own))) return undefined;
      return new HeldLease({ ...own, name, token, now, until: asked + ttlMs, scripts: this.#scripts });
    } catch (error) {
      await this.#scripts.release(own).catch(() => undefined); // it ends by itself; the first error says more
      throw error;
    }
  }
}
