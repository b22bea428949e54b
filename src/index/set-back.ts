import type { RedisClient } from '../redis/connection.ts';
import type { RedisMaster } from '../redis/masters.ts';
import { OwnMarks } from '../redis/own-marks.ts';
import { identityOf } from './epoch.ts';
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
  /** The masters from which a mark was gone, until it is known whether others have taken over. */
  #suspects: string | undefined;
  /** The id before one was set back; undefined: nothing is owed. */
  #owed: { readonly id: string | undefined } | undefined;

  /** @param prefix of the keys */
  constructor(client: RedisClient, prefix: string, ownership: RedisOwnership) {
    this.#marks = new OwnMarks(client, prefix);
    this.#ownership = ownership;
  }

  /**
   * @param masters in use
   * @param ask for them once more; undefined: they do not answer
   * @returns whether one was set back since the last look
   * @throws RedisUnavailable; the next look says it
   */
  async look(masters: readonly RedisMaster[], ask: () => Promise<RedisMaster[] | undefined>): Promise<boolean> {
    const id = await this.#ownership.id(); // first: what is built under another one is not older than the marks
    if (await this.#marks.areGone(masters)) this.#suspects = textOf(masters);
    if (this.#suspects === undefined) this.#id = id;
    return this.#suspects !== undefined && (await this.#isConfirmed(ask));
  }

  /** Not where others have taken over meanwhile, which have no marks: their comparison begins an epoch. */
  async #isConfirmed(ask: () => Promise<RedisMaster[] | undefined>): Promise<boolean> {
    const masters = await ask();
    if (masters === undefined) return false;
    const isSetBack = textOf(masters) === this.#suspects;
    if (isSetBack) this.#owed ??= { id: this.#id };
    this.#suspects = undefined;
    return isSetBack;
  }

  /**
   * Gives the indexes another id if one was set back.
   * @throws RedisUnavailable, DatabaseUnavailable, EpochMissing: it is still owed
   */
  async settle(): Promise<void> {
    if (this.#owed === undefined) return;
    const id = this.#owed.id ?? (await this.#ownership.id());
    if (id !== undefined) await this.#ownership.renew(id);
    this.#owed = undefined;
  }
}

const textOf = (masters: readonly RedisMaster[]) => masters.map(identityOf).sort().join();
