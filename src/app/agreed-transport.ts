import type { Config } from '../config/config.ts';
import type { RaiseBarrier } from '../index/drain-barrier.ts';
import type { Database } from '../mysql/database.ts';
import { Batches } from '../timing/batches.ts';
import { PartlyPublished, type TaskPublisher } from '../transport/task-publisher.ts';
import type { Location, Transport } from '../transport/transport.ts';
import { admitSettings } from './shared-settings.ts';

/** Is this process where all the others are? Each question throws StartError if not; DatabaseUnavailable. */
interface Agreement extends Pick<Transport, 'location'> {
  /** Asks the transport as well where it is. @throws what its client throws, too */
  readonly now: () => Promise<void>;
  /** Does not wait for the transport: goes by what it said last, when the process started or has looked since. */
  readonly lately: () => Promise<void>;
  /** The same where this is what it says. */
  readonly at: (location: Location) => Promise<void>;
}

/** @param transport any lane of it */
export function agreementOn(transport: Pick<Transport, 'location'>, config: Config, primary: Database): Agreement {
  let last: Location = new Map();
  const location = async () => {
    last = await transport.location();
    return last;
  };
  const looks = new Batches<void, void>({
    ...{ gathers: true, atOnce: 1 },
    work: async () => {
      await admitSettings(primary, config, { location: async () => last });
      return [];
    },
  });
  return {
    location,
    now: () => admitSettings(primary, config, { location }),
    lately: () => looks.run(),
    at: async (here) => {
      last = here;
      await admitSettings(primary, config, { location: async () => here });
    },
  };
}

/**
 * A transport that counts only while its settings are those that all processes share. One that was left running when others were
 * adopted ends within seconds; until then it must neither confirm a task that nobody will take any more, nor say that nothing waits.
 *
 * So it looks once the tasks were taken, or the barrier was raised: if others were adopted later than that, the epoch that begins with
 * them began after the changes that the tasks are about.
 */
export function agreedTransport(transport: Transport, agree: Agreement): Transport {
  return {
    ...transport,
    untilReady: (signal, withinMs) => transport.untilReady(signal, withinMs, agree.at),
    location: agree.location,
    barrier: agreedBarrier(transport.barrier, agree),
    strictBarrier: agreedBarrier(transport.strictBarrier, agree),
    openPublisher: () => agreedPublisher(transport.openPublisher(), agree),
    answers: async () => {
      await agree.now();
      await transport.answers();
    },
  };
}

function agreedBarrier(raise: RaiseBarrier, agree: Agreement): RaiseBarrier {
  return async (suspects) => {
    const [raised] = await Promise.allSettled([raise(suspects)]);
    await agree.now(); // which says more than why a barrier elsewhere could not be raised
    if (raised.status === 'rejected') throw raised.reason;
    return raised.value;
  };
}

function agreedPublisher(publisher: TaskPublisher, agree: Agreement): TaskPublisher {
  return {
    checkRoom: () => publisher.checkRoom(),
    publish: async (tasks, onTaken) => {
      await agree.lately(); // what goes elsewhere would be recorded as if it had come to where the others' tasks are
      const partly = await publisher.publish(tasks, onTaken).catch((error: unknown) => {
        if (error instanceof PartlyPublished) return error;
        throw error;
      });
      await agree.lately();
      if (partly !== undefined) throw partly;
    },
    close: () => publisher.close(),
  };
}
