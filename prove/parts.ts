import { searchCapture } from './capture/capture-search.ts';
import { CAPTURE_SCENARIOS } from './capture/world.ts';
import type { Product } from './load-product.ts';
import { MastersMoves } from './masters/moves.ts';
import { MASTERS_SCENARIOS } from './masters/world.ts';
import { OwnersMoves } from './owners/moves.ts';
import { OWNERS_SCENARIOS } from './owners/world.ts';
import { ordersOf, PUSH_SCENARIOS } from './push/push-scenarios.ts';
import { searchPush } from './push/push-search.ts';
import type { Part as IndexPart } from './scenarios/scenarios.ts';
import type { Found } from './search/search.ts';
import { searchWorlds } from './search/worlds.ts';
import { ServersMoves } from './servers/moves.ts';
import { SERVERS_SCENARIOS } from './servers/world.ts';

type Code = Product['code'];

interface Named {
  readonly name: string;
}

export interface Outcome extends Found {
  /** The scenario that was searched. */
  readonly scenario: string;
  /** Sequences of actions. */
  readonly histories: number;
}

/** A part of the proof beside the indexes': it has a world of its own, all of whose interleavings are searched. */
export interface WorldPart {
  readonly names: readonly string[];
  /**
   * @param change what is different in the scenario
   * @throws Error when there is no such scenario
   */
  search(name: string, code: Code, statesAtMost: number, change?: object): Promise<Outcome>;
}

/** By their letters, in the report's order. */
export const WORLD_PARTS = {
  e: partOf(PUSH_SCENARIOS, searchPush, ordersOf),
  g: partOf(SERVERS_SCENARIOS, (code, scenario, states) => searchWorlds(new ServersMoves(code, scenario), states)),
  h: partOf(CAPTURE_SCENARIOS, searchCapture),
  i: partOf(MASTERS_SCENARIOS, (code, scenario, states) => searchWorlds(new MastersMoves(code, scenario), states)),
  j: partOf(OWNERS_SCENARIOS, (code, scenario, states) => searchWorlds(new OwnersMoves(code, scenario), states)),
} as const satisfies Record<string, WorldPart>;

export type WorldPartLetter = keyof typeof WORLD_PARTS;

/** Of every part. */
export type Part = IndexPart | WorldPartLetter;

function partOf<S extends Named>(
  scenarios: readonly S[],
  search: (code: Code, scenario: S, statesAtMost: number) => Promise<Found>,
  historiesOf: (scenario: S) => number = () => 1,
): WorldPart {
  return {
    names: scenarios.map(({ name }) => name),
    search: async (name, code, statesAtMost, change) => {
      const listed = scenarios.find((scenario) => scenario.name === name);
      if (listed === undefined) throw new Error(`there is no scenario '${name}'`);
      const scenario = { ...listed, ...change };
      return { ...(await search(code, scenario, statesAtMost)), scenario: name, histories: historiesOf(scenario) };
    },
  };
}
