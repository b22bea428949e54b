import type { Logger } from 'pino';
import { CONTACTS, type Kind } from '../contracts/kind.ts';
import type { RedisTrust } from '../index/epoch-watch.ts';
import { isolateFailures, type SetAside } from '../index/set-aside.ts';
import { type Answers, storeFaultOf } from '../index/store-fault.ts';
import type { Pair } from '../mysql/statements/pairs.ts';
import { traceParentOf } from '../tracing/trace-parent.ts';
import { InvalidTask, readTask } from '../transport/cloud-events.ts';
import type { DeadLetters, Failure } from '../transport/dead-letters.ts';
import {
  type Batch,
  type BatchLease,
  BatchLost,
  type Delivery,
  type Loss,
  type TaskSource,
} from '../transport/task-source.ts';
import { inBatchSpan } from './batch-span.ts';
import { planWork, type ReceivedTask, type TaskWorker } from './work-plan.ts';

/** Does the work on the indexes of one kind; contacts if it does not say. */
interface KindWorker extends Partial<Pick<TaskWorker, 'kind'>> {
  /** @returns pairs that fail by themselves, and are to be set aside */
  work(...args: Parameters<TaskWorker['work']>): Promise<Awaited<ReturnType<TaskWorker['work']>> | undefined>;
}

export interface TaskConsumerOptions {
  readonly source: TaskSource;
  /** One, or one for each kind in use. Tasks of other kinds have nothing to do. */
  readonly worker: KindWorker | readonly KindWorker[];
  readonly deadLetters: Pick<DeadLetters, 'put'>;
  /** As the site has them; left out: as they are declared. */
  readonly kinds?: readonly Kind[];
  /** Tasks were lost: raises the alarm and marks every index as untrusted. Nothing after the loss is delivered until it resolves. */
  readonly onLoss: (loss: Loss) => Promise<void>;
  /** Says whether what was written to Redis counts. */
  readonly watch: Pick<RedisTrust, 'during'>;
  readonly logger: Logger;
  /** Do the stores answer? Left out: what takes too long always counts as a fault of a store. */
  readonly answers?: Answers;
  /** Called with each batch before anything of it is done. What it returns is called when the batch is done, or given back. */
  readonly onDelivered?: (deliveries: readonly Delivery[]) => () => void;
  /** Awaited before every step of the work: lets it wait for something more urgent. */
  readonly beforeStep?: (lease: BatchLease) => Promise<void>;
  readonly onBatch?: (batch: { tasks: number; deadLetters: number; ignoredFields: number; seconds: number }) => void;
  /** Monotonic clock, ms. */
  readonly now?: () => number;
}

/**
 * Takes micro-batches from a source: decodes the deliveries, plans the work, has it done, and acknowledges. A batch is
 * acknowledged when everything in it is written, or is a dead letter. While a store is unavailable or misconfigured, the
 * batch is given back and nothing becomes a dead letter; a task does when it fails alone, repeatedly, although the stores
 * answer. What was written to another Redis than the one on record does not count: the batch comes again.
 *
 * A dead letter is a change that was not applied. Of a pair, whose user has no index from then on, nothing else is touched. Of a
 * whole task nobody knows whom it concerned, so it counts as a loss.
 */
export class TaskConsumer {
  readonly #options: TaskConsumerOptions;
  readonly #workers: readonly KindWorker[];
  /** The time to finish is over: batches are given back at their next step. */
  #isOver = false;

  constructor(options: TaskConsumerOptions) {
    this.#options = options;
    this.#workers = [options.worker].flat();
  }

  /** Runs until `stop`. Rejects when the source cannot continue. */
  run(): Promise<void> {
    return this.#options.source.run((batch) => this.#handle(batch), this.#options.onLoss);
  }

  /**
   * Takes no new batch. Resolves when the batch in progress has been acknowledged or given back.
   * @param graceMs after this long it is given back at its next step, and another process does it. Left out: it is finished.
   */
  async stop(graceMs?: number): Promise<void> {
    const giveBack = () => {
      this.#isOver = true;
    };
    const timer = graceMs === undefined ? undefined : setTimeout(giveBack, graceMs);
    await this.#options.source.stop().finally(() => clearTimeout(timer));
  }

  /** When it resolves, the source acknowledges the batch; when it rejects, the batch comes again. */
  async #handle(batch: Batch): Promise<void> {
    const ended = this.#options.onDelivered?.(batch.deliveries);
    try {
      await inBatchSpan(batch.deliveries, () => this.#work(batch));
    } finally {
      ended?.();
    }
  }

  async #work(batch: Batch): Promise<void> {
    const { onBatch, watch, now = () => performance.now() } = this.#options;
    const startedAt = now();
    const held: BatchLease = { renew: () => this.#renew(batch) };
    const lease: BatchLease = { renew: () => this.#beforeStep(held) };
    const { tasks, invalid } = decodeAll(batch.deliveries, this.#options.kinds);
    const { failed, pairs } = await watch.during(() => this.#apply(tasks, lease));
    const rejected = [...invalid, ...failed, ...pairs];
    if (rejected.length > 0) await batch.lease.renew();
    if (rejected.length > 0) await this.#putAside(rejected);
    // A message that is no task loses none. What a batch holds that cannot be read, nobody knows.
    const lost = [...failed, ...invalid.filter(({ delivery }) => delivery.unreadable !== undefined)];
    // Only now: a task that the dead letters do not take comes again, and is on its way until then.
    if (lost.length > 0) await this.#options.onLoss(lossOf(lost));
    const ignoredFields = tasks.reduce((fields, { ignored }) => fields + ignored.length, 0);
    const seconds = (now() - startedAt) / 1000;
    onBatch?.({ tasks: tasks.length, deadLetters: rejected.length, ignoredFields, seconds });
  }

  async #beforeStep(lease: BatchLease): Promise<void> {
    await this.#options.beforeStep?.(lease);
    await lease.renew();
  }

  async #renew(batch: Batch): Promise<void> {
    if (this.#isOver) throw new BatchLost('this process is ending; another one continues with the batch');
    await batch.lease.renew();
  }

  /**
   * Applies all tasks together. If that fails because of one of them, it tries halves, to find which.
   * @returns the tasks that failed alone, and the pairs of users and contacts that did
   */
  async #apply(tasks: readonly DecodedTask[], lease: BatchLease): Promise<{ failed: Rejected[]; pairs: Rejected[] }> {
    const { logger, answers = async () => false } = this.#options;
    const pairs: Rejected[] = [];
    const work = async (some: readonly DecodedTask[]) => void pairs.push(...(await this.#workOn(some, lease)));
    try {
      const aside = await isolateFailures(tasks, work, {
        answers,
        isEnd: (error) => error instanceof BatchLost,
        onFailure: (err) => logger.error({ err }, 'a batch failed; trying smaller parts of it'),
      });
      return { failed: aside.map(({ item, error, attempts }) => rejected(item.delivery, error, attempts)), pairs };
    } catch (error) {
      if (storeFaultOf(error) === 'setup') {
        logger.error({ err: error }, 'no task can be processed until this is fixed; run `recency doctor`');
      }
      throw error;
    }
  }

  async #workOn(tasks: readonly DecodedTask[], lease: BatchLease): Promise<Rejected[]> {
    const pairs: Rejected[] = [];
    for (const worker of this.#workers) {
      const failed = (await worker.work(planWork(tasks, worker.kind), lease)) ?? [];
      pairs.push(...failed.map((one) => letterOfPair(one, worker.kind ?? CONTACTS, 'pair')));
    }
    return pairs;
  }

  async #putAside(rejected: readonly Rejected[]): Promise<void> {
    await this.#options.deadLetters.put(rejected);
    for (const { delivery, failure } of rejected) {
      this.#options.logger.warn(
        { position: delivery.position, ...failure, ...cameWith(delivery) },
        'a task went to the dead letters',
      );
    }
  }
}

interface DecodedTask extends ReceivedTask {
  readonly delivery: Delivery;
  /** Names of fields that this version does not know. */
  readonly ignored: readonly string[];
}

function decodeAll(
  deliveries: readonly Delivery[],
  kinds: readonly Kind[] | undefined,
): { tasks: DecodedTask[]; invalid: Rejected[] } {
  const tasks: DecodedTask[] = [];
  const invalid: Rejected[] = [];
  for (const delivery of deliveries) {
    try {
      tasks.push(decode(delivery, kinds));
    } catch (error) {
      if (!(error instanceof InvalidTask)) throw error;
      invalid.push(rejected(delivery, error, 1));
    }
  }
  return { tasks, invalid };
}

function decode(delivery: Delivery, kinds: readonly Kind[] | undefined): DecodedTask {
  const { task, ignored } = readTask(delivery, kinds);
  return { task, position: delivery.position, delivery, ignored };
}

/** With the trace of the batch, in which the line is logged, that of the task itself. */
function cameWith({ headers }: Delivery) {
  const { traceparent } = traceParentOf(headers) ?? {};
  return traceparent === undefined ? {} : { traceparent };
}

function lossOf(lost: readonly Rejected[]): Loss {
  const [first] = lost;
  const detail = `${lost.length} tasks could not be applied; the first is ${first?.delivery.position}: ${first?.failure.message}`;
  return { reason: 'set_aside', detail };
}

function rejected(delivery: Delivery, error: Error, attempts: number): Rejected {
  return { delivery, failure: { errorClass: error.name, message: error.message, attempts } };
}

/** A delivery that becomes a dead letter. */
interface Rejected {
  readonly delivery: Delivery;
  readonly failure: Failure;
}

/**
 * The dead letter of a pair that could not be refreshed: a task that refreshes the same pair when it is replayed.
 * @param origin what the work was a part of, for people
 */
export function letterOfPair(
  { item, error, attempts }: SetAside<Pair>,
  { singular, relationTasks }: Pick<Kind, 'singular' | 'relationTasks'>,
  origin: 'pair' | 'delayed',
): Rejected {
  const { user, contact } = item;
  const delivery = {
    position: `${origin}:${user}:${contact}`,
    body: Buffer.from(JSON.stringify({ type: relationTasks.changed, user, [singular]: contact })),
    headers: {},
    timestamp: Date.now(),
  };
  return { delivery, failure: { errorClass: error.name, message: error.message, attempts } };
}
