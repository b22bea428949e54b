import { type ICustomPartitioner, type Message, Partitioners, type RecordMetadata } from 'kafkajs';

/**
 * The partition of each message that a producer sends, chosen once. kafkajs reports success for messages that it never sent: when it tries
 * a request again, it asks no broker that has answered already, even if that one now leads a partition whose former leader had refused;
 * it sends nothing to a partition that it does not know yet; and it gives a message without a key another partition each time. As long as
 * a message keeps its partition, the answers show which messages were taken.
 */
export class ChosenPartitions {
  readonly #chosen = new WeakMap<Message, number>();

  /** For the producer. Like Java's, it hashes the key. */
  readonly partitioner: ICustomPartitioner = () => {
    const choose = Partitioners.DefaultPartitioner();
    return (args) => {
      const partition = this.#chosen.get(args.message) ?? choose(args);
      this.#chosen.set(args.message, partition);
      return partition;
    };
  };

  /**
   * Finds a partition whose messages no broker has confirmed.
   * @param messages of a request that succeeded
   * @param taken the answers to it
   */
  unconfirmed(messages: readonly Message[], taken: readonly RecordMetadata[]): number | undefined {
    const confirmed = new Set(taken.map(({ partition }) => partition));
    return messages.map((message) => this.#chosen.get(message) ?? -1).find((partition) => !confirmed.has(partition));
  }
}
