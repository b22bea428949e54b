import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { BulkTask } from '../../src/contracts/bulk-task.ts';
import type { DeadLetters } from '../../src/transport/dead-letters.ts';
import type { Loss } from '../../src/transport/task-source.ts';
import type { Carrier, Picks, Worker } from './carrier.ts';
import { DelayedProcess } from './delayed-process.ts';
import type { Mishap } from './mishaps.ts';
import type { Side } from './side.ts';
import { Actor, type Turns } from './turns.ts';

const DELAYED = 2;

const outgoing = (task: BulkTask) => ({ task, id: randomUUID(), source: '/test', time: Date.now() });

interface WorkersOptions {
  readonly turns: Turns;
  readonly carrier: Carrier;
  /** What is done about each kind. */
  readonly sides: readonly Pick<Side, 'kind' | 'stepsOf' | 'delayed' | 'rechecks'>[];
  readonly logger: Logger;
  /** Called when the carrier has lost tasks. */
  readonly onLoss: (loss: Loss) => Promise<void>;
  /** Called with a broken invariant. */
  readonly onFault: (error: Error) => void;
}

/**
 * The processes that apply tasks, and those that do delayed work. `nth` is taken modulo the number of eligible processes, so
 * every command of a history has a target.
 */
export class Workers {
  readonly #options: WorkersOptions;
  #all: Worker[];
  #started = 0;
  kills = 0;

  constructor(options: WorkersOptions) {
    this.#options = options;
    const consumers = Array.from({ length: options.carrier.consumers }, () => this.#startConsumer());
    this.#all = [...consumers, ...Array.from({ length: DELAYED }, () => this.#startDelayed())];
  }

  /** Gives the nth idle consumer these messages. */
  async deliver(nth: number, picks: Picks, stay: boolean): Promise<void> {
    await this.#options.carrier.deliver(this.#idle('consumer'), nth, picks, stay);
  }

  /** Makes the nth idle process do delayed work. */
  beginDelayed(nth: number): void {
    const idle = this.#idle('delayed');
    const worker = idle[nth % idle.length];
    if (worker instanceof DelayedProcess) worker.begin();
  }

  /** Kills the nth busy process and starts another in its place. */
  kill(nth: number): void {
    const killed = this.#busy(nth);
    if (killed === undefined) return;
    this.kills++;
    killed.actor.kill();
    killed.die();
    const next = killed.kind === 'consumer' ? this.#startConsumer() : this.#startDelayed();
    this.#all = this.#all.map((worker) => (worker === killed ? next : worker));
  }

  /** @param longEnough for others to take over what it holds */
  stop(nth: number, longEnough: boolean): void {
    const stopped = this.#busy(nth);
    stopped?.actor.stop();
    if (longEnough) stopped?.loseHold();
  }

  /** Continues the nth stopped process. */
  continueNth(nth: number): void {
    const stopped = this.#all.filter(({ actor }) => actor.isStopped);
    stopped[nth % stopped.length]?.actor.continue();
  }

  befall(nth: number, mishap: Mishap): void {
    this.#busy(nth)?.actor.befall(mishap);
  }

  /** Continues all of them, without further mishaps. */
  calm(): void {
    for (const { actor } of this.#all) actor.continue();
  }

  /** Waits until all are idle. */
  async idle(): Promise<void> {
    await Promise.all(this.#all.map(({ working }) => working));
  }

  /** Ends all of them at once, after a history that may have failed. */
  end(): void {
    for (const worker of this.#all) {
      worker.actor.kill();
      worker.die();
    }
  }

  #idle(kind: Worker['kind']): Worker[] {
    return this.#all.filter((one) => one.kind === kind && one.working === undefined && !one.actor.isStopped);
  }

  #busy(nth: number): Worker | undefined {
    const busy = this.#all.filter(({ working, actor }) => working !== undefined && !actor.isStopped);
    return busy[nth % busy.length];
  }

  #startConsumer(): Worker {
    const { carrier, logger, onLoss, onFault } = this.#options;
    const { actor, kinds: inTurn } = this.#start('consumer');
    // One carrier is both lanes: it has no order anyway.
    const publish = async (tasks: readonly BulkTask[]) => void (await carrier.publish(tasks.map(outgoing)));
    const kinds = inTurn.map(({ kind, steps }) => ({ kind, steps: { ...steps, publish } }));
    const obeys = this.#started % 2 === 0;
    const pageSize = 1 + (this.#started % 2);
    const deadLetters = this.#noDeadLetters();
    return carrier.startConsumer({ actor, kinds, obeys, pageSize, logger, deadLetters, onLoss, onFault });
  }

  #startDelayed(): Worker {
    const { turns, logger } = this.#options;
    return new DelayedProcess({ ...this.#start('delayed'), turns, logger });
  }

  #start(what: string) {
    const actor = new Actor(`${what} ${++this.#started}`);
    const kinds = this.#options.sides.map((side) => {
      const { kind, delayed, rechecks } = side;
      return { kind, delayed, rechecks, steps: side.stepsOf(actor) };
    });
    return { actor, kinds };
  }

  /** Every task is valid, and no store fault makes one a dead letter. */
  #noDeadLetters(): Pick<DeadLetters, 'put'> {
    return {
      put: async (letters) => {
        const why = letters.map(({ failure }) => failure.message).join('; ');
        this.#options.onFault(new Error(`a task went to the dead letters: ${why}`));
      },
    };
  }
}
