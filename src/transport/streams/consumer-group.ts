import type { RedisClient, Script } from '../../redis/connection.ts';
import { reply } from '../../redis/unavailable.ts';
import type { RawEntry } from './entries.ts';
import { streamKeys, streamScript } from './stream-scripts.ts';

interface ConsumerGroupOptions {
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
  /** The last entry delivered to a consumer of the group. */
  readonly lastDelivered: string;
  /** Entries removed from the front before the group had read them. */
  readonly removedUnread: number;
  /** Entries that somebody else has removed, read or not, without those that are pending: claiming them finds that. */
  readonly removedByOthers: number;
  /** Entries that somebody else has acknowledged, or whose consumer somebody else has deleted. */
  readonly settledByOthers: number;
  /** Is there something to {@link ConsumerGroup.accept}: one of the above, or read by nobody that marks it? */
  readonly isForeign: boolean;
  /** The group does not stand where its consumers have left it: something was skipped, or nobody knows. */
  readonly isMoved: boolean;
  /** A consumer of a former version, which marks nothing, is active: that explains all of these. */
  readonly isMixed: boolean;
}

/**
 * Does the group stand where its consumers have left it, with everything that they were given or are still to be? If not, something
 * may count as done that nobody has done.
 */
export function isAsLeft({ isMixed, isForeign, removedUnread }: GroupState): boolean {
  return isMixed || !(isForeign || removedUnread > 0);
}

/** Ends the names of consumers that mark what they read. */
export const MARKING = '+marks';

/** The names of version 0.1.0, whose consumers do not, as a pattern of Lua. Any other name is a stranger's. */
const FORMER_NAMES = `%-%d+%-${'%x'.repeat(8)}$`;

/** A consumer that reads does so every half second. */
const RECENT_MS = 30_000;

interface Claimed {
  readonly entries: RawEntry[];
  /** Entries that were delivered but not acknowledged, and are no longer in the stream. */
  readonly deleted: string[];
}

/** The number of entries that are not acknowledged. */
interface GroupBacklog {
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
  readonly #scripts: Readonly<
    Record<'create' | 'state' | 'mark' | 'acknowledge' | 'lease' | 'trim' | 'retire' | 'clockBack', Script>
  >;
  readonly #keys: readonly string[];
  /** Where the next search for idle entries begins. */
  #cursor = '0-0';
  /** The same, for entries that were delivered before Redis's clock was set back. */
  #clockBackCursor = '-';

  constructor(options: ConsumerGroupOptions) {
    this.#options = options;
    this.#keys = streamKeys(options.stream);
    const define = (name: string) => streamScript(options.client, name);
    this.#scripts = {
      create: define('create-group'),
      state: define('group-state'),
      mark: define('mark-read'),
      acknowledge: define('acknowledge'),
      lease: define('lease-entries'),
      trim: define('trim'),
      retire: define('retire'),
      clockBack: define('clock-back'),
    };
  }

  /** Undefined if the stream or the group does not exist. */
  state(): Promise<GroupState | undefined> {
    return this.#state('0');
  }

  /** What was removed or skipped is reported, and not found again. @returns the state before; the position after */
  accept(): Promise<GroupState | undefined> {
    return this.#state('1');
  }

  async #state(accept: '0' | '1'): Promise<GroupState | undefined> {
    const found = (await this.#scripts.state(this.#keys, [this.#options.group, accept, FORMER_NAMES, RECENT_MS])) as
      | [string, string, ...number[]]
      | null;
    if (found === null) return undefined;
    const [lastAdded, lastDelivered, ...numbers] = found;
    const [removedUnread = 0, removedByOthers = 0, settledByOthers = 0, isForeign, isMoved, isMixed] = numbers;
    return {
      ...{ lastAdded, lastDelivered, removedUnread, removedByOthers, settledByOthers },
      ...{ isForeign: isForeign === 1, isMoved: isMoved === 1, isMixed: isMixed === 1 },
    };
  }

  /** Creates the group, and the stream if needed. Everything in the stream is delivered. */
  async create(): Promise<void> {
    await this.#scripts.create(this.#keys, [this.#options.group]);
  }

  /**
   * Marks entries as delivered. Call it before anything is done with them.
   * @param isWhole everything between the first and the last was delivered with them
   * @returns false: the group was moved past others, which were never delivered
   */
  async mark(entries: readonly RawEntry[], isWhole: boolean): Promise<boolean> {
    const [first, last] = [entries[0], entries.at(-1)].map((entry) => String(entry?.[0]));
    if (entries.length === 0 || first === undefined || last === undefined) return true;
    const { group } = this.#options;
    return (await this.#scripts.mark(this.#keys, [group, first, last, isWhole ? 1 : 0, entries.length])) === 1;
  }

  /** New entries. @param reader a separate connection, because it is blocked for up to `blockMs` */
  read(reader: RedisClient, count: number, blockMs: number): Promise<RawEntry[]> {
    return this.#readFrom('>', reader, ['COUNT', count, 'BLOCK', blockMs]);
  }

  /** Entries that this consumer has been given, and that are not acknowledged, without those that are no longer in the stream. */
  async readOwn(reader: RedisClient, count: number): Promise<RawEntry[]> {
    const entries = await this.#readFrom('0', reader, ['COUNT', count]);
    return entries.filter(([, fields]) => fields !== null);
  }

  async #readFrom(id: '>' | '0', reader: RedisClient, options: readonly (string | number)[]): Promise<RawEntry[]> {
    const { stream, group, consumer } = this.#options;
    const found = (await reply(
      reader.callBuffer('XREADGROUP', 'GROUP', group, consumer, ...options, 'STREAMS', stream, id),
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

  /** @param ids of entries that were marked */
  async acknowledge(ids: readonly string[]): Promise<void> {
    await this.#scripts.acknowledge(this.#keys, [this.#options.group, ...ids]);
  }

  /** Renews this consumer's lease on entries. Returns how many of them it still owns. */
  renew(ids: readonly string[]): Promise<number> {
    return this.#lease(ids, 0);
  }

  /** Lets any other consumer claim the entries at once. */
  async giveUp(ids: readonly string[]): Promise<void> {
    await this.#lease(ids, GIVEN_UP_MS);
  }

  /** Removes entries that every group has acknowledged. @param last the last one on record: see RecordedStream */
  async trim(last: string): Promise<void> {
    for (let removed = TRIM_STEP; removed > TRIM_STEP / 2; ) {
      removed = (await this.#scripts.trim(this.#keys, [TRIM_STEP, last])) as number;
    }
  }

  /** Deletes this consumer unless it still has entries, and consumers that are long gone. */
  async retire(): Promise<void> {
    const { stream, group, consumer } = this.#options;
    await this.#scripts.retire([stream], [group, consumer, RETIRED_MS]);
  }

  /** How many of its consumers have read within half a minute. */
  async active(): Promise<number> {
    const { client, stream, group } = this.#options;
    try {
      const consumers = (await reply(client.xinfo('CONSUMERS', stream, group))) as unknown[][];
      return consumers.map(fieldsOf).filter((fields) => Number(fields.get('idle')) < RECENT_MS).length;
    } catch (error) {
      if (isGone(error)) return 0;
      throw error;
    }
  }

  /**
   * Undefined when Redis does not know. Its own count is too great for good, or missing, where a slot was moved (RESTORE) and its node
   * has read its AOF since: what was delivered last decides whether anything is left.
   */
  async backlog(): Promise<GroupBacklog | undefined> {
    const { client, stream, group } = this.#options;
    if ((await reply(client.exists(stream))) === 0) return { delivered: 0, undelivered: 0 };
    const groups = (await reply(client.xinfo('GROUPS', stream))) as unknown[][];
    const own = groups.map(fieldsOf).find((fields) => fields.get('name') === group);
    if (own === undefined) return { delivered: 0, undelivered: await reply(client.xlen(stream)) };
    const [delivered, lag] = [own.get('pending'), own.get('lag')];
    const undelivered = lag === 0 || (await this.#lastAdded()) === own.get('last-delivered-id') ? 0 : lag;
    return typeof delivered === 'number' && typeof undelivered === 'number' ? { delivered, undelivered } : undefined;
  }

  /** The id of the last entry that was ever added to the stream. */
  async #lastAdded(): Promise<unknown> {
    const { client, stream } = this.#options;
    return fieldsOf((await reply(client.xinfo('STREAM', stream))) as unknown[]).get('last-generated-id');
  }

  async #lease(ids: readonly string[], idleMs: number): Promise<number> {
    const { stream, group, consumer } = this.#options;
    return (await this.#scripts.lease([stream], [group, consumer, idleMs, ...ids])) as number;
  }
}

function fieldsOf(flat: unknown[]): Map<unknown, unknown> {
  return new Map(flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1]] as const] : [])));
}
