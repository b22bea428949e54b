import type { Consumer, ConsumerEndBatchProcessEvent, ConsumerGroupJoinEvent, EachBatchPayload } from 'kafkajs';
import { settledWithin } from '../../timing/deadline.ts';
import type { Backoff } from '../../timing/loop.ts';
import type { StallDetector } from '../../timing/stall-detector.ts';
import { type Leads, States } from '../../timing/states.ts';
import type { BatchHandler, GroupHistory, Loss, SourceState } from '../task-source.ts';
import { admit } from './admission.ts';
import { Assignment, Membership } from './assignment.ts';
import { createKafka, type KafkaSettings, RETRY } from './client.ts';
import { permitted } from './errors.ts';
import { FetchFaults } from './fetch-faults.ts';
import { brokerFault } from './fetch-response.ts';
import { joining } from './kafkajs-patches.ts';
import type { LogEndCheck } from './log-end-check.ts';
import { markingAssigner, markOf } from './marks.ts';
import { NewPartitions } from './new-partitions.ts';
import { PartitionWorker } from './partition-worker.ts';
import { rejoin } from './rejoin.ts';
import type { TopicAdmin } from './topic-admin.ts';

interface KafkaSessionOptions {
  readonly kafka: KafkaSettings;
  readonly topic: string;
  readonly partitions: number;
  readonly group: string;
  readonly sessionTimeoutMs: number;
  readonly heartbeatMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly rebalanceGraceMs: number;
  readonly batchSize: number;
  readonly batchesAtOnce: number;
  readonly slowMs: number;
  readonly backoff: Backoff;
  readonly admin: TopicAdmin;
  readonly progress: StallDetector;
  readonly now: () => number;
  readonly history: GroupHistory;
  readonly expectsOffsets: (hasStarted: boolean) => Promise<boolean>;
  /** Undefined when publishers record nothing. */
  readonly logEnds: LogEndCheck | undefined;
  readonly handler: BatchHandler;
  readonly onLoss: (loss: Loss) => Promise<void>;
  /** Called with the error that keeps the session from consuming; with undefined once it consumes. */
  readonly onFault: (fault: unknown) => Promise<void>;
}

/** How long a fetch waits when there is nothing, ms. kafkajs also waits this long before it resumes a paused partition. */
const FETCH_WAIT_MS = 250;

/**
 * Compressed bytes of one partition per fetch. Unpacked they are a dozen times as many, as a few thousand objects. A producer's
 * batch that is larger is fetched whole.
 */
const FETCH_BYTES = 32 * 1024;

/** Partitions of one fetch that kafkajs hands over at once; their messages are handled together. */
const PARTITIONS_AT_ONCE = 64;

/** Leaving the group must not delay a shutdown for longer than this when the brokers are unavailable, ms. */
const LEAVE_TIMEOUT_MS = 5_000;

/**
 * - `joining`: it connects, and joins the group for the first time.
 * - `consuming`: it has an assignment, and a new one after every rebalance.
 * - `stopping`: it begins no new batch; those in work end.
 * - `left`: its partitions are given up, and kafkajs is disconnected.
 */
type SessionState = 'joining' | 'consuming' | 'stopping' | 'left';

const LEADS: Leads<SessionState> = {
  joining: ['consuming', 'stopping', 'left'],
  consuming: ['stopping', 'left'],
  stopping: ['left'],
  left: [],
};

/** One kafkajs consumer, until it is stopped or crashes. After a crash the source starts a new session. */
export class KafkaSession {
  readonly #options: KafkaSessionOptions;
  readonly #consumer: Consumer;
  readonly #stopped = Promise.withResolvers<void>();
  readonly #crashed = Promise.withResolvers<never>();
  readonly #worker: PartitionWorker;
  readonly #faults: FetchFaults;
  readonly #newPartitions: NewPartitions;
  #started: Promise<void> = Promise.resolve();
  #assignment: Assignment | undefined;
  readonly #state = new States<SessionState>('joining', LEADS);

  constructor(options: KafkaSessionOptions) {
    this.#options = options;
    this.#newPartitions = new NewPartitions(options.kafka.logger);
    const mayBegin = () => this.#state.is('consuming') && this.#assignment?.membership.isOpen === true;
    this.#worker = new PartitionWorker({ ...options, logger: options.kafka.logger, mayBegin });
    this.#consumer = createKafka(options.kafka).consumer({
      groupId: options.group,
      sessionTimeout: options.sessionTimeoutMs,
      rebalanceTimeout: options.rebalanceTimeoutMs,
      heartbeatInterval: options.heartbeatMs,
      maxWaitTimeInMs: FETCH_WAIT_MS,
      maxBytesPerPartition: FETCH_BYTES,
      partitionAssigners: [this.#newPartitions.watched(markingAssigner)],
      allowAutoTopicCreation: false,
      // Crashes are reported to us and we start a new session: kafkajs gives up after some kinds of crash (#1445).
      retry: { ...RETRY, restartOnFailure: async () => false },
    });
    this.#faults = new FetchFaults({ ...options, logger: options.kafka.logger, consumer: this.#consumer });
  }

  /** Has it joined the group? */
  get hasWorked(): boolean {
    return this.#assignment !== undefined;
  }

  get state(): SourceState {
    if (this.#assignment === undefined) return { isReady: false, detail: 'joining the consumer group' };
    return this.#assignment.state(3 * this.#options.heartbeatMs);
  }

  /** Consumes until stopped. @throws what kafkajs crashed with */
  async run(): Promise<void> {
    this.#listen();
    const crashed = this.#crashed.promise;
    crashed.catch(() => undefined);
    try {
      await Promise.race([this.#start(), crashed, this.#stopped.promise]);
      await Promise.race([this.#stopped.promise, crashed]);
    } finally {
      await this.#leave();
    }
  }

  /** Begins no new batch, waits for the current ones and leaves the group. */
  async stop(): Promise<void> {
    if (this.#state.is('joining', 'consuming')) this.#state.enter('stopping');
    await this.#worker.settled();
    this.#stopped.resolve();
  }

  /** Gives up all partitions at once, without telling the group, which will notice. */
  abandon(): void {
    if (!this.#state.is('left')) this.#state.enter('left');
    this.#assignment?.end();
  }

  /** Is a batch being handled, or one waiting to be fetched? False when this is unknown, or while the group rebalances. */
  async isWaiting(): Promise<boolean> {
    if (this.#worker.isWorking) return true;
    const assignment = this.#assignment;
    if (assignment === undefined || assignment.partitions.size === 0 || this.#isJoining(assignment)) return false;
    const offsets = await this.#options.admin.offsets(this.#options.group).catch(() => []);
    return offsets.some(({ partition, low, high }) => {
      const owned = assignment.partitions.get(partition);
      const isReadable = brokerFault(this.#options.topic, partition) === undefined;
      return owned !== undefined && isReadable && high > (owned.next ?? low);
    });
  }

  /** Other members may take up the whole rebalance timeout. A member that is silent for longer hangs. */
  #isJoining({ membership: { silentMs } }: Assignment): boolean {
    const { heartbeatMs, rebalanceTimeoutMs, sessionTimeoutMs } = this.#options;
    return silentMs > 3 * heartbeatMs && silentMs < rebalanceTimeoutMs + sessionTimeoutMs;
  }

  #listen(): void {
    const { events } = this.#consumer;
    this.#consumer.on(events.GROUP_JOIN, ({ payload }) => this.#joined(payload));
    this.#consumer.on(events.FETCH, () => this.#faults.look(this.#assignment));
    this.#consumer.on(events.HEARTBEAT, () => this.#assignment?.membership.renew());
    this.#consumer.on(events.END_BATCH_PROCESS, ({ payload }) => this.#skipped(payload));
    this.#consumer.on(events.CRASH, ({ payload }) => this.#crashed.reject(payload.error));
  }

  async #start(): Promise<void> {
    const { admin, partitions, topic } = this.#options;
    await permitted(admin.ensureTopics(partitions), 'DESCRIBE', { topic });
    await this.#consumer.connect();
    await this.#consumer.subscribe({ topics: [topic], fromBeginning: true });
    if (!this.#state.is('joining')) return;
    this.#started = joining(
      (join) => this.#join(join),
      () =>
        this.#consumer.run({
          autoCommit: false,
          eachBatchAutoResolve: false,
          partitionsConsumedConcurrently: PARTITIONS_AT_ONCE,
          eachBatch: (payload) => this.#eachBatch(payload),
        }),
    );
    await this.#started;
  }

  /**
   * Joins the group, and again when it is rebalancing or has another coordinator. The other members wait for what is in work, within the
   * grace period.
   */
  async #join(join: () => Promise<void>): Promise<void> {
    const membership = this.#assignment?.membership;
    if (membership === undefined) return await join(); // kafkajs reports a failure as a crash
    membership.close();
    await settledWithin(this.#worker.settled(), membership.graceMs);
    const isConsuming = () => this.#state.is('consuming');
    await rejoin(join, this.#options, isConsuming).catch((error: unknown) => {
      if (isConsuming()) this.#crashed.reject(error);
    });
  }

  async #leave(): Promise<void> {
    this.abandon();
    // Only once it has joined: otherwise kafkajs goes on joining, and then consumes although it was stopped.
    const left = this.#started.catch(() => undefined).then(() => this.#consumer.disconnect());
    if (!(await settledWithin(left, LEAVE_TIMEOUT_MS))) {
      this.#options.kafka.logger.warn('leaving the Kafka group took too long; the group will notice by itself');
    }
  }

  /** kafkajs calls this before it fetches anything of a new assignment. */
  #joined({ memberAssignment, isLeader }: ConsumerGroupJoinEvent['payload']): void {
    const options = this.#options;
    const partitions: readonly number[] = memberAssignment[options.topic] ?? [];
    this.#assignment?.end();
    options.progress.mark();
    const assignment = new Assignment(partitions, new Membership({ ...options, logger: options.kafka.logger }));
    this.#assignment = assignment;
    if (this.#state.is('joining')) this.#state.enter('consuming');
    if (isLeader) void this.#newPartitions.look(assignment.signal);
    if (partitions.length === 0) void options.onFault(undefined);
    else void admit(assignment, { ...options, consumer: this.#consumer, started: this.#started });
  }

  async #eachBatch(payload: EachBatchPayload): Promise<void> {
    const assignment = this.#assignment;
    const owned = assignment?.partitions.get(payload.batch.partition);
    if (assignment === undefined || owned?.next === undefined || !this.#state.is('consuming')) return;
    await this.#worker.workThrough({ payload, assignment, owned });
    const { reason } = assignment.membership;
    if (reason !== undefined && this.#assignment === assignment) throw reason;
  }

  /**
   * Goes on behind a batch that cannot be read and does not say where it ends: kafkajs fetches it again from each of its offsets, skips
   * it, and reports that only here.
   */
  #skipped({ batchSize, partition, firstOffset, lastOffset }: ConsumerEndBatchProcessEvent['payload']): void {
    const owned = this.#assignment?.partitions.get(partition);
    const isOlder = (firstOffset as string | null) === null; // whatever its type says
    if (batchSize > 0 || !isOlder || owned?.next === undefined) return;
    const next = BigInt(lastOffset) + 1n;
    owned.next = next;
    const { topic, kafka } = this.#options;
    const offset = next.toString();
    this.#consumer.commitOffsets([{ topic, partition, offset, metadata: markOf(offset) }]).catch((error: unknown) => {
      kafka.logger.debug({ err: error, partition }, 'an offset was not committed; the next batch commits it');
    });
  }
}
