import type { BatchHandler, Delivery, Loss, TaskSource } from '../../src/transport/task-source.ts';

/** A source that runs in this process, and what it delivered. */
export interface Consuming {
  readonly source: TaskSource;
  /** Every delivery, also those of batches that were rejected. */
  readonly received: Delivery[];
  /** Positions whose handler has resolved. */
  readonly handled: Set<string>;
  readonly batches: number[];
  readonly losses: Loss[];
  /** How the run ended; undefined while it is running. */
  readonly end: () => 'stopped' | Error | undefined;
  stop(): Promise<void>;
}

/** Runs a source until the test stops it. The handler may reject or be slow; by default it accepts everything. */
export function consume(
  source: TaskSource,
  handler: BatchHandler = async () => undefined,
  onLoss: (loss: Loss) => Promise<void> = async () => undefined,
): Consuming {
  const received: Delivery[] = [];
  const handled = new Set<string>();
  const batches: number[] = [];
  const losses: Loss[] = [];
  let end: 'stopped' | Error | undefined;
  const recording: BatchHandler = async (batch) => {
    received.push(...batch.deliveries);
    batches.push(batch.deliveries.length);
    await handler(batch);
    for (const { position } of batch.deliveries) handled.add(position);
  };
  const recordLoss = async (loss: Loss) => {
    losses.push(loss);
    await onLoss(loss);
  };
  source.run(recording, recordLoss).then(
    () => {
      end = 'stopped';
    },
    (error: Error) => {
      end = error;
    },
  );
  return { source, received, handled, batches, losses, end: () => end, stop: () => source.stop() };
}
