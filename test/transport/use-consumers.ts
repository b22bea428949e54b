import { afterEach } from 'vitest';
import { settledWithin } from '../../src/timing/deadline.ts';
import type { BatchHandler, Loss } from '../../src/transport/task-source.ts';
import { type Consuming, consume } from './consuming.ts';
import { OtherProcess } from './other-process.ts';
import { type Opened, open, type Place, type Wanted } from './place.ts';

export interface Run extends Wanted {
  readonly onLoss?: (loss: Loss) => Promise<void>;
}

/** Places and consumers of a test, closed when it ends. */
export function useConsumers() {
  const places: Opened[] = [];
  const running: Consuming[] = [];
  const others: OtherProcess[] = [];

  afterEach(async () => {
    await Promise.all(others.splice(0).map((other) => other.kill()));
    // A failed test may have left a handler hanging.
    await Promise.all(running.splice(0).map((one) => settledWithin(one.stop(), 5_000)));
    await Promise.all(places.splice(0).map((one) => one.close()));
  });

  return {
    async at(place: Place): Promise<Opened> {
      const opened = await open(place);
      places.push(opened);
      return opened;
    },
    /** In this process. */
    run(opened: Opened, handler?: BatchHandler, { onLoss, ...wanted }: Run = {}): Consuming {
      const one = consume(opened.source(wanted), handler, onLoss);
      running.push(one);
      return one;
    },
    /** In a separate process. */
    other(...args: ConstructorParameters<typeof OtherProcess>): OtherProcess {
      const one = new OtherProcess(...args);
      others.push(one);
      return one;
    },
  };
}
