import type { RedisClient } from '../redis/connection.ts';
import type { RedisMaster } from '../redis/masters.ts';
import { OwnMarks } from '../redis/own-marks.ts';
import type { RedisOwnership } from './ownership.ts';

/**
 * Notices that a master was set back although it is the server that it was (see ../redis/own-marks.ts): its indexes may lack what was
 * written since. The ownership gets another id then (see ownership.ts), once for all processes: whoever finds another one than
 * before knows that this was done.
 */
export class SetBackWatch {
  readonly #marks: OwnMarks;
  readonly #ownership: RedisOwnership;
  /** The id of the ownership when the masters were last found as they were. */
  #id: string | undefined;
  /** The same, once they were set back; undefined: nothing is owed. */
  #owed: string | undefined;

  /** @param prefix of the keys */
  constructor(client: RedisClient, prefix: string, ownership: RedisOwnership) {
    this.#marks = new OwnMarks(client, prefix);
    this.#ownership = ownership;
  }

  /**
   * @param areOthers have other masters taken over since these were asked? They have no marks.
   * @returns whether one was set back since the last look
   * @throws RedisUnavailable
   */
  async look(masters: readonly RedisMaster[], areOthers: () => Promise<boolean>): Promise<boolean> {
    const id = await this.#ownership.id(); // first: what is built under another one is not older than the marks
    const isSetBack = (await this.#marks.areGone(masters)) && !(await areOthers());
    if (isSetBack) this.#owed ??= this.#id;
    else this.#id = id;
    return isSetBack;
  }

  /**
   * Gives the indexes another id if one was set back.
   * @throws RedisUnavailable, DatabaseUnavailable, EpochMissing: it is still owed
   */
  async settle(): Promise<void> {
    if (this.#owed === undefined) return;
    await this.#ownership.renew(this.#owed);
    this.#owed = undefined;
  }
}
