/**
 * A lease: out of any number of processes that could do a long job, one does it at a time.
 *
 * A lease is a key in Redis with a random holder id and an expiry (SET NX PX). The holder renews it after a third of its
 * lifetime; a standby takes it over once it has expired. Three measures fix what a distributed lock of this kind usually
 * gets wrong:
 *
 * - It is released by compare-and-delete. Otherwise a late holder would delete the lease of its successor, and a third
 *   process would start beside that one.
 * - A holder that was suspended (SIGSTOP, a long pause) does not know that its time is up. So each grant carries a FENCING
 *   TOKEN, issued by MySQL and greater than every earlier one, and whatever a stale holder must not write (the cursor and
 *   the report of a run) is written only on condition that no greater token was issued.
 * - Its lifetime is measured from before the request was sent, and a holder considers the lease over a tenth of it sooner than Redis
 *   does: its last step ends before the next holder's first one begins. `lost` is aborted then, whatever prevents the renewal.
 *
 * The correctness of the indexes never depends on a lease: two holders only do the work twice.
 */
import { UserError } from '../contracts/user-error.ts';
import { pause } from '../timing/loop.ts';
import { defineScript, type RedisClient } from './connection.ts';
import { RedisUnavailable } from './unavailable.ts';

/** The part of its lifetime after which a holder considers the lease over. */
const HOLDERS_PART = 0.9;

/** A lease while it is held. */
export interface Lease {
  readonly name: string;
  /** The fencing token, a BIGINT as decimal text: greater than that of every earlier grant of this lease. */
  readonly token: string;
  /** Aborted with {@link LeaseLost} when the holder must no longer act as one. */
  readonly lost: AbortSignal;
}

export interface LeasesOptions {
  /** Prefix of every key in Redis. */
  readonly prefix: string;
  /** Lifetime of a lease that is not renewed, ms. Must exceed a MySQL deadline plus a Redis timeout. */
  readonly ttlMs: number;
  /** Between two attempts of a standby, ms. */
  readonly retryMs: number;
  /** Returns a random text: at least 64 bits from the secure generator, fresh for every call. */
  readonly freshHolder: () => string;
  /** Returns the next fencing token of a lease, issued by MySQL. */
  readonly nextToken: (name: string) => Promise<string>;
  /** Monotonic clock, ms. */
  readonly now: () => number;
}

interface HoldOptions {
  /** Gives up waiting for the lease. The work itself must observe it too. */
  readonly signal?: AbortSignal;
  /** Wait until the lease is free (true), or throw at once (false). Default: true. */
  readonly wait?: boolean;
  /** Called once if another process holds the lease. */
  readonly onWaiting?: () => void;
}

/** Another process holds the lease, and the caller did not want to wait. */
export class LeaseTaken extends UserError {
  override readonly name = 'LeaseTaken';
}

/** This process no longer holds the lease; the reason of `lost`. */
class LeaseLost extends UserError {
  override readonly name = 'LeaseLost';
}

export class Leases {
  readonly #options: LeasesOptions;
  readonly #scripts: LeaseScripts;

  constructor(client: RedisClient, options: LeasesOptions) {
    this.#options = options;
    this.#scripts = leaseScripts(client);
  }

  /**
   * Does the work while holding the lease, then releases it. The work must end soon after `lost` is aborted.
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
    const holder = this.#options.freshHolder();
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      const held = await this.#tryOnce(name, holder);
      if (held) return held;
      if (!wait) throw new LeaseTaken(`another process holds the lease '${name}'; wait for it, or stop it`);
      if (attempt === 1) onWaiting?.();
      await pause(this.#options.retryMs, signal);
    }
  }

  /** Takes the lease, then the token. The lease does not count if it expired before the token, or the last reply, arrived. */
  async #tryOnce(name: string, holder: string): Promise<HeldLease | undefined> {
    const { prefix, ttlMs, now, nextToken } = this.#options;
    const grant = { key: `${prefix}:lease:{${name}}`, holder, ttlMs };
    if (!(await this.#scripts.acquire(grant))) return undefined;
    try {
      const token = await nextToken(name);
      const asked = now();
      if (!(await this.#scripts.renew(grant)) || now() - asked >= HOLDERS_PART * ttlMs) return undefined;
      return new HeldLease({ ...grant, name, token, now, asked, scripts: this.#scripts });
    } catch (error) {
      await this.#scripts.release(grant).catch(() => undefined); // it expires anyway; the first error says more
      throw error;
    }
  }
}

interface HeldLeaseOptions extends LeaseGrant {
  readonly name: string;
  readonly token: string;
  readonly now: () => number;
  /** When it was last asked for, by `now`. */
  readonly asked: number;
  readonly scripts: LeaseScripts;
}

/** Renews its lease until it is released or lost. */
class HeldLease implements Lease {
  readonly name: string;
  readonly token: string;
  readonly #options: HeldLeaseOptions;
  readonly #lost = new AbortController();
  readonly #released = new AbortController();
  readonly #renewing: Promise<void>;
  #expiry: NodeJS.Timeout | undefined;

  constructor(options: HeldLeaseOptions) {
    this.name = options.name;
    this.token = options.token;
    this.#options = options;
    this.#expireAfter(options.asked);
    this.#renewing = this.#renew();
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Stops renewing, and deletes the lease if this process still holds it. If Redis is unavailable, it expires by itself. */
  async release(): Promise<void> {
    this.#released.abort();
    clearTimeout(this.#expiry);
    await this.#renewing;
    try {
      await this.#options.scripts.release(this.#options);
    } catch (error) {
      if (!(error instanceof RedisUnavailable)) throw error;
    }
  }

  async #renew(): Promise<void> {
    const { ttlMs, now, scripts } = this.#options;
    while (!this.#lost.signal.aborted) {
      await pause(ttlMs / 3, this.#released.signal);
      if (this.#released.signal.aborted) return;
      const asked = now();
      try {
        if (await scripts.renew(this.#options)) this.#expireAfter(asked);
        else this.#lose('it expired, or another process holds it');
      } catch (error) {
        // While Redis is unavailable the lease may still be renewed in time: its expiry decides.
        if (!(error instanceof RedisUnavailable)) this.#lose(String(error));
      }
    }
  }

  /** @param asked when Redis was asked for the lease or its renewal, by `now` */
  #expireAfter(asked: number): void {
    clearTimeout(this.#expiry);
    if (this.#released.signal.aborted) return;
    const { ttlMs, now } = this.#options;
    const leftMs = asked + HOLDERS_PART * ttlMs - now();
    this.#expiry = setTimeout(() => this.#lose('it could not be renewed in time'), leftMs);
  }

  #lose(why: string): void {
    clearTimeout(this.#expiry);
    this.#lost.abort(new LeaseLost(`the lease '${this.name}' is lost: ${why}`));
  }
}

/** A lease as its holder names it to Redis. */
interface LeaseGrant {
  readonly key: string;
  readonly holder: string;
  readonly ttlMs: number;
}

/** Each resolves to whether the lease is this holder's (`release`: was). @throws RedisUnavailable */
interface LeaseScripts {
  acquire(grant: LeaseGrant): Promise<boolean>;
  renew(grant: LeaseGrant): Promise<boolean>;
  release(grant: LeaseGrant): Promise<boolean>;
}

export function leaseScripts(client: RedisClient): LeaseScripts {
  const script = (name: string) =>
    defineScript(client, `lease_${name}`, new URL(`./lua/lease-${name}.lua`, import.meta.url));
  const [acquire, renew, release] = [script('acquire'), script('renew'), script('release')];
  return {
    acquire: async ({ key, holder, ttlMs }) => (await acquire([key], [holder, ttlMs])) === 1,
    renew: async ({ key, holder, ttlMs }) => (await renew([key], [holder, ttlMs])) === 1,
    release: async ({ key, holder }) => (await release([key], [holder])) === 1,
  };
}
