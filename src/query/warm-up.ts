import { LRUCache } from 'lru-cache';
import type { Id } from '../contracts/id.ts';
import { pause } from '../timing/backoff.ts';
import type { ColdBuilds } from './cold-builds.ts';

export interface WarmUpOptions {
  /** Which of these users are cold, in order; undefined: no index may be built now. @throws when a store is away */
  readonly coldOf: (users: readonly Id[]) => Promise<readonly Id[] | undefined>;
  readonly builds: Pick<ColdBuilds, 'buildWhenIdle'>;
  /** Users built side by side. */
  readonly concurrency: number;
  /** Users remembered. */
  readonly remembered: number;
  /** Called when a round begins, and with how many it built when it ends. */
  readonly onRound?: (built: number | undefined) => void;
  /** Before a store that is away, or a suspended epoch, is asked about again, ms (1,000). */
  readonly retryMs?: number;
  /** After a round that found nothing to do, ms (2,000). */
  readonly restMs?: number;
}

/** Users looked at in one go. */
const USERS_A_LOOK = 50;

/** Of the latest so many none is cold: it was only one index that was gone. */
const ENOUGH_WARM = 200;

/**
 * Builds indexes again that this process answered from, the users read last first, when many are cold at once: after a
 * new epoch, a FLUSHALL, a node lost. The sign is a user who was answered from an index and is cold now. It takes turns
 * only that no request wants (`buildWhenIdle`), so it makes nobody wait who is being answered.
 */
export class WarmUp {
  readonly #options: WarmUpOptions;
  readonly #served: LRUCache<Id, true>;
  readonly #stopping = new AbortController();
  #round: Promise<void> | undefined;
  /** Users who were cold and could not be built: that they are cold says nothing of others. */
  readonly #unbuilt: LRUCache<Id, true>;
  /** Users whom the round under way has done with: when one of them is cold, they are lost again. */
  readonly #done = new Set<Id>();
  #again = false;
  #restUntil = 0;

  constructor(options: WarmUpOptions) {
    this.#options = options;
    this.#served = new LRUCache({ max: options.remembered });
    this.#unbuilt = new LRUCache({ max: options.remembered });
  }

  /** The user was answered from an index. */
  served(user: Id): void {
    this.#served.set(user, true);
    this.#unbuilt.delete(user);
  }

  /** The user was forgotten: whoever reads them next has their index built. */
  forget(user: Id): void {
    this.#served.delete(user);
  }

  /** The user was found cold. */
  cold(user: Id): void {
    if (this.#stopping.signal.aborted || this.#served.get(user) === undefined || this.#unbuilt.has(user)) return;
    if (this.#round !== undefined) this.#again ||= this.#done.has(user);
    else if (performance.now() >= this.#restUntil) this.#round = this.#run();
  }

  /** Begins nothing more, and waits for what is under way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#round;
  }

  async #run(): Promise<void> {
    const { onRound, restMs = 2_000 } = this.#options;
    onRound?.(undefined);
    let built = 0;
    do {
      this.#again = false;
      this.#done.clear();
      built += await this.#once();
    } while (this.#again && !this.#stopping.signal.aborted);
    this.#done.clear();
    if (built === 0) this.#restUntil = performance.now() + restMs;
    this.#round = undefined;
    onRound?.(built);
  }

  /** All who are remembered, once. @returns how many were built */
  async #once(): Promise<number> {
    const users = [...this.#served.keys()]; // the one read last comes first
    let built = 0;
    for (let from = 0; from < users.length && !this.#again; from += USERS_A_LOOK) {
      const some = users.slice(from, from + USERS_A_LOOK);
      const cold = await this.#coldOf(some);
      if (this.#stopping.signal.aborted) return built;
      built += await this.#build(cold);
      for (const user of some) this.#done.add(user);
      if (built === 0 && from + USERS_A_LOOK >= ENOUGH_WARM) return 0;
    }
    return built;
  }

  /** Waits until the stores can tell, and indexes may be built. Nobody once it is to stop. */
  async #coldOf(users: readonly Id[]): Promise<readonly Id[]> {
    const { coldOf, retryMs = 1_000 } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const cold = await coldOf(users).catch(() => undefined);
      if (cold !== undefined) return cold;
      await pause(retryMs, signal);
    }
    return [];
  }

  async #build(users: readonly Id[]): Promise<number> {
    const { builds, concurrency } = this.#options;
    const waiting = users.values();
    let built = 0;
    const lane = async () => {
      for (const user of waiting) {
        if (this.#stopping.signal.aborted) return;
        if (await builds.buildWhenIdle(user)) built++;
        else this.#unbuilt.set(user, true);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, lane));
    return built;
  }
}
