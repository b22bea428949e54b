import { bumpKeepingSuspension } from '../index/epoch.ts';
import type { Database } from '../mysql/database.ts';
import { readNewestTask } from '../mysql/outbox.ts';
import type { KeptNewestTask } from '../redis/newest-task.ts';

export interface OutboxHistoryOptions {
  readonly primary: Database;
  readonly kept: Pick<KeptNewestTask, 'read' | 'save' | 'setBack'>;
  /** A new epoch has begun, and why. */
  readonly onNewEpoch: (why: string) => void;
}

/**
 * Notices that MySQL or Redis has gone back although each is the server that it was, by the newest task of the outbox, which both keep
 * and which never gets smaller by itself:
 *
 * - MySQL has less than Redis keeps. A backup was restored in place, or somebody has emptied the outbox: tasks that nobody had published
 *   are gone, and indexes may have what MySQL has not.
 * - Redis keeps less than this process has seen there. It was the replica of an older server for a moment, or has read an older file.
 *
 * So a new epoch begins.
 */
export class OutboxHistory {
  readonly #options: OutboxHistoryOptions;
  /** The newest that Redis was seen to keep. */
  #seen = 0;

  constructor(options: OutboxHistoryOptions) {
    this.#options = options;
  }

  /**
   * Compares the outbox with what was seen of it before.
   * @returns the token of the epoch in force
   * @throws RedisUnavailable, DatabaseUnavailable, DatabaseNotPrimary, EpochMissing
   */
  async epoch(): Promise<string> {
    const { primary, kept } = this.#options;
    const before = await kept.read(); // first: the outbox has at least what another process saw by then
    const { id, epoch } = await readNewestTask(primary);
    const newest = Number(id);
    if (before !== undefined && newest < before) {
      const why = `tasks were removed from the outbox, or MySQL was set back: the newest was ${before}, and is ${newest}`;
      return await this.#begin(why, newest);
    }
    // Where MySQL has less than was seen, another process has begun that epoch, and has set Redis back.
    if (before !== undefined && before < this.#seen && newest >= this.#seen) {
      const why = `Redis was set back: the newest task that it knew was ${this.#seen}, and is ${before}`;
      return await this.#begin(why, newest);
    }
    if (newest !== before) await kept.save(newest);
    this.#seen = newest;
    return epoch;
  }

  async #begin(why: string, newest: number): Promise<string> {
    const { primary, kept, onNewEpoch } = this.#options;
    const token = await bumpKeepingSuspension(primary, why);
    await kept.setBack(newest);
    this.#seen = newest;
    onNewEpoch(why);
    return token;
  }
}
