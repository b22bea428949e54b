import { type IndexOwner, nameOfOwner, ownersOf } from '../machine/index-contents.ts';
import type { IndexEffect } from '../machine/index-store.ts';
import type { Machine } from '../machine/machine.ts';
import type { Fault, Scenario } from '../scenarios/scenario.ts';
import { IDLE, type State } from './state.ts';
import { type Move, type Workers, withIndex } from './workers.ts';

/** @param what a description; `worker` caused it, if one did */
export type Emit = (move: Move, what: string, worker?: number) => void;

/** The faults that are possible in a state, each as a successor state. */
export class Faults {
  readonly #machine: Machine;
  readonly #scenario: Scenario;
  readonly #workers: Workers;
  readonly #owners: readonly IndexOwner[];
  readonly #rebuilds: readonly (readonly [IndexOwner, number])[];

  readonly #happening: Readonly<Record<Fault, (state: State, emit: Emit) => void>> = {
    crash: (state, emit) => this.#crash(state, emit),
    resend: (state, emit) => this.#resend(state, emit),
    duplicate: (state, emit) => this.#duplicate(state, emit),
    rebuild: (state, emit) => this.#rebuild(state, emit),
    read: (state, emit) => this.#read(state, emit),
    evict: (state, emit) => this.#evict(state, emit),
    drop: (state, emit) => this.#without(state, 'both', emit),
    forget: (state, emit) => this.#forget(state, emit),
    epoch: (state, emit) => this.#newEpoch(state, emit),
    loss: (state, emit) => this.#loss(state, emit),
    suspend: (state, emit) => this.#suspend(state, emit),
    failover: (state, emit) => this.#failover(state, emit),
    stray: (state, emit) => this.#stray(state, emit),
    wipe: (state, emit) => this.#wipe(state, emit),
  };

  constructor(machine: Machine, scenario: Scenario, workers: Workers) {
    this.#machine = machine;
    this.#scenario = scenario;
    this.#workers = workers;
    this.#owners = ownersOf(scenario);
    this.#rebuilds = this.#owners.map((owner) => {
      const { kind: of, user } = owner;
      return [owner, machine.operations.begin({ kind: 'rebuild', of, users: [user] })];
    });
  }

  at(before: State, emit: Emit): void {
    if (this.#machine.site.isSuspended(before.site)) this.#catchUp(before, emit);
    if (before.faults === 0) return;
    const state = { ...before, faults: before.faults - 1 };
    for (const fault of this.#scenario.faults) this.#happening[fault](state, emit);
  }

  /** Between any two steps, and between the last one and the acknowledgement. */
  #crash(state: State, emit: Emit): void {
    for (const [worker, operation] of state.workers.entries()) {
      if (operation === IDLE) continue;
      this.#emit(emit, this.#workers.abandon(state, worker), 'crashes; its work comes again', worker);
      const last = this.#workers.dieAfterLast(state, worker);
      if (last !== undefined) emit(last, 'crashes before it acknowledges; its work comes again', worker);
    }
  }

  /** A command reaches Redis, but its reply is lost; the client sends it again when it has reconnected. */
  #resend(state: State, emit: Emit): void {
    const { operations, index } = this.#machine;
    if (index.contents.thing(state.index).resent !== undefined) return;
    for (const [worker, operation] of state.workers.entries()) {
      const wants = operation === IDLE ? undefined : operations.at(operation).wants;
      if (wants?.place !== 'index') continue;
      const step = operations.steps.thing(wants.step);
      const again = { ...state, workers: state.workers.with(worker, operations.resending(operation)) };
      const next = this.#withIndex(again, index.do(step, wants.step, state.index, 'first'));
      this.#emit(emit, next, `sends ${step.name}, which is done; the reply is lost, it will be sent again`, worker);
    }
  }

  /** A task is delivered twice at once, or a worker holds something from the delay queue for longer than the lease. */
  #duplicate(state: State, emit: Emit): void {
    const side = this.#machine.side.lapsed(state.side);
    const rechecks = this.#machine.rechecks.returned(state.rechecks);
    if (side !== state.side || rechecks !== state.rechecks) {
      this.#emit(emit, { ...state, side, rechecks }, 'the lease of what was put off passes');
    }
    const worker = state.workers.indexOf(IDLE);
    if (worker < 0) return;
    for (const { tasks, operation, what } of this.#machine.tasks.duplicates(state.tasks)) {
      emit(this.#workers.begin({ ...state, tasks }, worker, operation), what, worker);
    }
  }

  #rebuild(state: State, emit: Emit): void {
    const worker = state.workers.indexOf(IDLE);
    if (worker < 0) return;
    for (const [owner, operation] of this.#rebuilds) {
      const what = `is asked to build the index of ${nameOfOwner(owner)}`;
      emit(this.#workers.begin(state, worker, operation), what, worker);
    }
  }

  #read(state: State, emit: Emit): void {
    for (const owner of this.#owners) {
      const effect = this.#machine.index.used(state.index, owner);
      if (effect.contents === state.index) continue;
      this.#emit(
        emit,
        this.#withIndex(state, effect),
        `the index of ${nameOfOwner(owner)} is read, and kept for longer`,
      );
    }
  }

  #evict(state: State, emit: Emit): void {
    this.#without(state, 'set', emit);
    this.#without(state, 'meta', emit);
  }

  #without(state: State, which: 'set' | 'meta' | 'both', emit: Emit): void {
    for (const owner of this.#owners) {
      const effect = this.#machine.index.without(state.index, owner, which);
      const user = nameOfOwner(owner);
      if (effect.contents === state.index) continue;
      const what = {
        set: `the set of ${user} is evicted (its key z)`,
        meta: `the nonce, size and floor of ${user} are evicted (its key m)`,
        both: `the index of ${user} is dropped`,
      };
      const isDropped = which === 'both' && this.#scenario.rechecks === 'dropped with the index';
      const rechecks = isDropped ? this.#machine.rechecks.lost(state.rechecks) : state.rechecks;
      this.#emit(emit, this.#withIndex({ ...state, rechecks }, effect), what[which]);
    }
  }

  #forget(state: State, emit: Emit): void {
    for (const owner of this.#owners) {
      const effect = this.#machine.index.forgotten(state.index, owner);
      if (effect.contents === state.index) continue;
      this.#emit(emit, this.#withIndex(state, effect), `${nameOfOwner(owner)} is forgotten`);
    }
  }

  #newEpoch(state: State, emit: Emit): void {
    this.#emit(emit, { ...state, site: this.#machine.site.newEpoch(state.site) }, 'a new epoch begins');
  }

  #loss(state: State, emit: Emit): void {
    const { site, tasks } = this.#machine;
    for (const loss of tasks.losses(state.tasks)) {
      const next = { ...state, site: site.newEpoch(state.site), tasks: loss.tasks };
      this.#emit(emit, next, `${loss.what}, which is noticed: a new epoch begins`);
    }
  }

  #stray(state: State, emit: Emit): void {
    if (state.workers.some((operation) => operation !== IDLE)) return;
    for (const { tasks, what } of this.#machine.tasks.strays(state.tasks)) this.#emit(emit, { ...state, tasks }, what);
  }

  /** The same while the consumers are behind: from one loss to the next, and for some time after the last. */
  #suspend(state: State, emit: Emit): void {
    const { site, tasks } = this.#machine;
    for (const loss of tasks.losses(state.tasks)) {
      const suspended = site.suspended(state.site, this.#scenario.suspends);
      const next = { ...state, site: suspended, tasks: loss.tasks };
      this.#emit(emit, next, `${loss.what}, which is noticed: the epoch is suspended`);
    }
  }

  /** At any moment, also earlier than the product would, and before the next loss. */
  #catchUp(state: State, emit: Emit): void {
    const site = this.#machine.site.caughtUp(state.site, this.#scenario.suspends);
    this.#emit(emit, { ...state, site }, 'the consumers have caught up: a new epoch begins');
  }

  /** Until then the replica falls behind from some moment on, which is no fault yet. */
  #failover(state: State, emit: Emit): void {
    const { index, site } = this.#machine;
    if (index.contents.thing(state.index).replica === undefined) {
      const synced = this.#withIndex({ ...state, faults: state.faults + 1 }, index.synced(state.index));
      this.#emit(emit, synced, 'the replica has everything up to here, and falls behind');
      return;
    }
    const failedOver = this.#withIndex(state, index.failedOver(state.index));
    const noticed = { ...failedOver, site: site.newEpoch(state.site) };
    this.#emit(emit, noticed, 'Redis fails over to the replica, which is noticed: a new epoch begins');
  }

  #wipe(state: State, emit: Emit): void {
    const { index, side, rechecks, site } = this.#machine;
    const lost = {
      ...this.#withIndex(state, index.lost(state.index)),
      side: side.lost(state.side),
      rechecks: this.#scenario.rechecks === 'in Redis' ? rechecks.lost(state.rechecks) : state.rechecks,
      site: site.newEpoch(state.site),
    };
    this.#emit(emit, lost, 'Redis loses everything, which is noticed: a new epoch begins');
  }

  #withIndex(state: State, effect: IndexEffect): State {
    return withIndex(this.#machine, state, effect);
  }

  #emit(emit: Emit, state: State, what: string, worker?: number): void {
    emit(this.#workers.settled({ state, done: [], broken: undefined }), what, worker);
  }
}
