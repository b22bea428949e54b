import { type Message, type PartitionerArgs, Partitioners, type PartitionMetadata } from 'kafkajs';

/** A failing partition is retried after this long, ms; twice as long each time, up to the longest pause. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5_000;

interface Fault {
  /** ms, monotonic. */
  readonly until: number;
  readonly pauseMs: number;
  readonly error: Error;
}

/** Messages of one partition. */
export interface PartitionMessages {
  readonly partition: number;
  readonly messages: readonly Message[];
}

interface Split {
  /** Sent together. */
  readonly together: readonly Message[];
  /** Messages of partitions whose pause is over: each partition is tried on its own, so that none delays the others. */
  readonly trials: readonly PartitionMessages[];
  /** Messages of partitions that currently take none, with the reason. */
  readonly apart: ReadonlyMap<Message, Error>;
}

const partitionOf = Partitioners.DefaultPartitioner();

/**
 * Tracks the partitions of a topic that currently take no messages, because they have no leader or too few replicas in sync.
 * Their messages are kept apart, so that the messages of all other partitions go out normally.
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

  /** Takes in what a broker says about the topic. */
  learn(metadata: PartitionMetadata[]): void {
    this.#metadata = metadata;
  }

  isLed(partition: number): boolean {
    return (this.#metadata.find(({ partitionId }) => partitionId === partition)?.leader ?? -1) >= 0;
  }

  /** Is there a partition that has a leader and no known fault? */
  get isAnyWell(): boolean {
    return this.#metadata.some(({ partitionId, leader }) => leader >= 0 && !this.#faults.has(partitionId));
  }

  /** Groups messages by partition, as the topic was last known. */
  group(topic: string, messages: readonly Message[]): PartitionMessages[] {
    const groups = Map.groupBy(messages, (message) =>
      partitionOf({ topic, partitionMetadata: this.#metadata, message: message as PartitionerArgs['message'] }),
    );
    return [...groups].map(([partition, some]) => ({ partition, messages: some }));
  }

  /** Splits off the messages of partitions that fail. */
  split(topic: string, messages: readonly Message[]): Split {
    if (!this.isAny) return { together: messages, trials: [], apart: new Map() };
    const together: Message[] = [];
    const trials: PartitionMessages[] = [];
    const apart = new Map<Message, Error>();
    for (const group of this.group(topic, messages)) {
      const fault = this.#faults.get(group.partition);
      if (fault === undefined) {
        together.push(...group.messages);
      } else if (fault.until <= this.#now()) {
        // Concurrent callers do not try this partition as well: every trial takes time.
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
