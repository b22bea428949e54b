import type { Admin, Consumer, EachBatchPayload, KafkaMessage } from 'kafkajs';
import { CAPTURE_TABLE } from '../../mysql/capture.ts';
import { pause } from '../../timing/loop.ts';
import { createKafka, type KafkaSettings } from '../../transport/kafka/client.ts';
import { concernOf, type WatchedNames } from '../binlog/statements.ts';
import { CaptureGap, type ChangeBatch, type ChangeSource, type Echo, type RowChange } from '../change-source.ts';
import { LogProof } from '../log-proof.ts';
import type { TableName } from '../mapping.ts';
import { ConnectorMistake, type MessageContext, readMessage } from './messages.ts';
import { markOf, mustFollow, Offsets, readEnds, readGroup, statementsTopic, topicOf, WaitingEchoes } from './topics.ts';

interface DebeziumSourceOptions {
  readonly kafka: KafkaSettings;
  readonly group: string;
  readonly sessionTimeoutMs: number;
  /** `topic.prefix` of the connector. */
  readonly prefix: string;
  readonly mapped: readonly TableName[];
  readonly columnsOf: MessageContext['columnsOf'];
  readonly watched: WatchedNames;
  /** The schema of Recency's own tables, and the row of `recency_capture` that comes back. */
  readonly own: { readonly schema: string; readonly source: string };
}

/** What a part of a partition comes to, and what to do when it is published. */
interface Taken {
  readonly topic: string;
  readonly partition: number;
  readonly next: bigint;
  /** Committed with the offset. */
  readonly metadata: string | undefined;
  readonly changes: readonly RowChange[];
  readonly at: number | undefined;
  readonly done: (isPublished: boolean) => void;
}

const HEARTBEAT_MS = 1_000;
const PARTITIONS_AT_ONCE = 16;

/**
 * Reads the topics that Debezium fills. The position is the offset of a consumer group, committed when the tasks are published.
 *
 * Topics have no common order: when Recency's own row comes back, changes that were committed before it may still wait in other
 * topics. Debezium reads the log in order, so they were written there first. So the row counts as come back when everything has
 * been published that was in the topics when it was read.
 *
 * Each write of that row has the number after the one before, or Debezium has passed over some of the log: it was made anew, or
 * MySQL's log was. The number of the last one is committed with the offset of its topic, so that a restart knows it.
 */
export class DebeziumSource implements ChangeSource {
  readonly #options: DebeziumSourceOptions;
  readonly #admin: Admin;
  readonly #consumer: Consumer;
  readonly #echoTopic: string;
  readonly #opening: Promise<void>;
  #topics: readonly string[] = [];
  #taken: Taken[] = [];
  #given: Taken[] = [];
  #read = new Offsets();
  readonly #echoes = new WaitingEchoes();
  #proof = new LogProof(undefined);
  #failure: Error | undefined;
  readonly #closing = Promise.withResolvers<void>();
  #isClosed = false;
  #received = 0;
  #wake: () => void = () => undefined;

  constructor(options: DebeziumSourceOptions) {
    this.#options = options;
    const { kafka, group: groupId, sessionTimeoutMs, prefix, own } = options;
    const client = createKafka(kafka);
    this.#admin = client.admin();
    // A topic that is missing is an error, not to be hidden by an empty one.
    const limits = { sessionTimeout: sessionTimeoutMs, heartbeatInterval: HEARTBEAT_MS, allowAutoTopicCreation: false };
    this.#consumer = client.consumer({
      groupId,
      ...limits,
      maxWaitTimeInMs: 100,
      retry: { restartOnFailure: async () => false },
    });
    this.#consumer.on(this.#consumer.events.CRASH, ({ payload }) => this.#fail(payload.error));
    this.#echoTopic = topicOf(prefix, { schema: own.schema, table: CAPTURE_TABLE });
    this.#opening = this.#open().catch((error: unknown) => this.#fail(error));
  }

  /** Messages. */
  get received(): number {
    return this.#received;
  }

  async next(waitMs: number, signal: AbortSignal): Promise<ChangeBatch> {
    if (this.#taken.length === 0 && this.#failure === undefined && !signal.aborted) {
      const ended = new AbortController();
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await Promise.race([woken, pause(waitMs, AbortSignal.any([signal, ended.signal]))]);
      ended.abort();
    }
    if (this.#failure !== undefined && this.#taken.length === 0) throw this.#failure;
    const given = this.#taken;
    this.#taken = [];
    this.#given.push(...given);
    for (const { topic, partition, next } of given) this.#read.set(topic, partition, next);
    const at = given
      .flatMap((one) => one.at ?? [])
      .reduce<number | undefined>((most, one) => Math.max(most ?? 0, one), undefined);
    return { changes: given.flatMap(({ changes }) => changes), at, echoes: this.#echoes.take(this.#read) };
  }

  async published(): Promise<void> {
    const given = this.#given;
    this.#given = [];
    if (given.length === 0) return;
    const offsets = given.map(({ topic, partition, next, metadata = null }) => ({
      ...{ topic, partition, metadata },
      offset: String(next),
    }));
    try {
      await this.#consumer.commitOffsets(offsets);
    } finally {
      for (const { done } of given) done(true);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#failure ??= new Error('closed');
    this.#closing.resolve();
    for (const { done } of [...this.#taken, ...this.#given]) done(false);
    await this.#opening;
    await Promise.allSettled([this.#consumer.disconnect(), this.#admin.disconnect()]);
  }

  async #open(): Promise<void> {
    const { prefix, mapped, group } = this.#options;
    await Promise.all([this.#admin.connect(), this.#consumer.connect()]);
    const topics = [...mapped.map((table) => topicOf(prefix, table)), statementsTopic(prefix), this.#echoTopic];
    const present = new Set(await this.#admin.listTopics());
    if (!present.has(this.#echoTopic)) {
      throw new Error(
        `Debezium has not made the topic ${this.#echoTopic} yet, where Recency's own writes come back: table.include.list of the connector must have that table`,
      );
    }
    this.#topics = topics;
    const { next, lastWrite } = await readGroup(this.#admin, group, topics, this.#echoTopic);
    this.#read = next;
    this.#proof = new LogProof(undefined, lastWrite);
    await this.#consumer.subscribe({ topics, fromBeginning: true });
    await this.#consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: PARTITIONS_AT_ONCE,
      eachBatch: (payload) => this.#takeOrFail(payload),
    });
  }

  /** After a failure it waits to be closed: kafkajs would fetch the same messages again and again. */
  async #takeOrFail(payload: EachBatchPayload): Promise<void> {
    if (this.#failure === undefined) await this.#take(payload).catch((error: unknown) => this.#fail(error));
    if (this.#failure !== undefined) await this.#closing.promise;
  }

  async #take({ batch, resolveOffset, heartbeat, isRunning, isStale }: EachBatchPayload): Promise<void> {
    const { topic, partition, messages } = batch;
    mustFollow(batch, this.#read);
    const { echoes, ...part } = this.#partOf(topic, messages);
    if (echoes.length > 0) this.#echoes.add(echoes, await readEnds(this.#admin, this.#topics));
    this.#received += messages.length;
    const isPublished = await new Promise<boolean>((resolve) => {
      const beating = setInterval(() => {
        if (!isRunning() || isStale()) resolve(false);
        else heartbeat().catch((error: unknown) => this.#fail(error));
      }, HEARTBEAT_MS);
      const done = (isDone: boolean) => {
        clearInterval(beating);
        resolve(isDone);
      };
      const metadata = topic === this.#echoTopic ? markOf(this.#proof.last) : undefined;
      this.#taken.push({ topic, partition, next: BigInt(batch.lastOffset()) + 1n, metadata, ...part, done });
      if (this.#isClosed) done(false);
      this.#wake();
    });
    if (isPublished) resolveOffset(batch.lastOffset());
  }

  #partOf(
    topic: string,
    messages: readonly KafkaMessage[],
  ): Pick<Taken, 'changes' | 'at'> & { readonly echoes: readonly Echo[] } {
    const changes: RowChange[] = [];
    let at: number | undefined;
    const echoes: Echo[] = [];
    for (const { value } of messages) {
      const event = readMessage(value, { topic, columnsOf: this.#options.columnsOf });
      if (event.is === 'statement') this.#mustNotConcern(event);
      if (event.is !== 'change') continue;
      const own = this.#ownEcho(event.change);
      if (own !== undefined) {
        this.#proof.see(own);
        echoes.push(own);
      }
      if (!this.#isOwn(event.change)) {
        changes.push(event.change);
        at = event.at;
      }
    }
    return { changes, at, echoes };
  }

  /** @throws CaptureGap */
  #mustNotConcern({ schema, text }: { readonly schema: string; readonly text: string }): void {
    // Debezium's rows name their columns, so an added one misleads nobody.
    const concern = concernOf({ schema, text, isSelfDescribing: true }, this.#options.watched);
    if (concern === undefined) return;
    throw new CaptureGap('statement', `no row events tell what this statement changed: ${concern}`);
  }

  #isOwn({ schema, table }: RowChange): boolean {
    return schema === this.#options.own.schema && table === CAPTURE_TABLE;
  }

  #ownEcho(change: RowChange): Echo | undefined {
    const { after } = change;
    // Only a write: a row of a snapshot says nothing about what was before it.
    if (!this.#isOwn(change) || change.kind !== 'update' || after?.source !== this.#options.own.source)
      return undefined;
    const { saved_at: at, fences, nonce } = after;
    return { at: Number(at), fence: Number(fences), nonce: String(nonce ?? ''), position: undefined };
  }

  #fail(error: unknown): void {
    this.#failure ??= error instanceof Error ? (ownCause(error) ?? error) : new Error(String(error));
    for (const { done } of this.#given) done(false);
    this.#wake();
  }
}

/** kafkajs wraps what a handler throws. */
function ownCause(error: Error): Error | undefined {
  const { cause } = error;
  return cause instanceof CaptureGap || cause instanceof ConnectorMistake ? cause : undefined;
}
