import { type Message, type PartitionerArgs, Partitioners, type PartitionMetadata } from 'kafkajs';

/** While a partition does not take messages, it is asked again after this long, ms; twice as long each time, up to a bound. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5_000;

interface Fault {
  /** ms, monotonic. */
  readonly until: number;
  readonly pauseMs: number;
  readonly error: Error;
}

/** Messages of one partition, marked with it. */
export interface OfPartition {
  readonly partition: number;
  readonly messages: readonly Message[];
}

export interface Split {
  /** To be sent together, as always. */
  readonly together: readonly Message[];
  /** Of partitions whose pause has passed: each to be tried on its own, so that none holds up the others. */
  readonly trials: readonly OfPartition[];
  /** Of partitions that do not take messages for now. */
  readonly apart: ReadonlyMap<Message, Error>;
}

const partitionOf = Partitioners.DefaultPartitioner();

/**
 * Which partitions of a topic do not take messages now: without a leader, or without enough replicas in sync. Their
 * messages are kept apart, so that those of the other partitions go out as if nothing were wrong.
 */
export class PartitionFaults {
  readonly #faults = new Map<number, Fault>();
  readonly #now: () => number;
  #metadata: PartitionMetadata[] = [];

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get isAny(): boolean {
    return this.#faults.size > 0;
  }

  /** What a broker says of the topic now. */
  learn(metadata: PartitionMetadata[]): void {
    this.#metadata = metadata;
  }

  isLed(partition: number): boolean {
    return (this.#metadata.find(({ partitionId }) => partitionId === partition)?.leader ?? -1) >= 0;
  }

  /** Is there a partition that has a leader and is not known to fail? */
  get isAnyWell(): boolean {
    return this.#metadata.some(({ partitionId, leader }) => leader >= 0 && !this.#faults.has(partitionId));
  }

  /** By their partitions, as the topic was last known. */
  group(topic: string, messages: readonly Message[]): OfPartition[] {
    const groups = Map.groupBy(messages, (message) =>
      partitionOf({ topic, partitionMetadata: this.#metadata, message: message as PartitionerArgs['message'] }),
    );
    return [...groups].map(([partition, some]) => ({ partition, messages: some }));
  }

  /** Those of partitions in trouble go apart, or are to be tried; the rest goes together. */
  split(topic: string, messages: readonly Message[]): Split {
    if (!this.isAny) return { together: messages, trials: [], apart: new Map() };
    const together: Message[] = [];
    const trials: OfPartition[] = [];
    const apart = new Map<Message, Error>();
    for (const group of this.group(topic, messages)) {
      const fault = this.#faults.get(group.partition);
      if (fault === undefined) {
        together.push(...group.messages);
      } else if (fault.until <= this.#now()) {
        // Whoever comes meanwhile does not try as well: every trial takes its time.
        this.#faults.set(group.partition, { ...fault, until: this.#now() + fault.pauseMs });
        trials.push(group);
      } else {
        for (const message of group.messages) apart.set(message, fault.error);
      }
    }
    return { together, trials, apart };
  }

  failed(partition: number, error: Error): void {
    const before = this.#faults.get(partition);
    const pauseMs = before === undefined ? FIRST_PAUSE_MS : Math.min(before.pauseMs * 2, LONGEST_PAUSE_MS);
    this.#faults.set(partition, { until: this.#now() + pauseMs, pauseMs, error });
  }

  worked(partition: number): void {
    this.#faults.delete(partition);
  }
}
