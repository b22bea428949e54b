import type { IndexEffect } from '../machine/index-store.ts';
import type { Machine } from '../machine/machine.ts';
import type { Fault, Scenario } from '../scenarios/scenario.ts';
import type { Violation } from '../violation.ts';
import { IDLE, type State } from './state.ts';

/** A worker's step and its reply, by number. */
export interface Done {
  readonly worker: number;
  readonly step: number;
  readonly reply: number;
}

/** The outcome of some steps. */
export interface Move {
  readonly state: State;
  readonly done: readonly Done[];
  /** What went wrong within a step; undefined: nothing. */
  readonly broken: Violation | undefined;
}

/** What happens to the work of a worker after its last step. */
type End = (state: State) => State;

/** These change what MySQL holds. */
const IN_MYSQL: ReadonlySet<Fault> = new Set(['epoch', 'loss', 'suspend', 'failover', 'wipe'] as const);

/** The workers' steps. Every method throws Unknown where the product's answer is missing. */
export class Workers {
  readonly #machine: Machine;
  readonly #changesByFault: boolean;
  readonly #mayResend: boolean;

  constructor(machine: Machine, scenario: Scenario) {
    this.#machine = machine;
    this.#mayResend = scenario.faults.includes('resend');
    this.#changesByFault = scenario.faults.some((fault) => IN_MYSQL.has(fault));
  }

  /** Starts an operation and does its first step. Starting alone has no visible effect, unless that step may be sent twice. */
  begin(state: State, worker: number, operation: number): Move {
    const begun = { ...state, workers: state.workers.with(worker, operation) };
    if (this.#mayResend && state.faults > 0) return this.settled({ state: begun, done: [], broken: undefined });
    return this.advance(begun, worker);
  }

  /** Does the worker's next step, and acknowledges the work if it was the last. Delayed work is finished in a step of its own. */
  advance(state: State, worker: number): Move {
    return this.settled(this.#doStep({ state, done: [], broken: undefined }, worker));
  }

  /** Does the worker's last step; it dies before it acknowledges. Undefined: its next step is not the last. */
  dieAfterLast(state: State, worker: number): Move | undefined {
    const move = this.#doStep({ state, done: [], broken: undefined }, worker, (last) => this.abandon(last, worker));
    return move.state.workers[worker] === IDLE ? this.settled(move) : undefined;
  }

  /** Kills the worker: its tasks are delivered again, and so is what it took from the delay queue. */
  abandon(state: State, worker: number): State {
    const { operations, index, side, rechecks, tasks } = this.#machine;
    const { cause, resends } = operations.at(state.workers[worker] as number);
    const idle = { ...state, workers: state.workers.with(worker, IDLE) };
    const left = resends ? withIndex(this.#machine, idle, index.notResent(state.index)) : idle;
    const what = operations.causes.thing(cause);
    const { kind } = what;
    if (kind === 'rechecks') return { ...left, rechecks: rechecks.returned(state.rechecks, what.rows) };
    if (kind === 'tasks') return { ...left, tasks: tasks.returned(state.tasks, cause) };
    return kind === 'delayed' ? { ...left, side: side.lapsed(state.side) } : left;
  }

  /**
   * Once nothing can change in MySQL any more, its answers stay the same, so they are given at once
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

  #isSettled({ actions, faults, tasks, site }: State): boolean {
    if (actions > 0 || (faults > 0 && this.#changesByFault) || this.#machine.site.isSuspended(site)) return false;
    return this.#machine.tasks.uncommitted(tasks).length === 0;
  }

  #place(state: State, worker: number) {
    const operation = state.workers[worker] ?? IDLE;
    return operation === IDLE ? undefined : this.#machine.operations.at(operation).wants?.place;
  }

  #doStep({ state, done, broken }: Move, worker: number, end: End = (last) => this.#end(last, worker)): Move {
    const { operations, site, index, side, rechecks } = this.#machine;
    const { wants, resends } = operations.at(state.workers[worker] as number);
    if (wants === undefined) return { state: end(state), done, broken };
    const step = operations.steps.thing(wants.step);
    switch (wants.place) {
      case 'site':
        return this.#answered({ state, done, broken }, worker, site.ask(step, wants.step, state.site), end);
      case 'index': {
        const effect = index.do(step, wants.step, state.index, resends ? 'second' : 'once');
        const after = withIndex(this.#machine, state, effect);
        return this.#answered({ state: after, done, broken: broken ?? effect.broken }, worker, effect.reply, end);
      }
      case 'side': {
        const effect = side.do(step, wants.step, state.side);
        const after = { ...state, side: effect.contents };
        return this.#answered({ state: after, done, broken }, worker, effect.reply, end);
      }
      case 'tasks': {
        const { tasks, reply } = this.#machine.tasks.do(state.tasks, step);
        return this.#answered({ state: { ...state, tasks }, done, broken }, worker, operations.reply(reply), end);
      }
      case 'rechecks': {
        const after = { ...state, rechecks: rechecks.put(state.rechecks, step) };
        return this.#answered({ state: after, done, broken }, worker, operations.reply(undefined), end);
      }
    }
  }

  #answered({ state, done, broken }: Move, worker: number, reply: number, end: End): Move {
    const { operations } = this.#machine;
    const operation = state.workers[worker] as number;
    const next = operations.answer(operation, reply);
    const step = operations.at(operation).wants?.step ?? 0;
    const after = { ...state, workers: state.workers.with(worker, next) };
    const isOver = operations.at(next).wants === undefined && !this.#isToBeFinished(next);
    return { state: isOver ? end(after) : after, done: [...done, { worker, step, reply }], broken };
  }

  /**
   * A task's acknowledgement concerns only its own delivery. An item of the delay queue may by then have been put there again
   * and taken by another worker: equal items are one.
   */
  #isToBeFinished(operation: number): boolean {
    return this.#machine.operations.causeOf(operation).kind === 'delayed';
  }

  /** Acknowledges. */
  #end(state: State, worker: number): State {
    const { operations, side, rechecks, tasks } = this.#machine;
    const { cause } = operations.at(state.workers[worker] as number);
    const ended = { ...state, workers: state.workers.with(worker, IDLE) };
    const what = operations.causes.thing(cause);
    if (what.kind === 'tasks') return { ...ended, tasks: tasks.acknowledged(state.tasks, cause) };
    if (what.kind === 'rechecks') return { ...ended, rechecks: rechecks.finished(state.rechecks, what.rows) };
    if (what.kind === 'delayed') return { ...ended, side: side.finish(state.side, what.of, what.held).contents };
    return ended;
  }
}

/** After a change of the indexes, every operation in progress continues with the renamed nonces. */
export function withIndex(
  { operations, index }: Machine,
  before: State,
  { contents, renaming }: Pick<IndexEffect, 'contents' | 'renaming'>,
): State {
  const state = { ...before, index: contents };
  if (renaming === 0) return state;
  const names = index.renamings.thing(renaming);
  const workers = state.workers.map((operation) =>
    operation === IDLE ? IDLE : operations.rename(operation, names, renaming),
  );
  return { ...state, workers };
}
