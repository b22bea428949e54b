import type { Violation } from '../violation.ts';
import type { Found } from './search.ts';

/** One thing that may happen now. */
export interface WorldMove<World> {
  readonly world: World;
  readonly what: string;
  readonly broken?: Violation | undefined;
}

/** What may happen in a world, which is plain data. */
export interface WorldMoves<World> {
  start(): World | Promise<World>;
  of(world: World): readonly WorldMove<World>[] | Promise<readonly WorldMove<World>[]>;
  isAtRest(world: World): boolean | Promise<boolean>;
  judge(world: World): Violation | undefined | Promise<Violation | undefined>;
}

/**
 * Every interleaving, breadth first, so that a wrong history is one of the shortest.
 * @param textOf worlds with the same text are one; it can be parsed as one of them
 */
export async function searchWorlds<World>(
  moves: WorldMoves<World>,
  statesAtMost: number,
  textOf: (world: World) => string = JSON.stringify,
): Promise<Found> {
  const table = new WorldTable(textOf);
  table.add(await moves.start(), -1, 'start');
  let [transitions, atRest] = [0, 0];
  for (let at = 0; at < table.size && at < statesAtMost; at++) {
    const world = table.at(at);
    if (await moves.isAtRest(world)) atRest++;
    const counts = { states: table.size, transitions, atRest, cut: false };
    const violation = await moves.judge(world);
    if (violation !== undefined) return { ...counts, violation, trace: table.trace(at) };
    for (const { world: next, what, broken } of await moves.of(world)) {
      transitions++;
      table.add(next, at, what);
      if (broken !== undefined) return { ...counts, violation: broken, trace: table.trace(at, what) };
    }
  }
  const states = Math.min(table.size, statesAtMost);
  return { states, transitions, atRest, cut: table.size > statesAtMost, violation: undefined, trace: undefined };
}

/** The worlds found, each once, and how each was reached. */
class WorldTable<World> {
  readonly #textOf: (world: World) => string;
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];
  readonly #from: { readonly before: number; readonly what: string }[] = [];

  constructor(textOf: (world: World) => string) {
    this.#textOf = textOf;
  }

  get size(): number {
    return this.#texts.length;
  }

  add(world: World, before: number, what: string): void {
    const text = this.#textOf(world);
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
