import type { Machine } from '../machine/machine.ts';
import { whenKnown } from '../machine/unknown.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { Violation } from '../violation.ts';
import { Judge } from './judge.ts';
import { startOf } from './start.ts';
import { type State, StateTable } from './state.ts';
import { Successors } from './successors.ts';
import { type Trace, traceOf } from './trace.ts';
import type { Move } from './workers.ts';

export interface Found {
  readonly states: number;
  readonly transitions: number;
  /** States at rest, in which everything was checked. */
  readonly atRest: number;
  /** The search stopped before it had seen every state. */
  readonly cut: boolean;
  readonly violation: Violation | undefined;
  /** The path to the violation, if it has one. */
  readonly trace: Trace | undefined;
}

export interface SearchLimits {
  /** Maximum number of states. */
  readonly states: number;
  /** Rules whose violation does not count. */
  readonly ignore: ReadonlySet<string>;
}

/** Breadth first, so that the first violation found is one of the shortest. */
export class Search {
  readonly #machine: Machine;
  readonly #scenario: Scenario;
  readonly #limits: SearchLimits;
  readonly #successors: Successors;
  readonly #judge: Judge;
  readonly #table: StateTable;
  #transitions = 0;
  #atRest = 0;

  constructor(machine: Machine, scenario: Scenario, limits: SearchLimits) {
    this.#machine = machine;
    this.#scenario = scenario;
    this.#limits = limits;
    this.#successors = new Successors(machine, scenario);
    this.#judge = new Judge(machine, scenario, this.#successors.workers);
    this.#table = new StateTable(scenario.workers);
  }

  async run(): Promise<Found> {
    this.#table.add(await startOf(this.#machine, this.#scenario), -1);
    for (let at = 0; at < this.#table.size && at < this.#limits.states; at++) {
      const state = this.#table.at(at);
      if (this.#judge.isAtRest(state)) this.#atRest++;
      const violation = await this.#judge.judge(state);
      if (this.#counts(violation)) return await this.#found(violation, at);
      const broken = this.#follow(at, await this.#movesFrom(state));
      if (broken !== undefined) return await this.#found(broken.broken, at, broken.state);
    }
    const violation = await this.#judge.judgeAnswers();
    return await this.#found(this.#counts(violation) ? violation : undefined, undefined);
  }

  async #movesFrom(state: State): Promise<Move[]> {
    return await whenKnown(() => {
      const moves: Move[] = [];
      this.#successors.of(state, (move) => moves.push(move));
      return moves;
    });
  }

  /** The first move that by itself breaks a rule, if any. */
  #follow(at: number, moves: readonly Move[]): Move | undefined {
    this.#transitions += moves.length;
    for (const { state } of moves) this.#table.add(state, at);
    return moves.find(({ broken }) => this.#counts(broken));
  }

  #counts(violation: Violation | undefined): boolean {
    return violation !== undefined && !this.#limits.ignore.has(violation.rule);
  }

  /** @param beyond the state that the violating step leads to */
  async #found(violation: Violation | undefined, at: number | undefined, beyond?: State): Promise<Found> {
    const path = violation === undefined || at === undefined ? undefined : this.#table.path(at);
    return {
      states: Math.min(this.#table.size, this.#limits.states),
      transitions: this.#transitions,
      atRest: this.#atRest,
      cut: this.#table.size > this.#limits.states,
      violation,
      trace:
        path &&
        (await traceOf(this.#machine, this.#scenario, this.#successors, [
          ...path.map((number) => this.#table.at(number)),
          ...(beyond ? [beyond] : []),
        ])),
    };
  }
}
