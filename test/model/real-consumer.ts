import { TaskConsumer } from '../../src/consumers/task-consumer.ts';
import { TaskWorker } from '../../src/consumers/work-plan.ts';
import type { Steps } from '../../src/index/protocol.ts';
import { type Batch, type BatchHandler, BatchLost, type TaskSource } from '../../src/transport/task-source.ts';
import { TRUSTED } from '../support/trust.ts';
import type { ConsumerParts, Worker } from './carrier.ts';
import type { Actor } from './turns.ts';

interface RealConsumerOptions extends Omit<ConsumerParts, 'obeys'> {
  readonly source: TaskSource;
  readonly onAcknowledged: (messages: number) => void;
  /** Called when it is told to end; the promise resolves when it has. */
  readonly onEnding: (ending: Promise<void>) => void;
}

/** The product's consumer on a real transport. Its steps wait for their turns, its deliveries do not. */
export class RealConsumer implements Worker {
  readonly kind = 'consumer';
  readonly actor: Actor;
  readonly #options: RealConsumerOptions;
  readonly #death = Promise.withResolvers<never>();
  #working: Promise<void> | undefined;

  constructor(options: RealConsumerOptions) {
    this.actor = options.actor;
    this.#options = options;
    this.#death.promise.catch(() => undefined); // reported to whatever waits for a step
    const { pageSize, source, deadLetters, onLoss, logger, onFault } = options;
    const worker = options.kinds.map(
      ({ kind, steps }) =>
        new TaskWorker({ kind, lane: 'bulk', steps: this.#mortal(steps), pageSize, segmentSize: pageSize }),
    );
    const watched: TaskSource = {
      run: (handler, lost) => source.run((batch) => this.#work(handler, batch), lost),
      stop: () => source.stop(),
      lag: () => source.lag(),
      state: () => source.state(),
    };
    new TaskConsumer({ watch: TRUSTED, source: watched, worker, deadLetters, onLoss, logger }).run().catch(onFault);
  }

  get working(): Promise<void> | undefined {
    return this.#working;
  }

  /** Does nothing: on a real transport that takes time, and other tests cover it. */
  loseHold(): void {}

  /** Ends its steps. Nothing is acknowledged, and the transport gives its batch to others. */
  die(): void {
    this.#death.reject(new BatchLost('killed'));
    this.#options.onEnding(this.#options.source.stop());
  }

  async #work(handler: BatchHandler, batch: Batch): Promise<void> {
    const work = handler(batch);
    this.#working = work
      .catch(() => undefined)
      .finally(() => {
        this.#working = undefined;
      });
    await work;
    this.#options.onAcknowledged(batch.deliveries.length);
  }

  /** Steps that fail when the consumer dies, because a source waits for its handler. */
  #mortal(steps: Steps): Steps {
    return new Proxy(steps, {
      get: (all, name: keyof Steps) => {
        const step = all[name] as (...args: readonly unknown[]) => Promise<unknown>;
        return (...args: readonly unknown[]) => Promise.race([step(...args), this.#death.promise]);
      },
    });
  }
}
