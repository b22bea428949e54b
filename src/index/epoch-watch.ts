import type { Logger } from 'pino';
import type { Database } from '../mysql/database.ts';
import type { Recorded } from '../mysql/epoch.ts';
import type { RedisRole } from '../mysql/redis-masters.ts';
import type { RedisClient } from '../redis/connection.ts';
import { lookForMaster, masterNodes, RedisIsReplica, readMasters } from '../redis/masters.ts';
import { RedisUnavailable } from '../redis/unavailable.ts';
import type { ContactIndex } from './contact-index.ts';
import { checkMysqlServer, checkRedisMasters, identityOfAll } from './epoch.ts';

export interface EpochWatchOptions {
  readonly client: RedisClient;
  readonly database: Database;
  /** What this Redis is for (the indexes alone). */
  readonly roles?: readonly RedisRole[];
  readonly logger: Logger;
  /** A server was another one than before, and every index is cold now: an alarm. */
  readonly onNewEpoch?: () => void;
  /** Between two looks at servers that gave no sign of a change, ms (10,000). */
  readonly intervalMs?: number;
}

const INTERVAL_MS = 10_000;
const RETRY_MS = 500;

/** Events of a connection, and of a cluster's gained node, after which another server may be behind the client. */
const CHANGES = ['ready', 'close', '+node'];

/** Masters that MySQL knows. */
interface Compared {
  /** The connection that was the latest one when they were asked. */
  readonly connection: number;
  /** What they were asked through: on a cluster, a connection is a node of its own. */
  readonly nodes: readonly unknown[];
  readonly identity: string;
}

/**
 * Compares the servers in use with those that MySQL knows: at every connection to either, at every node that a cluster
 * gains, and from time to time. Between a connection and its comparison Redis is not trusted: a server that came back with an
 * older state would answer with old indexes of the current epoch. Nor is it from the moment that a master does not answer, is
 * another one than before, or has become a replica, which is left for where its address leads then.
 *
 * When only MySQL cannot be asked, a master stays trusted that is the same as when it could, over the same connection: no
 * answer comes without MySQL, and while MySQL has too much to do, plain queries would be the worst answer.
 */
export class EpochWatch {
  readonly #options: EpochWatchOptions;
  #timer: NodeJS.Timeout | undefined;
  #forgetDatabase: () => void = () => undefined;
  /** Counts connections, so that a comparison made before the latest one does not stand for it. */
  #connection = 0;
  /** Comparisons are numbered as they begin: one that ends after a later one has spoken says nothing. */
  #begun = 0;
  #latest = 0;
  #compared: Compared | undefined;
  /** What the masters were when they were last asked; undefined: they did not answer. */
  #seen: string | undefined;
  /** Since a master was last known, ms; undefined: there was no need to. */
  #lookedForMasterAt: number | undefined;

  constructor(options: EpochWatchOptions) {
    this.#options = options;
  }

  /** Compares once, and from then on by itself. @throws RedisUnavailable, DatabaseUnavailable, EpochMissing */
  async start(): Promise<void> {
    const { client, database } = this.#options;
    for (const event of CHANGES) client.on(event, this.#onChange);
    client.on('refresh', this.#onRefresh);
    this.#forgetDatabase = database.onConnection(() => this.#schedule(0));
    await this.#compare();
    if (this.#timer === undefined) this.#schedule(this.#options.intervalMs ?? INTERVAL_MS);
  }

  stop(): void {
    const { client } = this.#options;
    for (const event of CHANGES) client.off(event, this.#onChange);
    client.off('refresh', this.#onRefresh);
    this.#forgetDatabase();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Every server behind the present connections is one that MySQL knows: also one that a cluster's client was just sent to. */
  isTrusted(): boolean {
    const compared = this.#compared;
    if (compared?.connection !== this.#connection) return false;
    return masterNodes(this.#options.client).every((node) => compared.nodes.includes(node));
  }

  readonly #onChange = () => {
    this.#connection++;
    this.#schedule(0);
  };

  /**
   * A cluster's client has learned which node has which slots: a replica that it knew may be a master now. A master that is a
   * replica now has to be compared when it is a master again.
   */
  readonly #onRefresh = () => {
    const masters: readonly unknown[] = masterNodes(this.#options.client);
    const compared = this.#compared;
    if (compared) this.#compared = { ...compared, nodes: compared.nodes.filter((node) => masters.includes(node)) };
    if (!this.isTrusted()) this.#onChange();
  };

  #schedule(afterMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#round(), afterMs).unref();
  }

  async #round(): Promise<void> {
    const timer = this.#timer;
    try {
      await this.#compare();
    } catch (error) {
      this.#options.logger.debug({ err: error }, 'the servers could not be compared with those known');
      if (error instanceof RedisIsReplica) this.#lookForMaster(error);
    }
    if (this.#timer !== timer) return; // stopped, or a change came meanwhile
    this.#schedule(this.isTrusted() ? (this.#options.intervalMs ?? INTERVAL_MS) : RETRY_MS);
  }

  /** Each look is a connection, and so a comparison: not faster than failed ones follow one another. */
  #lookForMaster(error: RedisIsReplica): void {
    const { client, logger } = this.#options;
    if (this.#lookedForMasterAt === undefined) logger.warn({ err: error }, 'Redis has become a replica: leaving it');
    const now = performance.now();
    if (now - (this.#lookedForMasterAt ?? Number.NEGATIVE_INFINITY) < RETRY_MS) return;
    this.#lookedForMasterAt = now;
    lookForMaster(client);
  }

  async #compare(): Promise<void> {
    const { client, database, roles } = this.#options;
    const number = ++this.#begun;
    const connection = this.#connection;
    const nodes = masterNodes(client);
    const masters = await readMasters(client, nodes).catch((error: unknown) => {
      this.#see(number, undefined);
      throw error;
    });
    const identity = identityOfAll(masters);
    this.#see(number, identity);
    this.#tell('MySQL', await checkMysqlServer(database));
    this.#tell('Redis', await checkRedisMasters(database, masters, roles));
    this.#settle(number, { connection, nodes, identity });
    this.#lookedForMasterAt = undefined;
  }

  /**
   * Withdraws trust at once when the masters are others than the last time. While they are the same, a comparison that began
   * before goes on to its end: new connections to MySQL begin more of them than end where it is slow.
   */
  #see(number: number, identity: string | undefined): void {
    if (number < this.#latest || (identity !== undefined && identity === this.#seen)) return;
    this.#seen = identity;
    this.#settle(number, undefined);
  }

  #settle(number: number, compared: Compared | undefined): void {
    if (number < this.#latest) return;
    this.#latest = number;
    this.#compared = compared;
  }

  #tell(server: string, recorded: Recorded): void {
    if (recorded === 'suspended') {
      this.#options.logger.error(
        { server },
        `another ${server} than before; the epoch is suspended, no index is trusted`,
      );
    }
    if (recorded !== 'new_epoch') return;
    this.#options.logger.error({ server }, `another ${server} than before: a new epoch, every index is cold`);
    this.#options.onNewEpoch?.();
  }
}

/**
 * Reads indexes only from a Redis that is trusted; another one counts as away. Trusted afterwards as well: a read that was
 * on its way when the connection broke is sent again, perhaps to a server that came back with an older state.
 */
export function trustedReads(
  index: Pick<ContactIndex, 'read'>,
  watch: Pick<EpochWatch, 'isTrusted'>,
): Pick<ContactIndex, 'read'> {
  const mustBeTrusted = () => {
    if (watch.isTrusted()) return;
    throw new RedisUnavailable('Redis is not available: its master has not been compared with those known');
  };
  return {
    read: async (user, count, touch) => {
      mustBeTrusted();
      const reading = await index.read(user, count, touch);
      mustBeTrusted();
      return reading;
    },
  };
}
