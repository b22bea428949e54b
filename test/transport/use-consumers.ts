import { afterEach, type TestContext } from 'vitest';
import { settledWithin } from '../../src/timing/deadline.ts';
import type { BatchHandler, Loss } from '../../src/transport/task-source.ts';
import { type Consuming, consume } from './consuming.ts';
import { OtherProcess } from './other-process.ts';
import { type Opened, open, type Place, type Wanted } from './place.ts';

export interface Run extends Wanted {
  readonly onLoss?: (loss: Loss) => Promise<void>;
}

/** Places and consumers of each test, closed when it ends. */
export function useConsumers() {
  const { end, ...consumers } = consumersUntilEnd();
  afterEach(end);
  return consumers;
}

/** The same of one test, which runs beside others. */
export function consumersOf(test: Pick<TestContext, 'onTestFinished'>) {
  const { end, ...consumers } = consumersUntilEnd();
  test.onTestFinished(end);
  return consumers;
}

function consumersUntilEnd() {
  const places: Opened[] = [];
  const running: Consuming[] = [];
  const others: OtherProcess[] = [];

  const end = async () => {
    await Promise.all(others.splice(0).map((other) => other.kill()));
    // A failed test may have left a handler hanging.
    await Promise.all(running.splice(0).map((one) => settledWithin(one.stop(), 5_000)));
    await Promise.all(places.splice(0).map((one) => one.close()));
  };

  return {
    end,
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
