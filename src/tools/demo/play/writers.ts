import type { Random } from '../random.ts';
import { add, deleteOne, grantOther, type Move, remove, showToOthers, upload } from './moves.ts';
import { pacedAt } from './pace.ts';
import type { Stage } from './stage.ts';

/** How often of twenty each is done. */
const MOVES: readonly (readonly [Move, number])[] = [
  [upload, 6],
  [deleteOne, 2],
  [showToOthers, 3],
  [add, 4],
  [remove, 2],
  [grantOther, 3],
];

const DRAWN: readonly Move[] = MOVES.flatMap(([move, times]) => Array<Move>(times).fill(move));

export interface WritersOptions {
  readonly stage: Stage;
  /** People who do something at the same moment. */
  readonly atOnce: number;
  /** Changes a second at the most, in all. */
  readonly rate: number;
  readonly onChange: () => void;
}

/** People use the site until aborted; resolves when the last of their transactions has returned. */
export async function runWriters(
  { stage, atOnce, rate, onChange }: WritersOptions,
  signal: AbortSignal,
): Promise<void> {
  const turn = pacedAt(rate);
  const write = async () => {
    while (!signal.aborted) {
      await turn(signal);
      await anyMove(stage.random)(stage);
      onChange();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, write));
}

function anyMove(random: Random): Move {
  return DRAWN[Math.floor(random() * DRAWN.length)] ?? upload;
}
