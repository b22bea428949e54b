import type { Job, JobResult } from './job.ts';
import type { Mutation } from './mutations/mutation.ts';
import type { Part } from './parts.ts';
import { doJobs } from './pool.ts';
import { historyLines, mutationLines, partText, scenarioHeader, scenarioLine, totalLine } from './report.ts';

/** A scenario to search, by its name. */
export interface ToSearch {
  readonly part: Part;
  readonly name: string;
}

export interface ProveOptions {
  readonly threads: number;
  /** Maximum states per scenario of part c. */
  readonly budget: number;
  /** Called with one line of text at a time. */
  readonly print: (line: string) => void;
}

/** Searches the scenarios. Resolves to the object for `--json`; `bad` counts the scenarios with a wrong history. */
export async function searchAll(scenarios: readonly ToSearch[], { threads, budget, print }: ProveOptions) {
  const from = performance.now();
  const jobs = scenarios.map(
    ({ part, name }): Job => ({
      kind: 'search',
      part,
      scenario: name,
      statesAtMost: part === 'c' ? budget : Number.MAX_SAFE_INTEGER,
    }),
  );
  print(scenarioHeader());
  const results = await doJobs(jobs, threads, (result, place) => {
    const { part, name } = scenarios[place] as ToSearch;
    if (scenarios[place - 1]?.part !== part) print(partText(part));
    print(scenarioLine(name, result));
    for (const line of historyLines(result)) print(line);
  });
  const seconds = (performance.now() - from) / 1000;
  print(totalLine(results, seconds));
  return { ...totals(results), seconds: round(seconds), scenarios: results.map(plain) };
}

/**
 * Removes the rules one at a time. A rule whose removal nothing showed is `known` if a reason is written, otherwise `missed`. One that is
 * caught although a reason is written is `outdated`.
 */
export async function mutateAll(
  mutations: readonly Mutation[],
  { threads, print }: Pick<ProveOptions, 'threads' | 'print'>,
) {
  const from = performance.now();
  const jobs = mutations.map(({ rule }): Job => ({ kind: 'mutate', rule }));
  const results = await doJobs(jobs, threads, (result, place) => {
    for (const line of mutationLines(mutations[place] as Mutation, result)) print(line);
  });
  const rules = mutations.map(({ rule, instead, notCaught }, i) => ({
    rule,
    instead,
    notCaught,
    ...plain(results[i] as JobResult),
  }));
  const those = (isCaught: boolean, hasReason: boolean) =>
    rules
      .filter(
        ({ violation, notCaught }) => (violation !== undefined) === isCaught && (notCaught !== undefined) === hasReason,
      )
      .map(({ rule }) => rule);
  const [known, missed, outdated] = [those(false, true), those(false, false), those(true, true)];
  const caught = rules.length - known.length - missed.length;
  const seconds = (performance.now() - from) / 1000;
  print(`${caught} of ${rules.length} rules taken out were caught in ${seconds.toFixed(1)} s`);
  for (const rule of known) print(`   not caught, for the reason above: ${rule}`);
  for (const rule of missed) print(`   NOT CAUGHT, and no reason is written: ${rule}`);
  for (const rule of outdated) print(`   CAUGHT, although a reason is written why it cannot be: ${rule}`);
  return { caught, known, missed, outdated, seconds: round(seconds), rules };
}

function totals(results: readonly JobResult[]) {
  const sum = (field: 'histories' | 'states' | 'transitions' | 'atRest') =>
    results.reduce((all, result) => all + result[field], 0);
  return {
    histories: sum('histories'),
    states: sum('states'),
    transitions: sum('transitions'),
    at_rest: sum('atRest'),
    bad: results.filter((result) => result.violation !== undefined).length,
  };
}

function plain({ scenario, histories, states, transitions, atRest, seconds, cut, violation, trace }: JobResult) {
  return { scenario, histories, states, transitions, at_rest: atRest, seconds: round(seconds), cut, violation, trace };
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
