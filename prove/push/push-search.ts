import type { Product } from '../load-product.ts';
import type { Found } from '../search/search.ts';
import { searchWorlds } from '../search/worlds.ts';
import { PushMoves } from './moves.ts';
import type { PushScenario, World } from './world.ts';

export function searchPush(code: Product['code'], scenario: PushScenario, statesAtMost: number): Promise<Found> {
  return searchWorlds(new PushMoves(code, scenario), statesAtMost, withFewVersions);
}

const VERSION = /(?<="version":"|\["1",")\d+(?=")/g;

/** Only which versions are equal matters: they are numbered from 1, so that histories that meet are one. */
function withFewVersions(world: World): string {
  const text = JSON.stringify(world);
  const known = [...new Set(text.match(VERSION))].sort((a, b) => Number(a) - Number(b));
  const numbers = new Map(known.map((version, i) => [version, String(i + 1)]));
  return text
    .replace(VERSION, (version) => numbers.get(version) ?? version)
    .replace(/"version":\d+/, `"version":${known.length}`);
}
