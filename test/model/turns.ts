import { setImmediate as afterAllThatIsReady } from 'node:timers/promises';
import type { Scheduler } from 'fast-check';
import type { Random } from '../../src/tools/demo/random.ts';
import type { Mishap } from './mishaps.ts';

/** Does one step after another, and can be stopped or killed between two of them. */
export class Actor {
  readonly name: string;
  /** Waits until the actor is continued; undefined: it is running. */
  #stopped: (() => void)[] | undefined;
  #isDead = false;
  /** Whether it never yields its turn. */
  readonly isHasty: boolean;
  #mishap: Mishap | undefined;

  constructor(name: string, isHasty = false) {
    this.name = name;
    this.isHasty = isHasty;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** The mishap of its next step. */
  befall(mishap: Mishap): void {
    this.#mishap = mishap;
  }

  takeMishap(): Mishap | undefined {
    const mishap = this.#mishap;
    this.#mishap = undefined;
    return mishap;
  }

  get isStopped(): boolean {
    return this.#stopped !== undefined;
  }

  /** Like SIGKILL: what it awaits never settles, and it never runs again. */
  kill(): void {
    this.#isDead = true;
    this.#stopped = undefined;
  }

  /** Like SIGSTOP. */
  stop(): void {
    this.#stopped ??= [];
  }

  /** Like SIGCONT. Clears its next mishap. */
  continue(): void {
    this.#mishap = undefined;
    const waiting = this.#stopped ?? [];
    this.#stopped = undefined;
    for (const again of waiting) again();
  }

  /** True: the actor is stopped, and `again` is called when it continues. */
  waits(again: () => void): boolean {
    this.#stopped?.push(again);
    return this.#stopped !== undefined;
  }
}

/**
 * Every access to a server is a turn, and there is one turn at a time. fast-check's scheduler picks the next one. So a whole
 * history with all of its workers is one sequence, which its seed determines, and can be replayed.
 */
export class Turns {
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  #clock = 0;

  constructor(scheduler: Scheduler, random: Random) {
    this.#scheduler = scheduler;
    this.#random = random;
  }

  /** The clock of a history: greater at each call. */
  readonly now = (): number => ++this.#clock;

  /** Does the work when it is the actor's turn. Never settles once the actor is dead. */
  take<T>(actor: Actor, what: string, work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let passes = actor.isHasty ? 0 : this.#passes();
    const turn = async () => {
      if (actor.isDead || actor.waits(schedule)) return;
      if (passes-- > 0) {
        schedule();
        return;
      }
      await work().then(resolve, reject);
    };
    const schedule = () => {
      this.#scheduler.scheduleSequence([{ label: `${actor.name}: ${what}`, builder: turn }]);
    };
    schedule();
    return promise;
  }

  /** Waits for some turns first: mostly none, sometimes enough for others to finish their work and start more. */
  #passes(): number {
    const drawn = this.#random();
    if (drawn < 0.7) return 0;
    if (drawn < 0.85) return 6;
    return drawn < 0.95 ? 25 : 60;
  }
}

/** For the scheduler: a turn has ended when everything that followed from it waits for turns of its own. */
export async function oneTurn(turn: () => Promise<void>): Promise<void> {
  await turn();
  await afterAllThatIsReady();
}
