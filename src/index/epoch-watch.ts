import type { Logger } from 'pino';
import type { Database } from '../mysql/database.ts';
import { readProvenEpoch } from '../mysql/epoch.ts';
import type { RedisRole } from '../mysql/redis-masters.ts';
import { type RedisClient, untilReady } from '../redis/connection.ts';
import { MasterConnections, type PresentConnections } from '../redis/master-connections.ts';
import {
  connectedMasters,
  lookForMaster,
  RedisIsReplica,
  type RedisMaster,
  RedisNotOnRecord,
  readMasters,
} from '../redis/masters.ts';
import { RedisUnavailable } from '../redis/unavailable.ts';
import { bumpKeepingSuspension, checkMysqlServer, checkRedisMasters, identityOf } from './epoch.ts';
import { MastersWatch } from './masters-watch.ts';
import { type MastersOnRecord, reportRecorded, whileOnRecord } from './on-record.ts';
import { RedisBelongsToAnother, type RedisOwnership } from './ownership.ts';
import type { SetBackWatch } from './set-back.ts';

export interface EpochWatchOptions {
  readonly client: RedisClient;
  readonly database: Database;
  /** Whose the indexes are; undefined: this Redis has none. */
  readonly ownership: RedisOwnership | undefined;
  /** Left out where nothing that is read later must not be older: a Redis of tasks alone has a record of its own. */
  readonly setBack?: SetBackWatch;
  /** What this Redis is used for (the indexes alone). */
  readonly roles?: readonly RedisRole[];
  readonly logger: Logger;
  /**
   * May this process work in the epoch that has begun? Until it resolves, no index of that epoch is used. Left out: yes.
   */
  readonly admit?: () => Promise<void>;
  /** Called when a server was replaced, so that every index is cold now: an alarm. */
  readonly onNewEpoch?: () => void;
  /** Between two checks while there is no sign of a change, ms (10,000). */
  readonly intervalMs?: number;
  /** Between two looks at the masters alone, ms (1,000). */
  readonly lookMs?: number;
}

const INTERVAL_MS = 10_000;
const LOOK_MS = 1_000;
const RETRY_MS = 500;

/** How long a start compares again while connections change, ms. */
const SETTLING_MS = 5_000;

/** Says whether the contents of Redis can be trusted. */
export type RedisTrust = Pick<EpochWatch, 'isTrusted' | 'known' | 'distrust' | 'during'>;

interface ComparedMasters extends MastersOnRecord, PresentConnections {}

/**
 * Compares the servers in use with those that MySQL knows: at every new connection to either, and at intervals. Between a
 * connection and its comparison Redis is not trusted: a server that came back with an older state would answer with old indexes of
 * the current epoch. Nor is it trusted once a master does not answer, has changed, or has become a replica; then the client
 * reconnects, because its address may lead to the new master.
 *
 * A comparison vouches for one epoch, because another begins whenever others come on record. As soon as rows show another one,
 * the servers are compared again.
 *
 * If only MySQL cannot be asked, a master that has not changed stays trusted while the connection lasts: no answer is given
 * without MySQL, and while MySQL is overloaded plain queries would be the worst answer.
 */
export class EpochWatch {
  readonly #options: EpochWatchOptions;
  #timer: NodeJS.Timeout | undefined;
  #forgetDatabase: readonly (() => void)[] = [];
  readonly #connections: MasterConnections;
  /** Comparisons are numbered as they start: one that ends after a later one has decided is ignored. */
  #started = 0;
  #latest = 0;
  #compared: ComparedMasters | undefined;
  /** The identities of the masters when last asked; undefined: one did not answer. */
  #seen: readonly string[] | undefined;
  readonly #masters: MastersWatch;
  /** When this Redis was last refused, ms; undefined: not since it was on record. */
  #refusedAt: number | undefined;

  constructor(options: EpochWatchOptions) {
    this.#options = options;
    this.#connections = new MasterConnections(options.client, () => this.#schedule(0));
    this.#masters = new MastersWatch(() => this.#look(), options.lookMs ?? LOOK_MS);
  }

  /**
   * Compares once, again where Redis is connected to again meanwhile, and from then on by itself.
   * @throws RedisUnavailable, DatabaseUnavailable, EpochMissing
   */
  async start(): Promise<void> {
    const { database } = this.#options;
    this.#connections.start();
    const again = () => this.#schedule(0);
    this.#forgetDatabase = [database.onConnection(again), database.epochs.onChange(again)];
    await this.#compareFirst();
    if (this.#timer === undefined) this.#schedule(this.#options.intervalMs ?? INTERVAL_MS);
    this.#masters.start();
  }

  async #compareFirst(): Promise<void> {
    const endsAt = performance.now() + SETTLING_MS;
    for (;;) {
      const present = this.#connections.present();
      try {
        return await this.#compare();
      } catch (error) {
        const leftMs = endsAt - performance.now();
        if (this.#connections.areUnchangedSince(present) || leftMs <= 0) throw error;
        await untilReady(this.#options.client, leftMs);
      }
    }
  }

  stop(): void {
    this.#connections.stop();
    for (const forget of this.#forgetDatabase) forget();
    this.#masters.stop();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Is every server behind the present connections known to MySQL, including nodes that a cluster's client has just met? */
  isTrusted(): boolean {
    return this.#compared !== undefined && this.#connections.areCoveredBy(this.#compared);
  }

  /**
   * The masters in use, with the epoch in which every one of them is on record: an index of any other epoch is not to be used, although
   * rows may be of that epoch already. Undefined: not all of them are known.
   */
  known(): MastersOnRecord | undefined {
    return this.isTrusted() ? this.#compared : undefined;
  }

  /** Withdraws trust until the servers have been compared again: one that is not {@link known} has answered. */
  distrust(): void {
    if (this.#compared === undefined) return;
    this.#decide(++this.#started, undefined);
    this.#schedule(0);
  }

  /** See {@link whileOnRecord}. */
  during<T>(work: () => Promise<T>): Promise<T> {
    const { database, ownership } = this.#options;
    return whileOnRecord(work, {
      known: () => this.known(),
      compare: () => this.#compare(),
      ownership: async () => await ownership?.id(),
      switches: () => database.epochs.switches,
      epochSince: async (time) => database.epochs.since(time) ?? (await readProvenEpoch(database)),
    });
  }

  #schedule(afterMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#round(), afterMs).unref();
  }

  async #round(): Promise<void> {
    const timer = this.#timer;
    try {
      await this.#compare();
    } catch (error) {
      this.#failed(error);
    }
    if (this.#timer !== timer) return; // stopped, or a change came meanwhile
    const { database, intervalMs = INTERVAL_MS } = this.#options;
    this.#schedule(this.isTrusted() && this.#compared?.epoch === database.epochs.latest ? intervalMs : RETRY_MS);
  }

  #failed(error: unknown): void {
    const { logger } = this.#options;
    logger.debug({ err: error }, 'the servers could not be compared with those known');
    const isLeft = error instanceof RedisIsReplica || error instanceof RedisNotOnRecord;
    if (!isLeft && !(error instanceof RedisBelongsToAnother)) return;
    if (this.#refusedAt === undefined) logger.warn({ err: error }, 'this Redis must not be used');
    const now = performance.now();
    const isSoon = now - (this.#refusedAt ?? Number.NEGATIVE_INFINITY) < RETRY_MS;
    if (isSoon) return;
    this.#refusedAt = now;
    if (isLeft) lookForMaster(this.#options.client); // reconnects, which leads to another comparison
  }

  async #compare(): Promise<void> {
    const { client, database, roles = ['index'], admit } = this.#options;
    const number = ++this.#started;
    const present = this.#connections.present();
    const masters = await readMasters(client, present.nodes).catch((error: unknown) => {
      this.#see(number, undefined);
      throw error;
    });
    this.#see(number, masters);
    const ofMysql = await checkMysqlServer(database);
    reportRecorded('MySQL', ofMysql, this.#options);
    const { recorded, ...onRecord } = await this.#record(present, masters, roles).catch((error: unknown) => {
      if (error instanceof RedisNotOnRecord || error instanceof RedisBelongsToAnother) this.#decide(number, undefined);
      throw error;
    });
    this.#masters.recorded(number);
    if (onRecord.epoch !== this.#compared?.epoch) await admit?.();
    if (ofMysql !== 'new_epoch') reportRecorded('Redis', recorded, this.#options); // one alarm: the indexes belong to the new server, too
    const replicationIds = masters.map(({ replicationId }) => replicationId);
    this.#decide(number, { ...present, ...onRecord, replicationIds });
    this.#refusedAt = undefined;
  }

  /** @throws RedisBelongsToAnother, RedisNotOnRecord, RedisUnavailable, DatabaseUnavailable */
  async #record(present: PresentConnections, masters: readonly RedisMaster[], roles: readonly RedisRole[]) {
    const { database, ownership, setBack } = this.#options;
    await setBack?.settle();
    const claimed = await ownership?.claim();
    if (!this.#connections.areUnchangedSince(present))
      throw new RedisUnavailable('Redis was connected to again while it was compared');
    if (this.#masters.owesEpoch(masters))
      await bumpKeepingSuspension(database, 'the move of a slot of the Redis Cluster was broken off');
    const compared = await checkRedisMasters(database, masters, { roles, ownership: claimed });
    if (claimed?.epoch !== compared.epoch) await ownership?.claim(); // the owner is known by the epoch that has begun
    return { ownership: claimed?.id, ...compared };
  }

  /**
   * Withdraws trust at once when a master has become another one since the last time. One that is gone answers nothing. While none has,
   * a comparison that started earlier runs to its end: where MySQL is slow, new connections to it start more comparisons than end.
   * @param masters undefined: one did not answer
   * @returns whether one has become another
   */
  #see(number: number, masters: readonly RedisMaster[] | undefined): boolean {
    const before = this.#seen;
    if (masters) this.#masters.see(number, masters);
    if (number < this.#latest) return false;
    this.#seen = masters?.map(identityOf);
    if (this.#seen?.every((identity) => before?.includes(identity))) return false;
    this.#decide(number, undefined);
    return true;
  }

  /** Asks Redis alone: see masters-watch.ts. */
  async #look(): Promise<void> {
    const number = ++this.#started;
    const masters = await this.#ask();
    const isSetBack = masters !== undefined && (await this.#isSetBack(masters));
    if (this.#timer === undefined) return; // stopped meanwhile
    const isOther = masters === undefined || this.#see(number, masters);
    if (isSetBack) this.#leave(number);
    if (isOther || isSetBack) this.#schedule(0);
  }

  #leave(number: number): void {
    this.#options.logger.error('Redis was set back, or emptied, while it ran on: it lacks what was written');
    this.#decide(number, undefined);
  }

  #ask(): Promise<RedisMaster[] | undefined> {
    const { client } = this.#options;
    return readMasters(client, connectedMasters(client)).catch(() => undefined); // the comparison says why
  }

  async #isSetBack(masters: readonly RedisMaster[]): Promise<boolean> {
    const looked = this.#options.setBack?.look(masters, () => this.#ask());
    return (await looked?.catch((error: unknown) => void this.#failed(error))) ?? false; // the next look says it
  }

  #decide(number: number, compared: ComparedMasters | undefined): void {
    if (number < this.#latest) return;
    this.#latest = number;
    this.#compared = compared;
  }
}
