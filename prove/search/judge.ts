import type { Machine } from '../machine/machine.ts';
import { whenKnown } from '../machine/unknown.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { Violation } from '../violation.ts';
import { Answers } from './answers.ts';
import { checkIndexes } from './checks.ts';
import { DebtStore } from './debts.ts';
import { Replays } from './replays.ts';
import type { State } from './state.ts';
import type { Workers } from './workers.ts';

const NONE = 0;

/** Checks the invariants in states. States that the invariants cannot tell apart are checked once. */
export class Judge {
  readonly #machine: Machine;
  readonly #scenario: Scenario;
  readonly #answers: Answers;
  readonly #replays: Replays;
  readonly #debts: DebtStore;
  readonly #verdicts = new Map<string, Violation | undefined>();
  readonly #indexes = new Set<number>();
  readonly #sites = new Set<number>();

  constructor(machine: Machine, scenario: Scenario, workers: Workers) {
    this.#machine = machine;
    this.#scenario = scenario;
    this.#answers = new Answers(machine, scenario);
    this.#replays = new Replays(machine, scenario, workers);
    this.#debts = new DebtStore(machine, scenario);
  }

  /** Is every change committed and its task processed at least once? What is still in flight is a repetition. */
  isAtRest(state: State): boolean {
    return this.#debts.of(state) === NONE;
  }

  /** I1 to I3 and I8 of every user without a task in flight; at rest also I5. */
  async judge(state: State): Promise<Violation | undefined> {
    const site = this.#machine.site.settled(state.site);
    this.#indexes.add(state.index);
    this.#sites.add(site);
    const debts = this.#debts.of(state);
    const key = `${state.index} ${site} ${debts}`;
    if (!this.#verdicts.has(key)) this.#verdicts.set(key, await whenKnown(() => this.#judge(state.index, site, debts)));
    return this.#verdicts.get(key);
  }

  /** I7, of answers whose index was read in any state and whose rows in any other: a superset of what can happen. */
  async judgeAnswers(): Promise<Violation | undefined> {
    for (const index of this.#indexes) {
      for (const site of this.#sites) {
        const violation = await whenKnown(() => this.#answers.checkRows(index, site));
        if (violation !== undefined) return violation;
      }
    }
    return undefined;
  }

  #judge(index: number, site: number, number: number): Violation | undefined {
    const debts = this.#debts.debts(number);
    return (
      checkIndexes(this.#machine, this.#scenario, index, site, debts) ??
      (number === NONE ? this.#replays.check(index, site) : undefined) ??
      this.#answers.checkSuspended(index, site) ??
      this.#answers.checkOrder(index, site, debts)
    );
  }
}
