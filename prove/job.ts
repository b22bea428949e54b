import { loadProduct } from './load-product.ts';
import { buildMachine, type Machine } from './machine/machine.ts';
import type { Mutation, OfIndexes, OfPart } from './mutations/mutation.ts';
import { mutationOf } from './mutations/mutations.ts';
import { type Outcome, type Part, WORLD_PARTS, type WorldPart } from './parts.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { QUICK, scenarioOf } from './scenarios/scenarios.ts';
import { Search } from './search/search.ts';

/** A job for a thread: search a scenario, or remove a rule and search until a violation shows. */
export type Job =
  | { readonly kind: 'search'; readonly part: Part; readonly scenario: string; readonly statesAtMost: number }
  | { readonly kind: 'mutate'; readonly rule: string };

/** Of the last scenario, with the sums of all. */
export interface JobResult extends Outcome {
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

async function searchProduct({ part, scenario: name, statesAtMost }: Extract<Job, { kind: 'search' }>) {
  const world = worldOf(part);
  if (world !== undefined) return await world.search(name, (await loadProduct('worlds', [])).code, statesAtMost);
  const scenario = scenarioOf(name);
  return await withMachine(await buildMachine(scenario, 'product', []), scenario, statesAtMost, new Set());
}

/** @returns undefined: the part is about the indexes */
function worldOf(part: Part): WorldPart | undefined {
  return (WORLD_PARTS as Partial<Record<Part, WorldPart>>)[part];
}

/** Searches scenario by scenario until one shows a wrong history. */
async function searchMutant(mutation: Mutation): Promise<Outcome> {
  const { names, search } = searchOf(mutation);
  const outcomes: Outcome[] = [];
  for (const name of new Set([...(mutation.try ?? []), ...names])) {
    outcomes.push(await search(name));
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

/** Where a rule shows. */
function searchOf(mutation: Mutation) {
  if (mutation.part === undefined) {
    const names = QUICK.map(({ scenario }) => scenario.name);
    return { names, search: (name: string) => searchIndex(mutation, name) };
  }
  const world = WORLD_PARTS[mutation.part];
  return { names: world.names, search: (name: string) => searchWorld(world, mutation, name) };
}

async function searchWorld(world: WorldPart, { rule, patches, change }: OfPart, name: string): Promise<Outcome> {
  return await world.search(name, (await loadProduct(rule, patches)).code, MUTANT_STATES, change);
}

async function searchIndex({ rule, patches, change }: OfIndexes, name: string): Promise<Outcome> {
  const scenario = { ...scenarioOf(name), ...change };
  return await withMachine(await buildMachine(scenario, rule, patches), scenario, MUTANT_STATES, MEANS);
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
