import type { Logger } from 'pino';
import type { DeadLetters } from '../../src/consumers/dead-letters.ts';
import { TaskConsumer } from '../../src/consumers/task-consumer.ts';
import { type Batch, type BatchHandler, BatchLost, type TaskSource } from '../../src/consumers/task-source.ts';
import { TaskWorker } from '../../src/consumers/task-worker.ts';
import type { Steps } from '../../src/index/protocol.ts';
import type { Bag, Picks } from './bag.ts';
import type { Actor } from './turns.ts';

export interface ModelConsumerOptions {
  readonly actor: Actor;
  readonly bag: Bag;
  readonly steps: Steps;
  readonly deadLetters: Pick<DeadLetters, 'put'>;
  readonly logger: Logger;
  /** Does it stop when it learns that its batch belongs to somebody else? Otherwise it works on, unaware. */
  readonly obeys: boolean;
  /** Followers of one owner in a page: so few that most fan-outs have several, and cursors. */
  readonly pageSize: number;
}

/** A source that delivers when the test says so. */
class DrawnSource implements TaskSource {
  #handler: BatchHandler | undefined;

  run(handler: BatchHandler): Promise<void> {
    this.#handler = handler;
    return Promise.resolve();
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  lag(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async handle(batch: Batch): Promise<void> {
    if (this.#handler === undefined) throw new Error('the consumer does not run');
    await this.#handler(batch);
  }
}

/** The product's consumer, fed from the bag, one batch at a time. */
export class ModelConsumer {
  readonly actor: Actor;
  readonly #options: ModelConsumerOptions;
  readonly #source = new DrawnSource();
  /** The batch in work: who holds its messages. */
  #batch: object | undefined;
  #working: Promise<void> | undefined;

  constructor(options: ModelConsumerOptions) {
    this.actor = options.actor;
    this.#options = options;
    const { steps, deadLetters, logger, pageSize } = options;
    const worker = new TaskWorker({ steps, pageSize });
    const onLoss = async () => undefined;
    void new TaskConsumer({ source: this.#source, worker, deadLetters, onLoss, logger }).run();
  }

  /** The batch in work; undefined: it has nothing to do. */
  get working(): Promise<void> | undefined {
    return this.#working;
  }

  /** Begins a batch of these messages, unless one is in work. */
  deliver(picks: Picks, stay: boolean): void {
    if (this.#working !== undefined) return;
    const { bag } = this.#options;
    const batch = {};
    const deliveries = bag.draw(batch, picks, stay);
    if (deliveries.length === 0) return;
    this.#batch = batch;
    const keepAlive = async () => {
      if (this.#options.obeys && !bag.holds(batch)) throw new BatchLost('drawn by somebody else by now');
    };
    this.#working = this.#source
      .handle({ deliveries, keepAlive })
      .then(
        () => bag.acknowledge(batch),
        () => bag.giveBack(batch),
      )
      .finally(() => {
        this.#working = undefined;
      });
  }

  /** Others may draw what it holds: its session has ended, or it has. */
  loseHold(): void {
    if (this.#batch !== undefined) this.#options.bag.giveBack(this.#batch);
  }
}
