import type { Consumer, ConsumerEndBatchProcessEvent, EachBatchPayload } from 'kafkajs';
import { type Backoff, backoffMs } from '../../timing/backoff.ts';
import { settledWithin } from '../../timing/deadline.ts';
import type { StallDetector } from '../../timing/stall-detector.ts';
import type { BatchHandler, Loss, SourceState } from '../task-source.ts';
import { admit } from './admission.ts';
import { Assignment, type OwnedPartition } from './assignment.ts';
import { type KafkaSettings, openKafka, RETRY } from './client.ts';
import { permitted } from './errors.ts';
import { brokerFault } from './fetch-response.ts';
import type { Gathering } from './gathering.ts';
import type { LogEndCheck } from './log-end-check.ts';
import { Membership } from './membership.ts';
import { mergedBatches, type Part } from './merged-batches.ts';
import { type Commit, mergedCommits } from './merged-commits.ts';
import { GivenBack, workThrough } from './partition-work.ts';
import type { TopicAdmin } from './topic-admin.ts';

export interface SessionOptions {
  readonly kafka: KafkaSettings;
  readonly topic: string;
  readonly partitions: number;
  readonly group: string;
  readonly sessionTimeoutMs: number;
  readonly heartbeatMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly rebalanceGraceMs: number;
  readonly pauses: Backoff;
  readonly admin: TopicAdmin;
  readonly progress: StallDetector;
  readonly now: () => number;
  readonly expectsOffsets: () => Promise<boolean>;
  /** Undefined: publishers record nothing. */
  readonly logEnds: LogEndCheck | undefined;
  readonly handler: BatchHandler;
  readonly onLoss: (loss: Loss) => Promise<void>;
  /** Called with what keeps the session from consuming; undefined: nothing does any more. */
  readonly onFault: (fault: unknown) => Promise<void>;
}

/** A fetch waits so long when there is nothing; so does kafkajs before it looks whether a paused partition may go on. */
const FETCH_WAIT_MS = 250;

/**
 * Of one partition in one fetch, as compressed: a dozen times as many when unpacked, and then some thousand objects. A
 * larger batch of a producer's comes all the same.
 */
const FETCH_BYTES = 32 * 1024;

/** Partitions of one fetch that are handed over at once, to be worked on together. */
const PARTITIONS_AT_ONCE = 64;

/** Hanging up may not hold up a shutdown when the brokers are away. */
const LEAVE_TIMEOUT_MS = 5_000;

/** One life of a kafkajs consumer: until it is stopped or crashes. After a crash there is a new one. */
export class KafkaSession {
  readonly #options: SessionOptions;
  readonly #consumer: Consumer;
  readonly #stopped = Promise.withResolvers<void>();
  readonly #working = new Set<Promise<void>>();
  readonly #batches: Gathering<Part>;
  readonly #commits: Gathering<Commit>;
  readonly #faults = new Map<number, number | undefined>();
  #started: Promise<void> = Promise.resolve();
  #assignment: Assignment | undefined;
  #isStopping = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    const isOver = () => this.#isStopping || this.#assignment?.membership.isOpen !== true;
    this.#batches = mergedBatches(options.handler, isOver);
    this.#commits = mergedCommits(options.topic);
    this.#consumer = openKafka(options.kafka).consumer({
      groupId: options.group,
      sessionTimeout: options.sessionTimeoutMs,
      rebalanceTimeout: options.rebalanceTimeoutMs,
      heartbeatInterval: options.heartbeatMs,
      maxWaitTimeInMs: FETCH_WAIT_MS,
      maxBytesPerPartition: FETCH_BYTES,
      allowAutoTopicCreation: false,
      // The crash is reported to us, and we begin anew: kafkajs gives up after some kinds of crash (#1445).
      retry: { ...RETRY, restartOnFailure: async () => false },
    });
  }

  /** Did it get as far as having joined the group? */
  get hasWorked(): boolean {
    return this.#assignment !== undefined;
  }

  get state(): SourceState {
    const assignment = this.#assignment;
    if (assignment === undefined) return { isReady: false, detail: 'joining the consumer group' };
    const { partitions, membership } = assignment;
    if (membership.silentMs > 3 * this.#options.heartbeatMs) {
      const seconds = Math.round(membership.silentMs / 1000);
      return { isReady: false, detail: `the group is rebalancing or Kafka is away: no heartbeat for ${seconds} s` };
    }
    if (partitions.size === 0) return { isReady: true, detail: 'idle: other members have all partitions' };
    const admitted = [...partitions.values()].filter(({ next }) => next !== undefined).length;
    return { isReady: admitted === partitions.size, detail: `${admitted} of ${partitions.size} partitions admitted` };
  }

  /** Until stopped. @throws what kafkajs crashed with */
  async run(): Promise<void> {
    const crashed = this.#listen();
    try {
      await Promise.race([this.#start(), crashed, this.#stopped.promise]);
      await Promise.race([this.#stopped.promise, crashed]);
    } finally {
      await this.#leave();
    }
  }

  /** Begins no new batch, lets those in work finish, and leaves the group. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.allSettled(this.#working);
    this.#stopped.resolve();
  }

  /** Gives everything up at once, without a word to the group: it will notice. */
  abandon(): void {
    this.#isStopping = true;
    this.#assignment?.end();
  }

  /** Is a batch in work, or is there one to be had? False when it cannot be told, or while the group is rebalancing. */
  async isWaiting(): Promise<boolean> {
    if (this.#working.size > 0) return true;
    const assignment = this.#assignment;
    if (assignment === undefined || assignment.partitions.size === 0 || this.#isJoining(assignment)) return false;
    const offsets = await this.#options.admin.offsets(this.#options.group).catch(() => []);
    return offsets.some(({ partition, low, high }) => {
      const owned = assignment.partitions.get(partition);
      const isToBeHad = brokerFault(this.#options.topic, partition) === undefined;
      return owned !== undefined && isToBeHad && high > (owned.next ?? low);
    });
  }

  /** The other members may take all of the rebalance timeout. Whoever is silent for longer hangs. */
  #isJoining({ membership: { silentMs } }: Assignment): boolean {
    const { heartbeatMs, rebalanceTimeoutMs, sessionTimeoutMs } = this.#options;
    return silentMs > 3 * heartbeatMs && silentMs < rebalanceTimeoutMs + sessionTimeoutMs;
  }

  #listen(): Promise<never> {
    const { events } = this.#consumer;
    this.#consumer.on(events.GROUP_JOIN, ({ payload }) => this.#joined(payload.memberAssignment[this.#options.topic]));
    this.#consumer.on(events.FETCH, () => this.#tellFaults());
    this.#consumer.on(events.HEARTBEAT, () => this.#assignment?.membership.renew());
    this.#consumer.on(events.END_BATCH_PROCESS, ({ payload }) => this.#skipped(payload));
    const { promise: crashed, reject } = Promise.withResolvers<never>();
    this.#consumer.on(events.CRASH, ({ payload }) => reject(payload.error));
    crashed.catch(() => undefined);
    return crashed;
  }

  /** Nothing here can fix what a broker cannot read; the other partitions go on. */
  #tellFaults(): void {
    const { topic, kafka } = this.#options;
    for (const partition of this.#assignment?.partitions.keys() ?? []) {
      const errorCode = brokerFault(topic, partition);
      if (errorCode === this.#faults.get(partition)) continue;
      this.#faults.set(partition, errorCode);
      if (errorCode === undefined) kafka.logger.info({ topic, partition }, 'the broker reads the partition again');
      else kafka.logger.error({ topic, partition, errorCode }, 'the broker cannot read a partition; it is asked again');
    }
  }

  async #start(): Promise<void> {
    const { admin, partitions, topic } = this.#options;
    await permitted(admin.ensureTopics(partitions), 'DESCRIBE', { topic });
    await this.#consumer.connect();
    await this.#consumer.subscribe({ topics: [topic], fromBeginning: true });
    if (this.#isStopping) return;
    this.#started = this.#consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: PARTITIONS_AT_ONCE,
      eachBatch: (payload) => this.#eachBatch(payload),
    });
    await this.#started;
  }

  async #leave(): Promise<void> {
    this.abandon();
    // Not before it has joined: kafkajs would go on joining, and then consume although it was stopped.
    const left = this.#started.catch(() => undefined).then(() => this.#consumer.disconnect());
    if (!(await settledWithin(left, LEAVE_TIMEOUT_MS))) {
      this.#options.kafka.logger.warn('Kafka did not let go in time; the group will notice by itself');
    }
  }

  /** Called by kafkajs before it fetches anything of a new assignment. */
  #joined(partitions: readonly number[] = []): void {
    const { kafka, ...options } = this.#options;
    this.#assignment?.end();
    options.progress.mark();
    const assignment = new Assignment(partitions, new Membership({ ...options, logger: kafka.logger }));
    this.#assignment = assignment;
    if (partitions.length === 0) {
      void options.onFault(undefined);
      return;
    }
    void admit(assignment, { ...options, consumer: this.#consumer, started: this.#started, logger: kafka.logger });
  }

  async #eachBatch(payload: EachBatchPayload): Promise<void> {
    const assignment = this.#assignment;
    const owned = assignment?.partitions.get(payload.batch.partition);
    if (assignment === undefined || owned?.next === undefined || this.#isStopping) return;
    const work = this.#work(payload, assignment, owned);
    this.#working.add(work);
    try {
      await work;
    } finally {
      this.#working.delete(work);
    }
    const { reason } = assignment.membership;
    if (reason !== undefined && this.#assignment === assignment) throw reason;
  }

  async #work(payload: EachBatchPayload, assignment: Assignment, owned: OwnedPartition): Promise<void> {
    const isStopping = () => this.#isStopping;
    try {
      const [batches, commits] = [this.#batches, this.#commits];
      await workThrough({ ...this.#options, batches, commits, payload, assignment, owned, isStopping });
    } catch (error) {
      if (!(error instanceof GivenBack)) throw error;
      this.#giveBack(payload, assignment, owned, error.cause);
    }
  }

  /** Pauses the partition; the others go on. */
  #giveBack(payload: EachBatchPayload, assignment: Assignment, owned: OwnedPartition, error: unknown): void {
    if (this.#isStopping || !assignment.membership.isOpen) return;
    const delayMs = backoffMs(owned.failures++, this.#options.pauses);
    const { partition } = owned;
    this.#options.kafka.logger.warn({ err: error, partition, delayMs }, 'a batch was given back; it comes again');
    assignment.later(delayMs, payload.pause());
  }

  /** Of a batch of nothing but control records, kafkajs tells only here. */
  #skipped({ batchSize, partition, firstOffset, lastOffset }: ConsumerEndBatchProcessEvent['payload']): void {
    const owned = this.#assignment?.partitions.get(partition);
    if (batchSize > 0 || owned?.next === undefined) return;
    // Null when compaction left nothing from the offset asked for, whatever its type says.
    const first = firstOffset as string | null;
    if (first !== null && BigInt(first) > owned.next) return;
    owned.next = BigInt(lastOffset) + 1n;
    const { topic, kafka } = this.#options;
    this.#consumer.commitOffsets([{ topic, partition, offset: owned.next.toString() }]).catch((error: unknown) => {
      kafka.logger.debug({ err: error, partition }, 'control records were not committed; the next batch does it');
    });
  }
}
