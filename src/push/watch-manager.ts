import { randomBytes } from 'node:crypto';
import type { Id } from '../contracts/id.ts';
import type { Watch, WatchFilter } from '../contracts/watch.ts';
import type { WatchedUsers } from '../index/redis/watched-users.ts';
import type { Database } from '../mysql/database.ts';
import { RedisUnavailable } from '../redis/unavailable.ts';
import { pause } from '../timing/loop.ts';
import { type CheckSteps, runCheck } from './check-steps.ts';
import { changed, enroll, subscribe, tested, type WatchPatch } from './watch-changes.ts';
import {
  changeWatch,
  deleteWatch,
  insertWatch,
  type NewWatch,
  readUserOf,
  readWatch,
  readWatchesOf,
} from './watch-table.ts';

/** What a site asks for. */
type WatchAsked = WatchFilter & { readonly user: Id; readonly intervalMs: number } & (
    | { readonly channel: 'webhook'; readonly url: string }
    | { readonly channel: 'kafka'; readonly url?: undefined }
  );

interface WatchManagerOptions {
  readonly database: Database;
  readonly watched: Pick<WatchedUsers, 'add' | 'check'>;
  /** Told of the failure to signal; the notifiers look for new and changed watches all the same. */
  readonly onFault: (error: unknown) => void;
  /** ms since 1970 UTC. */
  readonly clock: () => number;
  /** Watches that one user may have (100). */
  readonly atMost?: number;
}

const WATCHES_A_USER = 100;

/** A change is tried so often: notifiers write to the same rows. */
const ATTEMPTS = 10;

/** How often a test looks whether the watch has been checked, and after how long, ms. */
const LOOKS = 20;
const LOOK_MS = 50;

/** The watch has a notification on its way: a test could not be told from it. */
export class WatchBusy extends Error {
  override readonly name = 'WatchBusy';
}

/** The user has as many watches as one may have. */
export class TooManyWatches extends Error {
  override readonly name = 'TooManyWatches';

  constructor(user: Id, atMost: number) {
    super(`user ${user} has ${atMost} watches, and RECENCY_WATCHES_PER_USER allows no more`);
  }
}

/** Creates and changes watches. */
export class WatchManager {
  readonly #options: WatchManagerOptions;

  constructor(options: WatchManagerOptions) {
    this.#options = options;
  }

  /** @throws DatabaseUnavailable, TooManyWatches */
  async create(asked: WatchAsked): Promise<{ readonly id: Id; readonly secret: string | undefined }> {
    const { database, clock, atMost = WATCHES_A_USER } = this.#options;
    const secret = asked.channel === 'webhook' ? freshSecret() : undefined;
    const { url, ...rest } = asked;
    const target = url === undefined ? {} : { url };
    const watch = { ...rest, ...target, secrets: secret === undefined ? [] : [secret] };
    const insert = async (row: NewWatch) => {
      const id = await insertWatch(database, row, clock(), atMost);
      if (id === undefined) throw new TooManyWatches(row.user, atMost);
      return id;
    };
    return { id: await runCheck(subscribe(watch), { insert, ...this.#signals }), secret };
  }

  /** @throws DatabaseUnavailable */
  find(id: Id): Promise<Watch | undefined> {
    return readWatch(this.#options.database, id);
  }

  /** @throws DatabaseUnavailable */
  ofUser(user: Id): Promise<Watch[]> {
    return readWatchesOf(this.#options.database, [user]);
  }

  /**
   * Changes a watch; one that has ended goes on. What another relation shows at first is not news, except what was news under
   * the one before. Kinds that are added begin with what they show at first.
   * @returns the new secret, if one was asked for; undefined: there is no such watch
   * @throws DatabaseUnavailable; WatchBusy when notifiers kept writing to it
   */
  async change(id: Id, patch: WatchPatch): Promise<{ readonly secret: string | undefined } | undefined> {
    const secret = patch.rotateSecret ? freshSecret() : undefined;
    const isDone = await this.#write(id, (watch) => ({
      ...changed(watch, patch),
      secrets: secret === undefined ? watch.secrets : [secret, ...watch.secrets.slice(0, 1)],
    }));
    return isDone ? { secret } : undefined;
  }

  /**
   * Has a notification without sources delivered, of the type `recency.test`. Returns its id; undefined: there is no such watch.
   * After another test it waits until the watch has been checked, so that repeated tests do not delay real notifications.
   * @throws DatabaseUnavailable, WatchBusy
   */
  async test(id: Id): Promise<string | undefined> {
    const { clock } = this.#options;
    const notification = `test_${randomBytes(12).toString('base64url')}`;
    await this.#untilChecked(id);
    const test = (watch: Watch) => {
      if (watch.outgoing !== undefined) throw new WatchBusy(`watch ${id} has a notification on its way`);
      if (isUnchecked(watch, clock())) throw new WatchBusy(`watch ${id} has not been checked since its last test`);
      return tested(watch, notification, clock());
    };
    return (await this.#write(id, test)) ? notification : undefined;
  }

  /** Its user is checked after that, and no longer watched where that was the last watch. @throws DatabaseUnavailable */
  async remove(id: Id): Promise<boolean> {
    const user = await readUserOf(this.#options.database, id);
    const isDone = await deleteWatch(this.#options.database, id);
    if (user !== undefined) await this.#signals.again([user], 0);
    return isDone;
  }

  async #untilChecked(id: Id): Promise<void> {
    const { clock } = this.#options;
    for (let looks = 0; looks < LOOKS; looks++) {
      const watch = await this.find(id);
      if (watch === undefined || !isUnchecked(watch, clock())) return;
      await pause(LOOK_MS);
    }
  }

  async #write(id: Id, change: (watch: Watch) => Watch): Promise<boolean> {
    const { database, clock } = this.#options;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const watch = await this.find(id);
      if (watch === undefined) return false;
      if (!(await changeWatch(database, change(watch), clock()))) continue;
      await runCheck(enroll([watch.user]), this.#signals);
      return true;
    }
    throw new WatchBusy(`watch ${id} kept changing`);
  }

  /** A watch is due by itself as well, so that Redis may be away. */
  get #signals(): Pick<CheckSteps, 'watch' | 'again'> {
    const { watched, onFault } = this.#options;
    const orLater = async (work: Promise<void>) => {
      try {
        await work;
      } catch (error) {
        if (!(error instanceof RedisUnavailable)) throw error;
        onFault(error);
      }
    };
    return { watch: (users) => orLater(watched.add(users)), again: (users, ms) => orLater(watched.check(users, ms)) };
  }
}

/** Has it been tested, and not been checked since then? */
function isUnchecked({ ended, tested, dueAt }: Watch, now: number): boolean {
  return ended === undefined && tested !== undefined && dueAt !== undefined && dueAt <= now;
}

/** Standard Webhooks: 24 to 64 random bytes in base64, with a prefix. */
function freshSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`;
}
