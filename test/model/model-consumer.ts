import { TaskConsumer } from '../../src/consumers/task-consumer.ts';
import { TaskWorker } from '../../src/consumers/work-plan.ts';
import {
  type Batch,
  type BatchHandler,
  BatchLost,
  type SourceState,
  type TaskSource,
} from '../../src/transport/task-source.ts';
import { TRUSTED } from '../support/trust.ts';
import type { Bag } from './bag.ts';
import type { ConsumerParts, Picks, Worker } from './carrier.ts';
import type { Actor } from './turns.ts';

interface ModelConsumerOptions extends ConsumerParts {
  readonly bag: Bag;
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

  state(): SourceState {
    return { isReady: true, detail: 'under test' };
  }

  async handle(batch: Batch): Promise<void> {
    if (this.#handler === undefined) throw new Error('the consumer does not run');
    await this.#handler(batch);
  }
}

/** The product's consumer, fed from the bag, one batch at a time. */
export class ModelConsumer implements Worker {
  readonly kind = 'consumer';
  readonly actor: Actor;
  readonly #options: ModelConsumerOptions;
  readonly #source = new DrawnSource();
  /** The current batch, which holds its messages. */
  #batch: object | undefined;
  #working: Promise<void> | undefined;

  constructor(options: ModelConsumerOptions) {
    this.actor = options.actor;
    this.#options = options;
    const { kinds, deadLetters, onLoss, logger, pageSize } = options;
    const worker = kinds.map(
      ({ kind, steps }) => new TaskWorker({ kind, lane: 'bulk', steps, pageSize, segmentSize: pageSize }),
    );
    void new TaskConsumer({ watch: TRUSTED, source: this.#source, worker, deadLetters, onLoss, logger }).run();
  }

  get working(): Promise<void> | undefined {
    return this.#working;
  }

  /** Starts a batch of these messages, unless one is in progress. */
  deliver(picks: Picks, stay: boolean): void {
    if (this.#working !== undefined) return;
    const { bag } = this.#options;
    const batch = {};
    const deliveries = bag.draw(batch, picks, stay);
    if (deliveries.length === 0) return;
    this.#batch = batch;
    const renew = async () => {
      if (this.#options.obeys && !bag.holds(batch)) throw new BatchLost('drawn by somebody else by now');
    };
    this.#working = this.#source
      .handle({ deliveries, lease: { renew } })
      .then(
        () => bag.acknowledge(batch),
        () => bag.giveBack(batch),
      )
      .finally(() => {
        this.#working = undefined;
      });
  }

  /** Lets others draw its messages. */
  loseHold(): void {
    if (this.#batch !== undefined) this.#options.bag.giveBack(this.#batch);
  }

  die(): void {
    this.loseHold();
  }
}
