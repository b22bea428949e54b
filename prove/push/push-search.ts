import type { Product } from '../load-product.ts';
import type { Found } from '../search/search.ts';
import { PushMoves } from './moves.ts';
import type { PushScenario, World } from './world.ts';

/** Every interleaving, breadth first, so that a wrong history is one of the shortest. */
export function searchPush(code: Product['code'], scenario: PushScenario, statesAtMost: number): Found {
  const moves = new PushMoves(code, scenario);
  const table = new StateTable();
  table.add(moves.start(), -1, 'start');
  let [transitions, atRest] = [0, 0];
  for (let at = 0; at < table.size && at < statesAtMost; at++) {
    const world = table.at(at);
    if (moves.isAtRest(world)) atRest++;
    const counts = { states: table.size, transitions, atRest, cut: false };
    const violation = moves.judge(world);
    if (violation !== undefined) return { ...counts, violation, trace: table.trace(at) };
    for (const { world: next, what, broken } of moves.of(world)) {
      transitions++;
      table.add(next, at, what);
      if (broken !== undefined) return { ...counts, violation: broken, trace: table.trace(at, what) };
    }
  }
  const states = Math.min(table.size, statesAtMost);
  return { states, transitions, atRest, cut: table.size > statesAtMost, violation: undefined, trace: undefined };
}

/** The states found, each once, and how each was reached. */
class StateTable {
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];
  readonly #from: { readonly before: number; readonly what: string }[] = [];

  get size(): number {
    return this.#texts.length;
  }

  add(world: World, before: number, what: string): void {
    const text = withFewVersions(JSON.stringify(world));
    if (this.#numbers.has(text)) return;
    this.#numbers.set(text, this.#texts.length);
    this.#texts.push(text);
    this.#from.push({ before, what });
  }

  at(number: number): World {
    return JSON.parse(this.#texts[number] as string) as World;
  }

  /** @param last what happens after it */
  trace(number: number, last?: string) {
    const events: string[] = last === undefined ? [] : [last];
    for (let at = number; at > 0; at = this.#from[at]?.before ?? 0) events.unshift(this.#from[at]?.what ?? '');
    return { start: [], events, end: [] };
  }
}

const VERSION = /(?<="version":"|\["1",")\d+(?=")/g;

/** Only which versions are equal matters: they are numbered from 1, so that histories that meet are one. */
function withFewVersions(text: string): string {
  const known = [...new Set(text.match(VERSION))].sort((a, b) => Number(a) - Number(b));
  const numbers = new Map(known.map((version, i) => [version, String(i + 1)]));
  return text
    .replace(VERSION, (version) => numbers.get(version) ?? version)
    .replace(/"version":\d+/, `"version":${known.length}`);
}
