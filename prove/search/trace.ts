import { nameOfOwner, ownersOf } from '../machine/index-contents.ts';
import type { Machine } from '../machine/machine.ts';
import { whenKnown } from '../machine/unknown.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { keysOf, ofKind } from '../site/questions.ts';
import { describe, textOf } from './checks.ts';
import { canonical, type State } from './state.ts';
import { stepText } from './step-text.ts';
import type { Successors } from './successors.ts';
import type { Done, Move } from './workers.ts';

/** Describes a path from the start to a state. */
export interface Trace {
  readonly start: readonly string[];
  /** One line per event, in order. */
  readonly events: readonly string[];
  readonly end: readonly string[];
}

interface Happening {
  readonly move: Move;
  readonly what: string;
  readonly worker: number | undefined;
}

/** @param path the states from the first to the last */
export async function traceOf(
  machine: Machine,
  scenario: Scenario,
  successors: Successors,
  path: readonly State[],
): Promise<Trace> {
  const events: string[] = [];
  let names: readonly string[] = Array.from({ length: scenario.workers }, (_, i) => `worker ${'ABCDEF'[i]}`);
  for (const [i, state] of path.slice(0, -1).entries()) {
    const happening = await between(successors, state, path[i + 1] as State);
    events.push(textOfEvent(machine, happening, names));
    names = renamedWorkers(names, happening.move.state);
  }
  const [first, last] = [path[0] as State, path.at(-1) as State];
  return {
    start: await whenKnown(() => stateText(machine, scenario, first)),
    events,
    end: await whenKnown(() => stateText(machine, scenario, last)),
  };
}

async function between(successors: Successors, from: State, to: State): Promise<Happening> {
  const wanted = JSON.stringify(canonical(to));
  return await whenKnown(() => {
    let found: Happening | undefined;
    successors.of(from, (move, what, worker) => {
      if (found === undefined && JSON.stringify(canonical(move.state)) === wanted) found = { move, what, worker };
    });
    if (found === undefined) throw new Error('no event leads from this state to the next one');
    return found;
  });
}

/** The table sorts workers by what they do, so their names move with them. */
function renamedWorkers(names: readonly string[], { workers }: State): string[] {
  return [...workers.keys()]
    .sort((a, b) => (workers[a] as number) - (workers[b] as number))
    .map((place) => names[place] as string);
}

function textOfEvent(machine: Machine, { move, what, worker }: Happening, names: readonly string[]): string {
  const own = move.done.filter((done) => done.worker === worker).map((done) => doneText(machine, done));
  const others = move.done
    .filter((done) => done.worker !== worker)
    .map((done) => `${names[done.worker]} ${doneText(machine, done)}`);
  const who = worker === undefined ? '' : `${names[worker]} `;
  return [`${who}${[what, ...own].filter((text) => text !== '').join(', ')}`, ...others].join('; ');
}

function doneText({ operations }: Machine, { step, reply }: Done): string {
  return stepText(operations.steps.thing(step), operations.replies.thing(reply));
}

/** Contents of Redis and MySQL, one line per index. */
function stateText(machine: Machine, scenario: Scenario, { index, site }: State): string[] {
  const snapshot = machine.site.snapshot(site);
  return ownersOf(scenario).map((owner) => {
    const reading = machine.index.read(index, owner);
    const held = reading.state === 'warm' ? `${describe(reading)} (${reading.epoch})` : reading.state;
    const { epoch, rows } = ofKind(snapshot, owner.kind);
    return `index of ${nameOfOwner(owner)}: ${held}; MySQL (${epoch}): ${textOf(keysOf(rows, owner.user))}`;
  });
}
