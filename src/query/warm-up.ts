import { LRUCache } from 'lru-cache';
import type { Id } from '../contracts/id.ts';
import type { Epoch } from '../index/contact-index.ts';
import { pause } from '../timing/loop.ts';
import type { ColdBuilds } from './cold-builds.ts';

export interface WarmUpOptions {
  /** Returns which of the users are cold, in order; undefined: no index may be built now. @throws when a store is unavailable */
  readonly coldOf: (users: readonly Id[]) => Promise<readonly Id[] | undefined>;
  readonly builds: Pick<ColdBuilds, 'buildWhenIdle'>;
  /** Returns the epoch in force. Then only a new one is a sign that indexes were lost: others are dropped because nobody reads them. */
  readonly epoch?: (() => Promise<Epoch>) | undefined;
  /** Builds at once. */
  readonly concurrency: number;
  /** Maximum users remembered. */
  readonly remembered: number;
  /** Called with undefined when a warm-up begins, and with the number of indexes built when it ends. */
  readonly onRound?: (built: number | undefined) => void;
  /** Wait before asking again when a store is unavailable or the epoch is suspended, ms (1,000). */
  readonly retryMs?: number;
  /** Rest after a warm-up that built nothing, ms (2,000). */
  readonly restMs?: number;
}

/** Users checked per look. */
const USERS_A_LOOK = 50;

/** If none of this many most recent users is cold, only a single index was lost. */
const ENOUGH_WARM = 200;

/**
 * Rebuilds the indexes that this process has answered from, most recently read first, when many are lost at once: after a
 * new epoch, a FLUSHALL, a lost node. The sign is a user who was answered from an index and is now cold. It builds only
 * when no request wants the turn (`buildWhenIdle`), so it delays no answer.
 */
export class WarmUp {
  readonly #options: WarmUpOptions;
  readonly #served: LRUCache<Id, true>;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  /** Cold users who could not be built: finding one of them cold again says nothing about the others. */
  readonly #unbuilt: LRUCache<Id, true>;
  /** In force when it was last looked at; undefined: unknown. */
  #epoch: Promise<Epoch | undefined> | undefined;
  /** Users already handled by the running warm-up: if one of them is cold again, the indexes were lost again. */
  readonly #done = new Set<Id>();
  #again = false;
  #restUntil = 0;

  constructor(options: WarmUpOptions) {
    this.#options = options;
    this.#served = new LRUCache({ max: options.remembered });
    this.#unbuilt = new LRUCache({ max: options.remembered });
  }

  /** Notes that the user was answered from an index. */
  served(user: Id): void {
    this.#served.set(user, true);
    this.#unbuilt.delete(user);
    this.#epoch ??= this.#readEpoch();
  }

  /** Notes that the user was forgotten: reads build the index. */
  forget(user: Id): void {
    this.#served.delete(user);
  }

  /** Notes that the user was found cold. Begins a warm-up if the user had an index. */
  cold(user: Id): void {
    if (this.#stopping.signal.aborted || this.#served.get(user) === undefined || this.#unbuilt.has(user)) return;
    if (this.#running !== undefined) this.#again ||= this.#done.has(user);
    else if (performance.now() >= this.#restUntil) this.#running = this.#run();
  }

  /** Resolves when no warm-up runs. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Begins no more builds, and waits for those that run. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { restMs = 2_000 } = this.#options;
    const isLoss = this.#options.epoch === undefined || (await this.#isNewEpoch());
    const built = isLoss ? await this.#rounds() : 0;
    if (built === 0) this.#restUntil = performance.now() + restMs;
    this.#running = undefined;
  }

  /** Returns how many indexes were built. */
  async #rounds(): Promise<number> {
    const { onRound } = this.#options;
    onRound?.(undefined);
    let built = 0;
    do {
      this.#again = false;
      this.#done.clear();
      built += await this.#once();
    } while (this.#again && !this.#stopping.signal.aborted);
    this.#done.clear();
    onRound?.(built);
    return built;
  }

  async #isNewEpoch(): Promise<boolean> {
    const [before, now] = [await this.#epoch, await this.#readEpoch()];
    if (now !== undefined) this.#epoch = Promise.resolve(now);
    return before !== undefined && now !== undefined && before !== now;
  }

  async #readEpoch(): Promise<Epoch | undefined> {
    return await this.#options.epoch?.().catch(() => undefined); // asked again at the next sign
  }

  /** Goes through all remembered users once. Returns how many indexes were built. */
  async #once(): Promise<number> {
    const users = [...this.#served.keys()]; // most recently read first
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

  /** Waits until the stores answer and indexes may be built. Returns nobody once it is stopped. */
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
