import type { Machine } from '../machine/machine.ts';
import type { Fault, Scenario } from '../scenarios/scenario.ts';
import type { Violation } from '../violation.ts';
import { IDLE, type State } from './state.ts';

/** A step that a worker did, and what came back, by their numbers. */
export interface Done {
  readonly worker: number;
  readonly step: number;
  readonly reply: number;
}

/** Where some steps led. */
export interface Move {
  readonly state: State;
  readonly done: readonly Done[];
  /** What went wrong within a step; undefined: nothing. */
  readonly broken: Violation | undefined;
}

/** These change what MySQL holds. */
const IN_MYSQL: ReadonlySet<Fault> = new Set(['epoch', 'loss', 'failover'] as const);

/** The workers' steps. Every method throws Unknown where the product was not asked yet. */
export class Workers {
  readonly #machine: Machine;
  readonly #changesByFault: boolean;
  readonly #mayResend: boolean;

  constructor(machine: Machine, scenario: Scenario) {
    this.#machine = machine;
    this.#mayResend = scenario.faults.includes('resend');
    this.#changesByFault = scenario.faults.some((fault) => IN_MYSQL.has(fault));
  }

  /** Takes up an operation and does its first step: nobody could tell any sooner, unless that step may be sent twice. */
  begin(state: State, worker: number, operation: number): Move {
    const begun = { ...state, workers: state.workers.with(worker, operation) };
    if (this.#mayResend && state.faults > 0) return this.settled({ state: begun, done: [], broken: undefined });
    return this.advance(begun, worker);
  }

  /** Does the step that the worker wants done, and acknowledges the work when it was the last. */
  advance(state: State, worker: number): Move {
    return this.settled(this.#doStep({ state, done: [], broken: undefined }, worker));
  }

  /**
   * Once nothing can change in MySQL any more, its answers are the same at every later moment: they are given at once,
   * instead of between any two steps of the others.
   */
  settled(move: Move): Move {
    if (!this.#isSettled(move.state)) return move;
    const site = this.#machine.site.settled(move.state.site);
    let next = site === move.state.site ? move : { ...move, state: { ...move.state, site } };
    for (const worker of next.state.workers.keys()) {
      while (this.#place(next.state, worker) === 'site') next = this.#doStep(next, worker);
    }
    return next;
  }

  #isSettled({ actions, faults, tasks }: State): boolean {
    if (actions > 0 || (faults > 0 && this.#changesByFault)) return false;
    return this.#machine.tasks.uncommitted(tasks).length === 0;
  }

  #place(state: State, worker: number) {
    const operation = state.workers[worker] ?? IDLE;
    return operation === IDLE ? undefined : this.#machine.operations.at(operation).wants?.place;
  }

  #doStep({ state, done, broken }: Move, worker: number): Move {
    const { operations, site, index, side } = this.#machine;
    const { wants, resends } = operations.at(state.workers[worker] as number);
    if (wants === undefined) return { state: this.#end(state, worker), done, broken };
    const step = operations.steps.thing(wants.step);
    switch (wants.place) {
      case 'site':
        return this.#answered({ state, done, broken }, worker, site.ask(step, wants.step, state.site));
      case 'index': {
        const effect = index.do(step, wants.step, state.index, resends ? 'second' : 'once');
        const after = renamed(this.#machine, { ...state, index: effect.contents }, effect.renaming);
        return this.#answered({ state: after, done, broken: broken ?? effect.broken }, worker, effect.reply);
      }
      case 'side': {
        const effect = side.do(step, wants.step, state.side);
        return this.#answered({ state: { ...state, side: effect.contents }, done, broken }, worker, effect.reply);
      }
    }
  }

  #answered({ state, done, broken }: Move, worker: number, reply: number): Move {
    const { operations } = this.#machine;
    const operation = state.workers[worker] as number;
    const next = operations.answer(operation, reply);
    const step = operations.at(operation).wants?.step ?? 0;
    const after = { ...state, workers: state.workers.with(worker, next) };
    const ended = operations.at(next).wants === undefined ? this.#end(after, worker) : after;
    return { state: ended, done: [...done, { worker, step, reply }], broken };
  }

  /** Acknowledges. */
  #end(state: State, worker: number): State {
    const { operations, side, tasks } = this.#machine;
    const { cause } = operations.at(state.workers[worker] as number);
    const ended = { ...state, workers: state.workers.with(worker, IDLE) };
    const what = operations.causes.thing(cause);
    if (what.kind === 'tasks') return { ...ended, tasks: tasks.acknowledged(state.tasks, cause) };
    if (what.kind === 'delayed') return { ...ended, side: side.finish(state.side, what.held).contents };
    return ended;
  }
}

/** Every operation on its way goes on with the new names of the nonces. */
export function renamed({ operations, index }: Machine, state: State, renaming: number): State {
  if (renaming === 0) return state;
  const names = index.renamings.thing(renaming);
  const workers = state.workers.map((operation) =>
    operation === IDLE ? IDLE : operations.rename(operation, names, renaming),
  );
  return { ...state, workers };
}
