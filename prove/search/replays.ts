import type { Id } from '../../src/contracts/id.ts';
import { meaningOf, type Task } from '../../src/contracts/task.ts';
import { ENDLESS } from '../../src/index/allowance.ts';
import { nameOfOwner, ownersOf } from '../machine/index-contents.ts';
import type { Machine } from '../machine/machine.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { photoTask, relationTask } from '../site/actions.ts';
import { kindOf } from '../site/site.ts';
import type { Violation } from '../violation.ts';
import { describe } from './checks.ts';
import { IDLE, type State } from './state.ts';
import type { Workers } from './workers.ts';

/**
 * I5: at rest, processing any task again changes only the nonce, with its allowance, which it may use up; a user's task drops the user's own
 * index. One at a time is enough, because the next task finds the state unchanged.
 */
export class Replays {
  readonly #machine: Machine;
  readonly #scenario: Scenario;
  readonly #workers: Workers;
  readonly #operations: readonly (readonly [Task, number])[];

  constructor(machine: Machine, scenario: Scenario, workers: Workers) {
    this.#machine = machine;
    this.#scenario = scenario;
    this.#workers = workers;
    this.#operations = tasksOf(scenario).map((task) => {
      const operation = machine.operations.begin({ kind: 'tasks', batch: [{ task, position: 'again' }] });
      return [task, operation] as const;
    });
  }

  /** @throws Unknown */
  check(index: number, site: number): Violation | undefined {
    for (const [task, operation] of this.#operations) {
      const after = this.#replay(index, site, operation);
      const about = meaningOf(task);
      const dropped = about.of === 'user' ? about.user : undefined;
      const changed = after === index ? undefined : this.#difference(index, after, site, dropped);
      if (changed !== undefined) return { rule: 'I5', what: `${task.type} done again: ${changed}` };
    }
    return undefined;
  }

  #replay(index: number, site: number, operation: number): number {
    const { side, rechecks, tasks } = this.#machine;
    const nothing = { side: side.empty, rechecks: rechecks.empty, tasks: tasks.empty, actions: 0, faults: 0 };
    const state: State = { site, index, ...nothing, workers: [IDLE] };
    let { state: next } = this.#workers.begin(state, 0, operation);
    while (next.workers[0] !== IDLE) next = this.#workers.advance(next, 0).state;
    return next.index;
  }

  /** Cold indexes are left to the other checks. @param dropped the user whose index must be cold afterwards */
  #difference(before: number, after: number, site: number, dropped: Id | undefined): string | undefined {
    const { epoch } = this.#machine.site.snapshot(site);
    for (const owner of ownersOf(this.#scenario)) {
      const [was, is] = [this.#machine.index.read(before, owner), this.#machine.index.read(after, owner)];
      const user = nameOfOwner(owner);
      if (owner.user === dropped) {
        if (is.state !== 'cold') return `${user} was to be dropped and is ${is.state}`;
        continue;
      }
      if (was.state !== 'warm' || was.epoch !== epoch) continue;
      if (is.state !== 'warm' && was.allowance?.left !== ENDLESS) continue;
      if (is.state === 'cold' && this.#scenario.unreadable?.some(({ user: bad }) => bad === owner.user)) continue;
      if (is.state !== 'warm') return `${user} was warm and is ${is.state}`;
      if (describe(was) !== describe(is)) return `${user} was ${describe(was)} and is ${describe(is)}`;
    }
    return undefined;
  }
}

/** One task of each shape on the menu. */
function tasksOf({ menu }: Scenario): Task[] {
  return [
    ...menu.pairs.map((pair) => relationTask(pair, kindOf(pair.kind).relationTasks.removed)),
    ...menu.grants.map((pair) => relationTask(pair, kindOf(pair.kind).relationTasks.changed)),
    ...menu.owners.map((owner) => photoTask(owner, kindOf(owner.kind).photoTasks.added)),
    ...[...(menu.suspensions ?? []), ...(menu.settings ?? [])].map(
      (user) => ({ type: 'recency.user.changed', user }) as const,
    ),
  ];
}
