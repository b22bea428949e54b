import { searchCapture } from './capture/capture-search.ts';
import { CAPTURE_SCENARIOS, type CaptureScenario, captureScenarioOf } from './capture/world.ts';
import { loadProduct, type Product } from './load-product.ts';
import { buildMachine, type Machine } from './machine/machine.ts';
import { MastersMoves } from './masters/moves.ts';
import { MASTERS_SCENARIOS, type MastersScenario, mastersScenarioOf } from './masters/world.ts';
import type { Mutation } from './mutations/mutation.ts';
import { mutationOf } from './mutations/mutations.ts';
import { OwnersMoves } from './owners/moves.ts';
import { OWNERS_SCENARIOS, type OwnersScenario, ownersScenarioOf } from './owners/world.ts';
import { PUSH_SCENARIOS, pushScenarioOf } from './push/push-scenarios.ts';
import { searchPush } from './push/push-search.ts';
import type { PushScenario } from './push/world.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { QUICK, scenarioOf } from './scenarios/scenarios.ts';
import { type Found, Search } from './search/search.ts';
import { searchWorlds } from './search/worlds.ts';
import { ServersMoves } from './servers/moves.ts';
import { SERVERS_SCENARIOS, type ServersScenario, serversScenarioOf } from './servers/world.ts';

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
  const push = pushScenarioOf(name);
  if (push !== undefined) return pushOutcome(push, (await loadProduct('push', [])).code, statesAtMost);
  const servers = serversScenarioOf(name);
  if (servers !== undefined) return serversOutcome(servers, (await loadProduct('servers', [])).code, statesAtMost);
  const masters = mastersScenarioOf(name);
  if (masters !== undefined) return mastersOutcome(masters, (await loadProduct('servers', [])).code, statesAtMost);
  const owners = ownersScenarioOf(name);
  if (owners !== undefined) return ownersOutcome(owners, (await loadProduct('servers', [])).code, statesAtMost);
  const capture = captureScenarioOf(name);
  if (capture !== undefined) return await captureOutcome(capture, (await loadProduct('push', [])).code, statesAtMost);
  const scenario = scenarioOf(name);
  return await withMachine(await buildMachine(scenario, 'product', []), scenario, statesAtMost, new Set());
}

async function pushOutcome(scenario: PushScenario, code: Product['code'], states: number): Promise<Outcome> {
  const histories = scenario.actions.reduce((orders, _action, i) => orders * (i + 1), 1);
  return { ...(await searchPush(code, scenario, states)), scenario: scenario.name, histories };
}

async function serversOutcome(scenario: ServersScenario, code: Product['code'], states: number): Promise<Outcome> {
  const found = await searchWorlds(new ServersMoves(code, scenario), states);
  return { ...found, scenario: scenario.name, histories: 1 };
}

async function mastersOutcome(scenario: MastersScenario, code: Product['code'], states: number): Promise<Outcome> {
  const found = await searchWorlds(new MastersMoves(code, scenario), states);
  return { ...found, scenario: scenario.name, histories: 1 };
}

async function ownersOutcome(scenario: OwnersScenario, code: Product['code'], states: number): Promise<Outcome> {
  const found = await searchWorlds(new OwnersMoves(code, scenario), states);
  return { ...found, scenario: scenario.name, histories: 1 };
}

async function captureOutcome(scenario: CaptureScenario, code: Product['code'], states: number): Promise<Outcome> {
  return { ...(await searchCapture(code, scenario, states)), scenario: scenario.name, histories: 1 };
}

/** Searches scenario by scenario until one shows a wrong history. */
async function searchMutant(mutation: Mutation): Promise<Outcome> {
  const { search, names } = searchOf(mutation);
  const outcomes: Outcome[] = [];
  for (const name of new Set([...(mutation.try ?? []), ...names])) {
    outcomes.push(await search(mutation, name));
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

const namesOf = (scenarios: readonly { readonly name: string }[]) => scenarios.map(({ name }) => name);

/** Where a rule shows: in its own scenarios. */
function searchOf({ push, servers, masters, owners, capture }: Mutation) {
  if (push !== undefined) return { search: searchWatches, names: namesOf(PUSH_SCENARIOS) };
  if (servers !== undefined) return { search: searchServers, names: namesOf(SERVERS_SCENARIOS) };
  if (masters !== undefined) return { search: searchMasters, names: namesOf(MASTERS_SCENARIOS) };
  if (owners) return { search: searchOwners, names: namesOf(OWNERS_SCENARIOS) };
  if (capture) return { search: searchCaptured, names: namesOf(CAPTURE_SCENARIOS) };
  return { search: searchIndex, names: namesOf(QUICK.map(({ scenario }) => scenario)) };
}

async function searchIndex({ rule, patches, change }: Mutation, name: string): Promise<Outcome> {
  const scenario = { ...scenarioOf(name), ...change };
  return await withMachine(await buildMachine(scenario, rule, patches), scenario, MUTANT_STATES, MEANS);
}

async function searchWatches({ rule, patches, push }: Mutation, name: string): Promise<Outcome> {
  const scenario = { ...pushScenarioOf(name), ...push } as PushScenario;
  return pushOutcome(scenario, (await loadProduct(rule, patches)).code, MUTANT_STATES);
}

async function searchServers({ rule, patches, servers }: Mutation, name: string): Promise<Outcome> {
  const scenario = { ...serversScenarioOf(name), ...servers } as ServersScenario;
  return serversOutcome(scenario, (await loadProduct(rule, patches)).code, MUTANT_STATES);
}

async function searchMasters({ rule, patches, masters }: Mutation, name: string): Promise<Outcome> {
  const scenario = { ...mastersScenarioOf(name), ...masters } as MastersScenario;
  return mastersOutcome(scenario, (await loadProduct(rule, patches)).code, MUTANT_STATES);
}

async function searchOwners({ rule, patches }: Mutation, name: string): Promise<Outcome> {
  return ownersOutcome(
    ownersScenarioOf(name) as OwnersScenario,
    (await loadProduct(rule, patches)).code,
    MUTANT_STATES,
  );
}

async function searchCaptured({ rule, patches }: Mutation, name: string): Promise<Outcome> {
  const { code } = await loadProduct(rule, patches);
  return await captureOutcome(captureScenarioOf(name) as CaptureScenario, code, MUTANT_STATES);
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
