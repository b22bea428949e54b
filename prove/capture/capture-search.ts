import type { Product } from '../load-product.ts';
import type { Found } from '../search/search.ts';
import { CaptureMoves } from './capture-moves.ts';
import type { CaptureScenario } from './world.ts';

/** A state that was reached, and by which moves. */
interface Reached {
  readonly history: readonly string[];
  readonly world: CaptureMoves;
}

/** Every interleaving, breadth first. Capture cannot be copied, so each state is reached from the start again. */
export async function searchCapture(
  code: Product['code'],
  scenario: CaptureScenario,
  statesAtMost: number,
): Promise<Found> {
  const reach = async (history: readonly string[]): Promise<Reached> => {
    const world = new CaptureMoves(code, scenario);
    for (const move of history) await world.make(move);
    return { history, world };
  };
  const known = new Set<string>();
  const waiting = [await reach([])];
  let [transitions, atRest] = [0, 0];
  for (let one = waiting.shift(); one !== undefined && known.size < statesAtMost; one = waiting.shift()) {
    const { history, world } = one;
    if (known.has(world.text)) continue;
    known.add(world.text);
    if (world.isAtRest) atRest += 1;
    const violation = world.judge();
    const counts = { states: known.size, transitions, atRest, cut: false };
    if (violation !== undefined) return { ...counts, violation, trace: { start: [], events: [...history], end: [] } };
    for (const move of world.moves) {
      transitions += 1;
      waiting.push(await reach([...history, move]));
    }
  }
  return { states: known.size, transitions, atRest, cut: waiting.length > 0, violation: undefined, trace: undefined };
}
