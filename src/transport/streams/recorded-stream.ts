import { randomBytes, randomInt } from 'node:crypto';
import type { StreamPoint, StreamRecord } from '../../mysql/stream-record.ts';
import type { RedisClient, Script } from '../../redis/connection.ts';
import { RedisUnavailable } from '../../redis/unavailable.ts';
import { Batches } from '../../timing/batches.ts';
import type { EntryFields } from './entries.ts';
import { streamKeys, streamScript } from './stream-scripts.ts';

interface RecordedStreamOptions {
  readonly client: RedisClient;
  /** The stream's key. */
  readonly stream: string;
  readonly record: StreamRecord;
}

/** A stream compared with its record. */
interface Compared {
  /** Undefined: nothing is on record. */
  readonly known: StreamPoint | undefined;
  /** Its origin is on record, and it has lost nothing. */
  readonly isSame: boolean;
  readonly now: StreamPoint;
}

/** The tasks of this database go to another stream, or this one has lost some of them. */
export class StreamNotOnRecord extends RedisUnavailable {
  override get remedy() {
    return 'Run `recency consume`, and with the same RECENCY_STREAMS_URL or RECENCY_REDIS_URL as every other process.';
  }
}

const NO_ORIGIN = '';

/** Entries per call. */
const ENTRIES_A_CALL = 500;

const LONGEST_STEP = 2 ** 24;

/**
 * A stream whose progress is on record in MySQL. A Redis that has lost data, has gone back to an older state, or is not the one that
 * other processes use cannot tell. So:
 *
 * - An entry counts as added when it is on record. A publisher adds only to a stream that has the origin on record and goes through the
 *   point on record, which Redis checks in the same script; then it moves the record from that point to the new one, unless somebody else
 *   has moved it. In that case Redis must confirm both points. So all that counts is in one history.
 * - A stream that does not go through the point on record has lost some of that, or is another. Its consumers report it, so a new epoch
 *   begins, and then put the stream on record as it is, with a new origin. Whatever was on record until then was committed before that
 *   epoch began; what others still add to an older history is refused, or cannot be recorded.
 * - The entry at the point on record is not trimmed, so that it can be found.
 *
 * Version 0.1.0 records nothing. What it adds is recorded by the consumers when they look.
 */
export class RecordedStream {
  readonly #record: StreamRecord;
  readonly #stream: string;
  readonly #keys: readonly string[];
  readonly #scripts: Readonly<Record<'add' | 'look' | 'setOrigin', Script>>;
  readonly #adding: Batches<EntryFields, string>;
  /** The point that this process has recorded last, or has read since. */
  #known: StreamPoint | undefined;

  constructor({ client, stream, record }: RecordedStreamOptions) {
    this.#record = record;
    this.#stream = stream;
    this.#keys = streamKeys(stream);
    const [add, look, setOrigin] = ['add', 'look', 'set-origin'].map((name) => streamScript(client, name)) as [
      ...[Script, Script, Script],
    ];
    this.#scripts = { add, look, setOrigin };
    this.#adding = new Batches<EntryFields, string>({
      atOnce: 1,
      gathers: true,
      most: ENTRIES_A_CALL,
      work: (entries) => this.#add(entries),
    });
  }

  /**
   * Adds entries at the end, those of one call in their order.
   * @returns their ids
   * @throws StreamNotOnRecord, RedisUnavailable, DatabaseUnavailable; some entries may have been added
   */
  async add(entries: readonly EntryFields[]): Promise<string[]> {
    return await Promise.all(entries.map((fields) => this.#adding.run(fields)));
  }

  /** Compares the stream with its record. @throws RedisUnavailable, DatabaseUnavailable */
  async compare(): Promise<Compared> {
    const known = await this.#record.read(); // first: the stream only grows, and must have come as far as that
    const { isSame, now } = await this.#look(known === undefined ? [] : [known]);
    return { known, isSame: known === undefined || isSame, now };
  }

  /** Is the stream the one on record, with all that is? @throws RedisUnavailable, DatabaseUnavailable */
  async isSame(): Promise<boolean> {
    return (await this.compare()).isSame;
  }

  /**
   * Puts what others than publishers of this version have added on record, or the stream itself if nothing is.
   * @returns the last entry on record
   * @throws RedisUnavailable, DatabaseUnavailable
   */
  async keepUp({ known, now }: Compared): Promise<string> {
    if (known === undefined) return (await this.#begin()).last;
    if (known.added === now.added) return known.last;
    return (await this.#record.replace(known, now)) ? now.last : known.last;
  }

  /**
   * Puts the stream on record as it is now, with a new origin, after its loss was reported.
   * @returns false: another process has changed the record since the comparison, so that it must be made again
   * @throws RedisUnavailable, DatabaseUnavailable
   */
  async restart({ known, now }: Compared): Promise<boolean> {
    return await this.#record.replace(known, await this.#named(now.origin));
  }

  async #add(entries: readonly EntryFields[]): Promise<string[]> {
    let known = this.#known ?? (await this.#read());
    this.#known = undefined; // until it is known again
    for (;;) {
      const added = await this.#addBehind(known, entries);
      const recorded = added && (await this.#recorded(known, added.reached));
      if (recorded) {
        this.#known = recorded;
        return added.ids;
      }
      const latest = await this.#read();
      if (isEqual(latest, known)) throw this.notOnRecord();
      known = latest; // and what was not recorded is added again
    }
  }

  /** @returns undefined: the stream does not go through this point, and nothing was added */
  async #addBehind(known: StreamPoint, entries: readonly EntryFields[]) {
    const { origin, added, last } = known;
    const counted = entries.flatMap((fields) => [fields.length, ...fields]);
    const args = [origin, added, last, randomInt(1, LONGEST_STEP), ...counted];
    const taken = (await this.#scripts.add(this.#keys, args)) as [number, ...string[]] | null;
    if (taken === null) return undefined;
    const [addedNow, ...ids] = taken;
    return { ids, reached: { origin, added: addedNow, last: String(ids.at(-1)) } };
  }

  /**
   * Moves the record on to a point that was reached from `known`.
   * @returns what is on record then: that, or what contains it; undefined: it cannot be recorded
   */
  async #recorded(known: StreamPoint, reached: StreamPoint): Promise<StreamPoint | undefined> {
    for (let before = known; ; ) {
      if (await this.#record.replace(before, reached)) return reached;
      const latest = await this.#record.read();
      // Both must be there: the stream may be another one by now, where others have come as far and all was removed again.
      if (latest?.origin !== reached.origin || !(await this.#look([reached, latest], true)).isSame) return undefined;
      if (latest.added >= reached.added) return latest;
      before = latest;
    }
  }

  async #read(): Promise<StreamPoint> {
    return (await this.#record.read()) ?? (await this.#begin());
  }

  /** Puts a stream on record of which nothing is. @returns what is on record then, perhaps by another process */
  async #begin(): Promise<StreamPoint> {
    const now = await this.#named(NO_ORIGIN);
    if (await this.#record.replace(undefined, now)) return now;
    return (await this.#record.read()) ?? now;
  }

  /** Names the stream's history anew, unless its name is no longer `known`. */
  async #named(known: string): Promise<StreamPoint> {
    const origin = randomBytes(8).toString('hex');
    const [named, added, last] = (await this.#scripts.setOrigin(this.#keys, [known, origin])) as [
      string,
      number,
      string,
    ];
    return { origin: named, added, last };
  }

  /** Does the stream go through all of these points, which have one origin? @param areThere their entries must be in it still */
  async #look(points: readonly StreamPoint[], areThere = false): Promise<Pick<Compared, 'isSame' | 'now'>> {
    const args = [
      points[0]?.origin ?? NO_ORIGIN,
      areThere ? 1 : 0,
      ...points.flatMap(({ added, last }) => [added, last]),
    ];
    const [same, origin, added, last] = (await this.#scripts.look(this.#keys, args)) as [
      number,
      string,
      number,
      string,
    ];
    return { isSame: same === 1, now: { origin, added, last } };
  }

  /** What is thrown while the stream is not the one on record. */
  notOnRecord(): StreamNotOnRecord {
    const what = `the stream ${this.#stream} of this Redis is not the one that tasks were published to, or has lost some of them`;
    return new StreamNotOnRecord(
      `Redis is not available: ${what}; nothing is published until a consumer has reported the loss`,
    );
  }
}

function isEqual(one: StreamPoint, other: StreamPoint): boolean {
  return one.origin === other.origin && one.added === other.added && one.last === other.last;
}
