import { buildMachine, type Machine } from './machine/machine.ts';
import type { Mutation } from './mutations/mutation.ts';
import { mutationOf } from './mutations/mutations.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { QUICK, scenarioOf } from './scenarios/scenarios.ts';
import { type Found, Search } from './search/search.ts';

/** A job for a thread: search a scenario, or remove a rule and search until a violation shows. */
export type Job =
  | { readonly kind: 'search'; readonly scenario: string; readonly statesAtMost: number }
  | { readonly kind: 'mutate'; readonly rule: string };

export interface JobResult extends Found {
  /** The last scenario searched. */
  readonly scenario: string;
  /** Sequences of actions. */
  readonly histories: number;
  readonly seconds: number;
}

/** A mutation that needs a longer search names its own scenario. */
const MUTANT_STATES = 2_000_000;

/** A mutation may violate these: they constrain how the code works, not what results. */
const MEANS = new Set(['I6', 'I9']);

export async function doJob(job: Job): Promise<JobResult> {
  const from = performance.now();
  const found = job.kind === 'search' ? await searchProduct(job) : await searchMutant(mutationOf(job.rule));
  return { ...found, seconds: (performance.now() - from) / 1000 };
}

type Outcome = Omit<JobResult, 'seconds'>;

async function searchProduct({ scenario: name, statesAtMost }: Extract<Job, { kind: 'search' }>): Promise<Outcome> {
  const scenario = scenarioOf(name);
  return await withMachine(await buildMachine(scenario, 'product', []), scenario, statesAtMost, new Set());
}

/** Searches scenario by scenario until one shows a wrong history. */
async function searchMutant({ rule, patches, change, try: first = [] }: Mutation): Promise<Outcome> {
  const names = new Set([...first, ...QUICK.map(({ scenario }) => scenario.name)]);
  const outcomes: Outcome[] = [];
  for (const name of names) {
    const scenario = { ...scenarioOf(name), ...change };
    outcomes.push(await withMachine(await buildMachine(scenario, rule, patches), scenario, MUTANT_STATES, MEANS));
    if (outcomes.at(-1)?.violation !== undefined) break;
  }
  const sum = (field: 'states' | 'transitions' | 'atRest' | 'histories') =>
    outcomes.reduce((all, one) => all + one[field], 0);
  const last = outcomes.at(-1) as Outcome;
  return {
    ...last,
    states: sum('states'),
    transitions: sum('transitions'),
    atRest: sum('atRest'),
    histories: sum('histories'),
  };
}

async function withMachine(
  machine: Machine,
  scenario: Scenario,
  states: number,
  ignore: ReadonlySet<string>,
): Promise<Outcome> {
  try {
    const found = await new Search(machine, scenario, { states, ignore }).run();
    const histories = machine.site.histories(machine.site.number(scenario.site), scenario.actions);
    return { ...found, scenario: scenario.name, histories };
  } finally {
    machine.close();
  }
}
