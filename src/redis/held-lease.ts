import { UserError } from '../contracts/user-error.ts';
import { pause } from '../timing/backoff.ts';
import type { LeaseScripts, OwnLease } from './lease-scripts.ts';
import { RedisUnavailable } from './unavailable.ts';

/** The lease is no longer this holder's; the reason of `lost`. */
export class LeaseLost extends UserError {
  override readonly name = 'LeaseLost';
}

export interface HeldLeaseOptions extends OwnLease {
  readonly name: string;
  readonly token: string;
  /** ms, monotonic. */
  readonly now: () => number;
  /** When the lease ends unless it is renewed, by `now`. */
  readonly until: number;
  readonly scripts: LeaseScripts;
}

/** A lease while it is held: renews itself until it is released or lost. */
export class HeldLease {
  readonly name: string;
  readonly token: string;
  readonly #options: HeldLeaseOptions;
  readonly #lost = new AbortController();
  readonly #released = new AbortController();
  readonly #renewing: Promise<void>;
  #end: NodeJS.Timeout | undefined;

  constructor(options: HeldLeaseOptions) {
    this.name = options.name;
    this.token = options.token;
    this.#options = options;
    this.#endAt(options.until);
    this.#renewing = this.#renew();
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Stops renewing, and gives the lease back where it is still this holder's. Where Redis is away, it ends by itself. */
  async release(): Promise<void> {
    this.#released.abort();
    clearTimeout(this.#end);
    await this.#renewing;
    try {
      await this.#options.scripts.release(this.#options);
    } catch (error) {
      if (!(error instanceof RedisUnavailable)) throw error;
    }
  }

  async #renew(): Promise<void> {
    const { ttlMs, now, scripts } = this.#options;
    while (!this.#lost.signal.aborted && (await this.#paused(ttlMs / 3))) {
      const asked = now();
      try {
        if (await scripts.renew(this.#options)) this.#endAt(asked + ttlMs);
        else this.#lose('it ended, or somebody else has it');
      } catch (error) {
        // While Redis is away the lease may still be renewed in time: its end decides.
        if (!(error instanceof RedisUnavailable)) this.#lose(String(error));
      }
    }
  }

  /** False: released meanwhile. */
  async #paused(ms: number): Promise<boolean> {
    await pause(ms, this.#released.signal);
    return !this.#released.signal.aborted;
  }

  #endAt(until: number): void {
    clearTimeout(this.#end);
    if (this.#released.signal.aborted) return;
    this.#end = setTimeout(() => this.#lose('it could not be renewed in time'), until - this.#options.now());
  }

  #lose(why: string): void {
    clearTimeout(this.#end);
    this.#lost.abort(new LeaseLost(`the lease '${this.name}' is lost: ${why}`));
  }
}
