import type { Logger } from 'pino';
import type { Database } from '../mysql/database.ts';
import type { Recorded, RedisRole } from '../mysql/epoch.ts';
import type { RedisClient } from '../redis/connection.ts';
import { masterAddresses } from '../redis/masters.ts';
import { RedisUnavailable } from '../redis/unavailable.ts';
import type { ContactIndex } from './contact-index.ts';
import { checkMysqlServer, checkRedisMasters } from './epoch.ts';

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

/**
 * Compares the servers in use with those that MySQL knows: at every connection to either, at every node that a cluster
 * gains, and from time to time. Between a connection and its comparison Redis is not trusted: a server that came back with an
 * older state would answer with old indexes of the current epoch.
 */
export class EpochWatch {
  readonly #options: EpochWatchOptions;
  #timer: NodeJS.Timeout | undefined;
  #forgetDatabase: () => void = () => undefined;
  /** Counts connections, so that a comparison made before the latest one does not stand for it. */
  #connection = 0;
  #compared = -1;
  #masters: string;

  constructor(options: EpochWatchOptions) {
    this.#options = options;
    this.#masters = masterAddresses(options.client);
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

  /** The server behind the present connection is one that MySQL knows. */
  isTrusted(): boolean {
    return this.#compared === this.#connection;
  }

  readonly #onChange = () => {
    this.#connection++;
    this.#schedule(0);
  };

  /** A cluster's client has learned which node has which slots: a replica that it knew may be a master now. */
  readonly #onRefresh = () => {
    const masters = masterAddresses(this.#options.client);
    if (masters !== this.#masters) this.#onChange();
    this.#masters = masters;
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
    }
    if (this.#timer !== timer) return; // stopped, or a change came meanwhile
    this.#schedule(this.isTrusted() ? (this.#options.intervalMs ?? INTERVAL_MS) : RETRY_MS);
  }

  async #compare(): Promise<void> {
    const { client, database, roles } = this.#options;
    const connection = this.#connection;
    this.#tell('MySQL', await checkMysqlServer(database));
    this.#tell('Redis', await checkRedisMasters(database, client, roles));
    this.#compared = connection;
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
