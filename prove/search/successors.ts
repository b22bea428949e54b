import type { KindName } from '../../src/contracts/kind.ts';
import { meaningOf, type Task } from '../../src/contracts/task.ts';
import type { DelayedItem } from '../../src/index/delayed-work.ts';
import type { RecheckRow } from '../../src/mysql/rechecks.ts';
import type { Held } from '../../src/redis/delay-queue.ts';
import type { Machine } from '../machine/machine.ts';
import type { PendingTask } from '../machine/pending-tasks.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { type Emit, Faults } from './faults.ts';
import { IDLE, type State } from './state.ts';
import { Workers } from './workers.ts';

/** The site and the tasks after an action. */
interface Commit {
  readonly site: number;
  readonly tasks: number;
  readonly what: string;
}

/** All successors of a state. Throws Unknown where the product's answer is missing. */
export class Successors {
  readonly workers: Workers;
  readonly #machine: Machine;
  readonly #scenario: Scenario;
  readonly #faults: Faults;
  readonly #commits = new Map<string, readonly Commit[]>();

  constructor(machine: Machine, scenario: Scenario) {
    this.#machine = machine;
    this.#scenario = scenario;
    this.workers = new Workers(machine, scenario);
    this.#faults = new Faults(machine, scenario, this.workers);
  }

  of(state: State, emit: Emit): void {
    for (const [worker, operation] of state.workers.entries()) {
      if (operation === IDLE) continue;
      const isDone = this.#machine.operations.at(operation).wants === undefined;
      emit(this.workers.advance(state, worker), isDone ? 'finishes what was put off' : '', worker);
    }
    const idle = state.workers.indexOf(IDLE);
    if (idle >= 0) this.#take(state, idle, emit);
    this.#commit(state, emit);
    this.#faults.at(state, emit);
  }

  #take(state: State, worker: number, emit: Emit): void {
    for (const { tasks, operation, what } of this.#machine.tasks.takes(state.tasks)) {
      emit(this.workers.begin({ ...state, tasks }, worker, operation), what, worker);
    }
    for (const kind of this.#scenario.kinds) {
      this.#takeRechecks(state, worker, kind, emit);
      this.#takeDelayed(state, worker, kind, emit);
    }
  }

  #takeDelayed(state: State, worker: number, kind: KindName, emit: Emit): void {
    const { side, operations } = this.#machine;
    if (!side.hasDue(state.side, kind)) return;
    const { contents, reply } = side.take(state.side, kind);
    const held = operations.replies.thing(reply) as Held<DelayedItem>;
    const operation = operations.begin({ kind: 'delayed', of: kind, held });
    emit(this.workers.begin({ ...state, side: contents }, worker, operation), 'takes what was put off', worker);
  }

  #takeRechecks(state: State, worker: number, kind: KindName, emit: Emit): void {
    const { rechecks, operations } = this.#machine;
    const rows = rechecks.due(state.rechecks, kind);
    if (rows.length === 0 || this.#isTooEarly(state, rows)) return;
    const operation = operations.begin({ kind: 'rechecks', of: kind, rows });
    const taken = { ...state, rechecks: rechecks.taken(state.rechecks, kind) };
    emit(this.workers.begin(taken, worker, operation), 'takes what is to be looked at again', worker);
  }

  /** No open transaction outlasts all the waits before the re-checks, so one re-check stands for all. */
  #isTooEarly(state: State, rows: readonly RecheckRow[]): boolean {
    if (this.#machine.tasks.uncommitted(state.tasks).length === 0) return false;
    return rows.some(({ attempt }) => attempt > 1);
  }

  #commit(state: State, emit: Emit): void {
    for (const task of this.#machine.tasks.uncommitted(state.tasks)) {
      const next = { ...state, ...this.#commitLate(state, task) };
      emit(this.workers.settled({ state: next, done: [], broken: undefined }), `${task.uncommitted}: committed`);
    }
    if (state.actions === 0) return;
    const actions = state.actions - 1;
    for (const { site, tasks, what } of this.#commitsAt(state)) {
      emit(this.workers.settled({ state: { ...state, actions, site, tasks }, done: [], broken: undefined }), what);
    }
  }

  #commitsAt(state: State): readonly Commit[] {
    const key = `${state.site} ${state.tasks} ${state.actions}`;
    let commits = this.#commits.get(key);
    if (commits === undefined) {
      commits = [...this.#actions(state)];
      this.#commits.set(key, commits);
    }
    return commits;
  }

  /** Every action that is possible now, with its task. */
  *#actions(state: State): Iterable<Commit> {
    const { site, tasks } = this.#machine;
    const position = `p${this.#scenario.actions - state.actions + 1}`;
    const uncommitted = tasks.uncommitted(state.tasks);
    for (const action of site.actions(state.site)) {
      const task = this.#scenario.versions ? action.task : withoutVersion(action.task);
      if (uncommitted.some((other) => locksSameRow(other.task as Task, task))) continue; // what is not committed is the site's
      const after = tasks.published(state.tasks, task, position, undefined);
      yield {
        site: site.commit(state.site, action),
        tasks: after,
        what: `${action.name}: committed, then published as ${position}`,
      };
      if (!this.#mayGoOutBefore(task)) continue;
      const early = tasks.published(state.tasks, task, position, action.name);
      yield { site: state.site, tasks: early, what: `${action.name}: published as ${position}, not committed yet` };
    }
  }

  #mayGoOutBefore(task: Task): boolean {
    const { publish } = this.#scenario;
    return publish === 'before' || (publish === 'versioned before' && 'version' in task);
  }

  #commitLate(state: State, { uncommitted = '' }: PendingTask): Pick<State, 'site' | 'tasks'> {
    const { site, tasks } = this.#machine;
    const action = site.actions(state.site).find(({ name }) => name === uncommitted);
    if (action === undefined) throw new Error(`an action can no longer be committed: ${uncommitted}`);
    return { site: site.commit(state.site, action), tasks: tasks.committed(state.tasks, uncommitted) };
  }
}

function withoutVersion(task: Task): Task {
  if (!('version' in task)) return task;
  const { version: _version, ...rest } = task;
  return rest as Task;
}

/** A relationship's row is locked until its transaction commits; so are an owner's photos, and a user's own row. */
function locksSameRow(one: Task, other: Task): boolean {
  return lockOf(one) === lockOf(other);
}

function lockOf(task: Task): string {
  const about = meaningOf(task);
  if (about.of === 'relation') return `${about.kind.name} ${about.user} ${about.contact}`;
  return about.of === 'photos' ? `${about.kind.name} ${about.owner}` : about.user;
}
