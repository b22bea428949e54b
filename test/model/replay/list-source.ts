import type { Batch, BatchHandler, Delivery, SourceState, TaskSource } from '../../../src/transport/task-source.ts';

/** A source of given batches, to be taken by several consumers: each takes the next as soon as it is done with one. */
export class ListSource implements TaskSource {
  readonly #batches: Delivery[][];

  constructor(batches: Delivery[][]) {
    this.#batches = batches;
  }

  /** Resolves when there are no more. Rejects with what the handler rejects with. */
  async run(handler: BatchHandler): Promise<void> {
    for (let next = this.#batches.shift(); next !== undefined; next = this.#batches.shift()) {
      const batch: Batch = { deliveries: next, lease: { renew: async () => undefined } };
      await handler(batch);
    }
  }

  async stop(): Promise<void> {
    this.#batches.length = 0;
  }

  async lag(): Promise<number> {
    return this.#batches.length;
  }

  state(): SourceState {
    return { isReady: true, detail: 'under test' };
  }
}
