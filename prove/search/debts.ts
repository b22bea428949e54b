import type { Id } from '../../src/contracts/id.ts';
import { meaningOf } from '../../src/contracts/task.ts';
import { Interner } from '../interner.ts';
import type { Machine } from '../machine/machine.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { State } from './state.ts';

/** Work that is pending before the indexes can be expected to be right. */
export interface Debts {
  /** `user contact`: a change of this pair is committed, or about to be, and its task has never been processed. */
  readonly pairs: readonly string[];
  /** Users whose rebuild is delayed. */
  readonly rebuilds: readonly Id[];
}

/** Numbered debts of states; 0 is none: the state is at rest. */
export class DebtStore {
  readonly #debts = new Interner<Debts>();
  readonly #numbers = new Map<number | string, number>();
  readonly #machine: Machine;
  readonly #users: readonly Id[];
  /** `user contact` of every user whose index is kept. */
  readonly #pairs: readonly (readonly [user: Id, contact: Id])[];

  constructor(machine: Machine, { users, site, menu }: Scenario) {
    this.#machine = machine;
    this.#users = users;
    this.#pairs = [...site.relationships, ...menu.pairs].map(({ user, contact }) => [user, contact]);
    this.#debts.number({ pairs: [], rebuilds: [] });
  }

  of({ tasks, side, rechecks }: State): number {
    // Usually there is no re-check, and looking up a number is faster than a text.
    const key = rechecks === this.#machine.rechecks.empty ? tasks * 2 ** 24 + side : `${tasks} ${side} ${rechecks}`;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#debts.number(this.#collect(tasks, side, rechecks));
      this.#numbers.set(key, number);
    }
    return number;
  }

  debts(number: number): Debts {
    return this.#debts.thing(number);
  }

  #collect(tasks: number, side: number, rechecks: number): Debts {
    const pairs = new Set<string>();
    const rebuilds = new Set<Id>();
    for (const { task, owed, uncommitted } of this.#machine.tasks.list(tasks)) {
      if (!owed && uncommitted === undefined) continue;
      const about = meaningOf(task);
      if (about.of === 'relation') pairs.add(`${about.user} ${about.contact}`).add(`${about.contact} ${about.user}`);
      else if (about.of === 'photos') for (const user of this.#users) pairs.add(`${user} ${about.owner}`);
      else for (const pair of this.#pairs.filter((both) => both.includes(about.user))) pairs.add(pair.join(' '));
    }
    for (const item of this.#machine.side.items(side)) {
      if (item.kind === 'rebuild') rebuilds.add(item.user);
      else pairs.add(`${item.user} ${item.contact}`).add(`${item.contact} ${item.user}`);
    }
    for (const { user, contact } of this.#machine.rechecks.rows(rechecks)) {
      pairs.add(`${user} ${contact}`).add(`${contact} ${user}`);
    }
    return { pairs: [...pairs].sort(), rebuilds: [...rebuilds].sort() };
  }
}
