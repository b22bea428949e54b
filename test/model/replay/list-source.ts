import type { Batch, BatchHandler, Delivery, SourceState, TaskSource } from '../../../src/transport/task-source.ts';

/** A source of given batches, shared by several consumers: each takes the next batch when it has finished one. */
export class ListSource implements TaskSource {
  readonly #batches: Delivery[][];

  constructor(batches: Delivery[][]) {
    this.#batches = batches;
  }

  /** Resolves when no batch is left; rejects with the handler's error. */
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
