import { isBulkTask } from '../../src/contracts/bulk-task.ts';
import type { Id } from '../../src/contracts/id.ts';
import type { KindName } from '../../src/contracts/kind.ts';
import { type DeliveredTask, meaningOf } from '../../src/contracts/task.ts';
import { Interner } from '../interner.ts';
import { type IndexOwner, ownersOf } from '../machine/index-contents.ts';
import type { Machine } from '../machine/machine.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { kindOf } from '../site/site.ts';
import type { State } from './state.ts';

/** Work that is pending before the indexes can be expected to be right. */
export interface Debts {
  /** `kind user contact`: a change of this pair is committed, or about to be, and its task has never been processed. */
  readonly pairs: readonly string[];
  /** `kind user`: whose rebuild is delayed. */
  readonly rebuilds: readonly string[];
}

/** A pair among the debts. */
export function pairDebt({ kind, user }: IndexOwner, contact: Id): string {
  return `${rebuildDebt({ kind, user })} ${contact}`;
}

/** A rebuild among the debts. */
export function rebuildDebt({ kind, user }: IndexOwner): string {
  return `${kind} ${user}`;
}

/** Numbered debts of states; 0 is none: the state is at rest. */
export class DebtStore {
  readonly #debts = new Interner<Debts>();
  readonly #numbers = new Map<number | string, number>();
  readonly #machine: Machine;
  readonly #owners: readonly IndexOwner[];
  /** Every pair of a user and a contact. */
  readonly #pairs: readonly (IndexOwner & { readonly contact: Id })[];

  constructor(machine: Machine, scenario: Scenario) {
    const { site, menu } = scenario;
    this.#machine = machine;
    this.#owners = ownersOf(scenario);
    this.#pairs = [...site.relationships, ...menu.pairs];
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
    const rebuilds = new Set<string>();
    for (const { task, owed, uncommitted } of this.#machine.tasks.list(tasks)) {
      if (owed || uncommitted !== undefined) for (const pair of this.#pairsOf(task)) pairs.add(pair);
    }
    for (const { kind } of this.#owners) {
      for (const item of this.#machine.side.items(side, kind)) {
        if (item.kind === 'rebuild') rebuilds.add(rebuildDebt({ kind, user: item.user }));
        else for (const pair of bothSides(kind, item.user, item.contact)) pairs.add(pair);
      }
    }
    for (const { of, user, contact } of this.#machine.rechecks.rows(rechecks)) {
      for (const pair of bothSides(of, user, contact)) pairs.add(pair);
    }
    return { pairs: [...pairs].sort(), rebuilds: [...rebuilds].sort() };
  }

  /** The pairs that a task speaks of. */
  #pairsOf(task: DeliveredTask): string[] {
    if (isBulkTask(task)) {
      const range = 'part' in task ? task : {};
      const owners = this.#owners.filter(({ kind, user }) => kind === task.kind && isWithin(range, user));
      return owners.map((owner) => pairDebt(owner, task.owner));
    }
    const about = meaningOf(task);
    if (about.of === 'relation') return bothSides(about.kind.name as KindName, about.user, about.contact);
    if (about.of === 'photos') {
      const owners = this.#owners.filter(({ kind }) => kind === about.kind.name);
      return owners.map((owner) => pairDebt(owner, about.owner));
    }
    const { user } = about;
    const isConcerned = (pair: IndexOwner & { contact: Id }) =>
      pair.user === user || (kindOf(pair.kind).areUsers && pair.contact === user);
    return this.#pairs.filter(isConcerned).map((pair) => pairDebt(pair, pair.contact));
  }
}

/** Is the user in a segment's range? A plan concerns everybody. */
function isWithin(range: { readonly after?: Id | undefined; readonly through?: Id | undefined }, user: Id): boolean {
  const { after = '0', through = user } = range;
  return BigInt(user) > BigInt(after) && BigInt(user) <= BigInt(through);
}

/** A pair, and where both are users the other side of it. */
function bothSides(kind: KindName, user: Id, contact: Id): string[] {
  const own = pairDebt({ kind, user }, contact);
  return kindOf(kind).areUsers ? [own, pairDebt({ kind, user: contact }, user)] : [own];
}
