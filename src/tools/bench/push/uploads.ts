import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'mysql2/promise';
import type { Id } from '../../../contracts/id.ts';
import type { Ledger } from '../../harness/push-ledger.ts';
import { uploadPhoto } from '../../reference-site/photos.ts';

/** Audiences of the reference site. */
const EVERYBODY = 0;
const NOBODY = 4;

/** One upload in so many is seen by nobody but its owner. */
const HIDDEN_EVERY = 20;

/** Prime, so that consecutive uploads are by people far apart. */
const STEP = 7_919;

/** People who upload photos at a fixed rate, one after the other. */
export class SteadyUploads {
  readonly #pool: Pool;
  readonly #owners: readonly Id[];
  readonly #ledger: () => Ledger;
  #sent = 0;
  #lastAt = 0;

  /** @param ledger where an upload is recorded, asked for at each */
  constructor(pool: Pool, owners: readonly Id[], ledger: () => Ledger) {
    this.#pool = pool;
    this.#owners = owners;
    this.#ledger = ledger;
  }

  /** @param perSecond uploads a second, as far as the site keeps up @returns uploads a second */
  async run(perSecond: number, seconds: number, signal: AbortSignal): Promise<number> {
    const from = performance.now();
    let begun = 0;
    const running = new Set<Promise<void>>();
    const failures: unknown[] = [];
    while (performance.now() - from < seconds * 1000 && failures.length === 0) {
      signal.throwIfAborted();
      const due = Math.floor(((performance.now() - from) * perSecond) / 1000) + 1;
      for (; begun < due; begun++) {
        const one: Promise<void> = this.#upload()
          .catch((error: unknown) => void failures.push(error))
          .finally(() => running.delete(one));
        running.add(one);
      }
      await pause(1000 / perSecond / 2);
    }
    await Promise.all(running);
    if (failures.length > 0) throw failures[0];
    return (begun * 1000) / (performance.now() - from);
  }

  async #upload(): Promise<void> {
    const turn = this.#sent++;
    const owner = this.#owners[(turn * STEP) % this.#owners.length] as Id;
    const at = Math.max(Date.now(), this.#lastAt + 1);
    this.#lastAt = at;
    const isVisible = turn % HIDDEN_EVERY !== HIDDEN_EVERY - 1;
    await uploadPhoto(this.#pool, owner, isVisible ? EVERYBODY : NOBODY, at);
    this.#ledger().upload({ owner, at, isVisible, committedAt: performance.now() });
  }
}
