import { defineScript, type RedisClient, type Script } from '../../redis/connection.ts';
import { reply } from '../../redis/unavailable.ts';
import { deadLetterOf, lettersToReplay, listed, replayedHeaders } from '../dead-letter-headers.ts';
import type { DeadLetter, Failure, ListedLetter, Replayed, TransportLetters } from '../dead-letters.ts';
import type { Delivery } from '../task-source.ts';
import { deliveryOf, entryFields, isEntryId, type RawEntry } from './entries.ts';
import type { StreamRoom } from './publisher.ts';
import type { RecordedStream } from './recorded-stream.ts';

export interface StreamsDeadLettersOptions {
  /** Owned by the caller, who also closes it. */
  readonly client: RedisClient;
  /** The key of the tasks' stream; the letters are in `<stream>.dlq`. */
  readonly stream: string;
  /** Takes letters that are replayed. */
  readonly recorded: Pick<RecordedStream, 'add'>;
  /** Maximum letters kept; the oldest are removed first. */
  readonly max?: number;
  /** Called with the number of letters that were removed because there were more than `max`. They are lost. */
  readonly onDropped?: (letters: number) => void;
  /** Checks that the tasks' stream has room for letters that are replayed. */
  readonly room?: Pick<StreamRoom, 'check'>;
}

/** Longer than tasks are kept, because people handle dead letters. */
const KEPT_MS = 30 * 24 * 3600 * 1000;

const DEFAULT_MAX_LETTERS = 2_000;

/** Letters per script call: Redis does nothing else meanwhile. Also the page size of lists, which read the bodies and drop them. */
const LETTERS_A_CALL = 50;

/**
 * Dead letters in a stream of their own. A letter's id is its entry's id. Replayed letters stay listed, as they do on Kafka.
 * Letters are removed after 30 days, and the oldest ones when there are too many.
 */
export class StreamsDeadLetters implements TransportLetters {
  readonly #client: RedisClient;
  readonly #options: StreamsDeadLettersOptions;
  readonly #letters: string;
  readonly #put: Script;

  constructor(options: StreamsDeadLettersOptions) {
    this.#client = options.client;
    this.#options = options;
    this.#letters = `${options.stream}.dlq`;
    this.#put = defineScript(options.client, 'put_letters', new URL('./lua/put-letters.lua', import.meta.url));
  }

  /** @throws RedisUnavailable; some letters may have been added */
  async put(letters: readonly { delivery: Delivery; failure: Failure }[]): Promise<void> {
    const { max = DEFAULT_MAX_LETTERS, onDropped } = this.#options;
    for (let from = 0; from < letters.length; from += LETTERS_A_CALL) {
      const entries = letters.slice(from, from + LETTERS_A_CALL).map(({ delivery, failure }) => {
        const { body, headers } = deadLetterOf(delivery, failure);
        const fields = entryFields(body, headers);
        return [fields.length, ...fields];
      });
      const dropped = (await this.#put([this.#letters], [KEPT_MS, max, ...entries.flat()])) as number;
      if (dropped > 0) onDropped?.(dropped);
    }
  }

  /** @throws RedisUnavailable */
  async list({ limit, after }: { limit: number; after?: string }): Promise<ListedLetter[]> {
    if (after !== undefined && !isEntryId(after)) throw new RangeError(`not the id of a dead letter: ${after}`);
    const letters: ListedLetter[] = [];
    for (let from = after; letters.length < limit; from = letters.at(-1)?.id) {
      const count = Math.min(LETTERS_A_CALL, limit - letters.length);
      const page = await this.#range(from === undefined ? '-' : `(${from}`, '+', count);
      letters.push(...page.map(listed));
      if (page.length < count) break;
    }
    return letters;
  }

  /** @throws RedisUnavailable */
  async get(id: string): Promise<DeadLetter | undefined> {
    if (!isEntryId(id)) return undefined;
    const [letter] = await this.#range(id, id, 1);
    return letter;
  }

  /** @throws RedisUnavailable */
  async *all(): AsyncIterable<DeadLetter> {
    let from = '-';
    for (;;) {
      const page = await this.#range(from, '+', LETTERS_A_CALL);
      yield* page;
      if (page.length < LETTERS_A_CALL) return;
      from = `(${page.at(-1)?.id}`;
    }
  }

  /** @throws RedisUnavailable */
  async remove(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await reply(this.#client.call('XDEL', this.#letters, ...ids));
  }

  /** @throws NotReplayable, TransportFull, StreamNotOnRecord, RedisUnavailable, DatabaseUnavailable */
  async replay(ids: readonly string[]): Promise<Replayed> {
    const { letters, missing } = await lettersToReplay(this, ids);
    const entries = letters.map(({ body, headers }) => entryFields(body, replayedHeaders(headers)));
    await this.#options.room?.check();
    await this.#options.recorded.add(entries);
    return { replayed: entries.length, missing };
  }

  async close(): Promise<void> {}

  async #range(from: string, to: string, limit: number): Promise<DeadLetter[]> {
    const found = await reply(this.#client.callBuffer('XRANGE', this.#letters, from, to, 'COUNT', limit));
    return (found as RawEntry[]).map((entry) => {
      const { body, headers, timestamp } = deliveryOf(this.#letters, entry);
      return { id: entry[0].toString(), body, headers, timestamp };
    });
  }
}
