import type { Message, RecordMetadata } from 'kafkajs';
import type { GivenEnd, KafkaEnds, KnownEnd } from '../../mysql/kafka-ends.ts';
import { Batches } from '../../timing/batches.ts';
import { permitted } from './errors.ts';
import { type KafkaProducer, PartlySent } from './producer.ts';

/** How long the known ends are used, ms: less than a broker takes to restart with an older log. */
const KNOWN_FOR_MS = 500;

interface Known {
  readonly ends: ReadonlyMap<number, KnownEnd>;
  /** When they were read, ms. */
  readonly asOf: number;
}

/**
 * Sends messages to the topic of the tasks, and records the ends of its partitions before confirming them. When a message gets
 * an offset below an end known before, the log has lost its end; the record tells the consumers.
 */
export class RecordedProducer {
  readonly #producer: Pick<KafkaProducer, 'send'>;
  readonly #topic: string;
  readonly #ends: KafkaEnds | undefined;
  readonly #records: Batches<readonly GivenEnd[], void> | undefined;
  #known: Known | undefined;

  /** @param ends undefined if nothing is to be recorded */
  constructor(producer: Pick<KafkaProducer, 'send'>, topic: string, ends: KafkaEnds | undefined) {
    this.#producer = producer;
    this.#topic = topic;
    this.#ends = ends;
    if (ends === undefined) return;
    // Concurrent calls share a statement instead of waiting for each other's locks.
    const work = async (given: readonly (readonly GivenEnd[])[]) => {
      await ends.record(highest(given.flat()));
      return [];
    };
    this.#records = new Batches<readonly GivenEnd[], void>({ work, atOnce: 1, gathers: true });
  }

  /**
   * Resolves once all messages are taken and recorded, with where they went.
   * @throws PartlySent if only some were taken; what `KafkaProducer.send` throws, KafkaPermissionMissing, DatabaseUnavailable:
   *   some messages may have been written all the same
   */
  async send(messages: readonly Message[]): Promise<readonly RecordMetadata[]> {
    const known = await this.#knownEnds();
    const topic = this.#topic;
    try {
      const taken = await permitted(this.#producer.send(topic, messages), 'WRITE', { topic });
      await this.#record(taken, known);
      return taken;
    } catch (error) {
      if (error instanceof PartlySent) await this.#record(error.taken, known);
      throw error;
    }
  }

  async #record(taken: readonly RecordMetadata[], known: Known['ends'] | undefined): Promise<void> {
    const given = [...offsetsOf(taken)].map(([partition, { lowest, highest }]) => {
      const before = known?.get(partition);
      const wentBackIn = before !== undefined && lowest < before.end ? before.generation : undefined;
      return { partition, end: highest + 1n, wentBackIn };
    });
    if (given.length > 0) await this.#records?.run(given);
  }

  async #knownEnds(): Promise<ReadonlyMap<number, KnownEnd> | undefined> {
    if (this.#ends === undefined) return undefined;
    const asOf = performance.now();
    if (this.#known === undefined || asOf - this.#known.asOf > KNOWN_FOR_MS) {
      this.#known = { ends: await this.#ends.read(), asOf };
    }
    return this.#known.ends;
  }
}

/**
 * The offsets that were given, by partition. A broker names the first offset of each request, and all messages of a request to
 * one partition are kept or lost together.
 */
function offsetsOf(taken: readonly RecordMetadata[]): Map<number, { lowest: bigint; highest: bigint }> {
  const offsets = new Map<number, { lowest: bigint; highest: bigint }>();
  for (const { partition, baseOffset } of taken) {
    if (baseOffset === undefined) continue;
    const offset = BigInt(baseOffset);
    const { lowest = offset, highest = offset } = offsets.get(partition) ?? {};
    offsets.set(partition, { lowest: offset < lowest ? offset : lowest, highest: offset > highest ? offset : highest });
  }
  return offsets;
}

/** One end per partition: a statement must not name a row twice. */
function highest(given: readonly GivenEnd[]): GivenEnd[] {
  const merged = new Map<number, GivenEnd>();
  for (const one of given) {
    const { end = 0n, wentBackIn } = merged.get(one.partition) ?? {};
    const higher = one.end > end ? one.end : end;
    merged.set(one.partition, { ...one, end: higher, wentBackIn: one.wentBackIn ?? wentBackIn });
  }
  return [...merged.values()];
}
