import { ownersOf } from '../machine/index-contents.ts';
import type { Machine } from '../machine/machine.ts';
import { whenKnown } from '../machine/unknown.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { IDLE, type State } from './state.ts';
import { Workers } from './workers.ts';

/** The initial state of a scenario: indexes built by the product's own rebuild, or abandoned after its first step. */
export async function startOf(machine: Machine, scenario: Scenario): Promise<State> {
  const { index, side, rechecks, site, tasks, operations } = machine;
  const { actions, faultsAtMost: faults, workers } = scenario;
  const idle = Array.from({ length: workers }, () => IDLE);
  const start: State = {
    site: site.number(scenario.site),
    index: index.empty,
    side: side.empty,
    rechecks: rechecks.empty,
    tasks: tasks.empty,
    actions,
    faults,
    workers: idle,
  };
  if (scenario.index === 'cold') return start;

  const builder = new Workers(machine, scenario);
  let state = start;
  for (const { kind: of, user } of ownersOf(scenario)) {
    const operation = operations.begin({ kind: 'rebuild', of, users: [user] });
    state = (await whenKnown(() => builder.begin(state, 0, operation))).state;
    while (scenario.index === 'warm' && state.workers[0] !== IDLE) {
      state = (await whenKnown(() => builder.advance(state, 0))).state;
    }
    // A worker that dies after its first step leaves a placeholder.
    state = { ...state, workers: idle };
  }
  return { ...start, index: state.index };
}
