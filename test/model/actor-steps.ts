import type { StepName, Steps } from '../../src/index/protocol.ts';
import { isStoreFault } from '../../src/index/store-fault.ts';
import { befallen } from './mishaps.ts';
import type { Actor, Turns } from './turns.ts';
import type { WriteWatch } from './write-watch.ts';

interface ActorStepsOptions {
  readonly actor: Actor;
  readonly turns: Turns;
  readonly watch: WriteWatch;
  /** Called with a broken invariant. */
  readonly onFault: (error: Error) => void;
}

/** The steps of the protocol for one actor: each in a turn of its own, and checked. */
export function stepsOf({ actor, turns, watch, onFault }: ActorStepsOptions): Steps {
  const watched = (name: StepName, args: readonly unknown[]): Promise<unknown> =>
    watch.do(actor, name, args).catch((error: Error) => {
      if (!isStoreFault(error)) onFault(error);
      throw error;
    });
  return new Proxy(watch.steps, {
    get:
      (_steps, name: StepName) =>
      (...args: readonly unknown[]) =>
        turns.take(actor, name, () => befallen(actor.takeMishap(), name, () => watched(name, args))),
  });
}
