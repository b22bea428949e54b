import type { RedisClient } from '../../redis/connection.ts';
import { reply } from '../../redis/unavailable.ts';
import { deadLetterOf, lettersToReplay, listed, originalHeaders } from '../dead-letter-headers.ts';
import type { DeadLetter, DeadLetters, Failure, ListedLetter } from '../dead-letters.ts';
import type { Delivery } from '../task-source.ts';
import { addEntries } from './add-entries.ts';
import { deliveryOf, entryFields, type RawEntry } from './entries.ts';

export interface StreamsDeadLettersOptions {
  /** Closed by whoever opened it. */
  readonly client: RedisClient;
  /** The key of the tasks' stream; the letters are in `<stream>.dlq`. */
  readonly stream: string;
}

/** Longer than tasks are kept, for people are slower. */
const KEPT_MS = 30 * 24 * 3600 * 1000;

/** Their bodies come along, and are dropped at once. */
const LETTERS_A_CALL = 50;

/**
 * Dead letters in a stream of their own. The id of a letter is that of its entry. Letters stay listed when they were
 * replayed, as they do on Kafka; they are removed after 30 days.
 */
export class StreamsDeadLetters implements DeadLetters {
  readonly #client: RedisClient;
  readonly #stream: string;
  readonly #letters: string;

  constructor({ client, stream }: StreamsDeadLettersOptions) {
    this.#client = client;
    this.#stream = stream;
    this.#letters = `${stream}.dlq`;
  }

  /** @throws RedisUnavailable */
  async put(letters: readonly { delivery: Delivery; failure: Failure }[]): Promise<void> {
    const entries = letters.map(({ delivery, failure }) => {
      const { body, headers } = deadLetterOf(delivery, failure);
      return entryFields(body, headers);
    });
    await addEntries(this.#client, this.#letters, entries, KEPT_MS);
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

  /** @throws RedisUnavailable; NotReplayable */
  async replay(ids: readonly string[]): Promise<number> {
    const letters = await lettersToReplay(this, ids);
    const entries = letters.map(({ body, headers }) => entryFields(body, originalHeaders(headers)));
    await addEntries(this.#client, this.#stream, entries);
    return entries.length;
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

function isEntryId(text: string): boolean {
  return /^\d{1,20}-\d{1,20}$/.test(text);
}
