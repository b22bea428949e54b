import type { RedisClient } from '../../redis/connection.ts';
import { defineScript, type Script } from '../../redis/script.ts';
import { reply } from '../../redis/unavailable.ts';
import type { RawEntry } from './entries.ts';

export interface ConsumerGroupOptions {
  readonly client: RedisClient;
  /** The stream's key. */
  readonly stream: string;
  readonly group: string;
  /** This process's name in the group; unique. */
  readonly consumer: string;
}

/** A group's position in its stream, as entry ids. */
export interface GroupState {
  /** The last entry ever added to the stream. */
  readonly lastAdded: string;
  /** How many entries were ever added. */
  readonly added: number;
  /** The last entry delivered to a consumer of the group. */
  readonly lastDelivered: string;
  /** Entries removed before the group had read them. */
  readonly removedUnread: number;
}

export interface Claimed {
  readonly entries: RawEntry[];
  /** Entries that were delivered but not acknowledged, and are no longer in the stream. */
  readonly deleted: string[];
}

/** The number of entries that are not acknowledged. */
export interface GroupBacklog {
  /** Delivered to some consumer of the group. */
  readonly delivered: number;
  readonly undelivered: number;
}

/** Does the error say that the group, or the stream itself, is gone? */
export function isGone(error: unknown): boolean {
  return error instanceof Error && /NOGROUP|UNBLOCKED|no such key/.test(error.message);
}

/** Idle time given to entries that are given up: any consumer may claim them. */
const GIVEN_UP_MS = 24 * 3600 * 1000;

/** Entries removed per call: Redis does nothing else meanwhile. */
const TRIM_STEP = 5_000;

/** A consumer that has been silent for this long is gone. */
const RETIRED_MS = 3600 * 1000;

/** A consumer group of a Redis stream, as one of its consumers sees it. All methods throw RedisUnavailable. */
export class ConsumerGroup {
  readonly #options: ConsumerGroupOptions;
  readonly #scripts: Readonly<Record<'create' | 'state' | 'lease' | 'trim' | 'retire' | 'clockBack', Script>>;
  /** Where the next search for idle entries begins. */
  #cursor = '0-0';
  /** The same, for entries that were delivered before Redis's clock was set back. */
  #clockBackCursor = '-';

  constructor(options: ConsumerGroupOptions) {
    this.#options = options;
    const define = (name: string) =>
      defineScript(options.client, `stream_${name}`, new URL(`./lua/${name}.lua`, import.meta.url));
    this.#scripts = {
      create: define('create-group'),
      state: define('group-state'),
      lease: define('lease-entries'),
      trim: define('trim'),
      retire: define('retire'),
      clockBack: define('clock-back'),
    };
  }

  /** Undefined if the stream or the group does not exist. */
  async state(): Promise<GroupState | undefined> {
    const found = (await this.#state('0')) as [string, number, string, number] | null;
    if (found === null) return undefined;
    const [lastAdded, added, lastDelivered, removedUnread] = found;
    return { lastAdded, added, lastDelivered, removedUnread };
  }

  /** Marks entries that were removed unread as reported, so that they are not found again. */
  async accept(): Promise<void> {
    await this.#state('1');
  }

  /** Creates the group, and the stream if needed. Everything in the stream is delivered. */
  async create(): Promise<void> {
    const { stream, group } = this.#options;
    await this.#scripts.create([stream], [group]);
  }

  /** New entries. @param reader a separate connection, because it is blocked for up to `blockMs` */
  async read(reader: RedisClient, count: number, blockMs: number): Promise<RawEntry[]> {
    const { stream, group, consumer } = this.#options;
    const found = (await reply(
      reader.callBuffer(
        'XREADGROUP',
        'GROUP',
        group,
        consumer,
        'COUNT',
        count,
        'BLOCK',
        blockMs,
        'STREAMS',
        stream,
        '>',
      ),
    )) as [Buffer, RawEntry[]] | [[Buffer, RawEntry[]]] | null;
    if (found === null) return [];
    // RESP3 returns a flat map of streams, RESP2 a list of pairs.
    const [first, entries] = found;
    return Array.isArray(first) ? first[1] : (entries ?? []);
  }

  /** Claims entries that nobody has acknowledged or renewed for `idleMs`. Each call looks at some of the delivered entries. */
  async claimIdle(idleMs: number, count: number): Promise<Claimed> {
    const { client, stream, group, consumer } = this.#options;
    this.#clockBackCursor = String(await this.#scripts.clockBack([stream], [group, this.#clockBackCursor, count]));
    const [cursor, entries, deleted] = (await reply(
      client.callBuffer('XAUTOCLAIM', stream, group, consumer, idleMs, this.#cursor, 'COUNT', count),
    )) as [Buffer, RawEntry[], Buffer[]];
    this.#cursor = cursor.toString();
    return { entries, deleted: deleted.map(String) };
  }

  async acknowledge(ids: readonly string[]): Promise<void> {
    const { client, stream, group } = this.#options;
    await reply(client.xack(stream, group, ...ids));
  }

  /** Renews this consumer's lease on entries. Returns how many of them it still owns. */
  renew(ids: readonly string[]): Promise<number> {
    return this.#lease(ids, 0);
  }

  /** Lets any other consumer claim the entries at once. */
  async giveUp(ids: readonly string[]): Promise<void> {
    await this.#lease(ids, GIVEN_UP_MS);
  }

  /** Removes entries that every group has acknowledged. */
  async trim(): Promise<void> {
    for (let removed = TRIM_STEP; removed > TRIM_STEP / 2; ) {
      removed = (await this.#scripts.trim([this.#options.stream], [TRIM_STEP])) as number;
    }
  }

  /** Deletes this consumer unless it still has entries, and consumers that are long gone. */
  async retire(): Promise<void> {
    const { stream, group, consumer } = this.#options;
    await this.#scripts.retire([stream], [group, consumer, RETIRED_MS]);
  }

  /** Undefined when Redis does not know. */
  async backlog(): Promise<GroupBacklog | undefined> {
    const { client, stream, group } = this.#options;
    if ((await reply(client.exists(stream))) === 0) return { delivered: 0, undelivered: 0 };
    const groups = (await reply(client.xinfo('GROUPS', stream))) as unknown[][];
    const own = groups.map(fieldsOf).find((fields) => fields.get('name') === group);
    if (own === undefined) return { delivered: 0, undelivered: await reply(client.xlen(stream)) };
    const [delivered, undelivered] = [own.get('pending'), own.get('lag')];
    return typeof delivered === 'number' && typeof undelivered === 'number' ? { delivered, undelivered } : undefined;
  }

  #state(accept: '0' | '1'): Promise<unknown> {
    return this.#scripts.state([this.#options.stream], [this.#options.group, accept]);
  }

  async #lease(ids: readonly string[], idleMs: number): Promise<number> {
    const { stream, group, consumer } = this.#options;
    return (await this.#scripts.lease([stream], [group, consumer, idleMs, ...ids])) as number;
  }
}

function fieldsOf(flat: unknown[]): Map<unknown, unknown> {
  return new Map(flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1]] as const] : [])));
}
