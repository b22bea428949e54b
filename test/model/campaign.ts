import fc from 'fast-check';
import { seededRandom } from '../../src/tools/demo/random.ts';
import { IS_LONG, shortOrLong } from '../support/length.ts';
import type { Arena } from './arena.ts';
import { histories } from './commands.ts';
import { addTo, type HistoryCounts, NOTHING } from './counts.ts';
import { endInOrder } from './rest.ts';
import { Trial } from './trial.ts';
import { oneTurn } from './turns.ts';

/** A history that failed before, by the values printed then. */
export interface Replay {
  readonly seed: number;
  readonly path: string;
  /** For a shrunk history: which of its commands were kept. */
  readonly commands?: string | undefined;
}

interface CampaignOptions {
  readonly histories: number;
  /** Maximum commands per history. */
  readonly commands: number;
  /** Time limit, ms; the running history is played to its end. */
  readonly timeLimitMs: number;
  /** Time for shrinking a failure, ms. */
  readonly shrinkLimitMs: number;
  /** Determines all histories; undefined: random. */
  readonly seed?: number | undefined;
  /** The only history to play. */
  readonly replay?: Replay | undefined;
  /** The test file, for the command that replays a history. */
  readonly test: string;
}

/**
 * Reads the campaign's options from the environment: MODEL_SEED, MODEL_PATH and MODEL_REPLAY as printed; MODEL_HISTORIES, how many.
 * @param short histories in the short form of the tests
 * @param long in the long form
 */
export function askedFor(environment: NodeJS.ProcessEnv, short: number, long: number): Asked {
  const { MODEL_SEED, MODEL_PATH: path, MODEL_REPLAY: commands, MODEL_HISTORIES } = environment;
  const seed = MODEL_SEED === undefined ? undefined : Number(MODEL_SEED);
  const replay = seed === undefined || path === undefined ? undefined : { seed, path, commands };
  const histories = Number(MODEL_HISTORIES ?? shortOrLong(short, long));
  return { seed, replay, histories, isLong: IS_LONG || MODEL_HISTORIES !== undefined };
}

export interface Asked extends Pick<CampaignOptions, 'seed' | 'replay' | 'histories'> {
  readonly isLong: boolean;
}

/**
 * Plays random histories, one after the other. A failing one is shrunk.
 * @throws Error with what was broken, the shortest history found, and how to replay it
 */
export async function playHistories(arena: Arena, options: CampaignOptions): Promise<HistoryCounts> {
  const { replay, seed, timeLimitMs, shrinkLimitMs, test } = options;
  const counts = { ...NOTHING };
  const which = replay === undefined ? (seed === undefined ? {} : { seed }) : { seed: replay.seed, path: replay.path };
  const first = await fc.check(propertyOn(arena, options, counts, timeLimitMs), {
    ...which,
    numRuns: options.histories,
    endOnFailure: true,
  });
  if (!first.failed) {
    const isTooShort = counts.deliveries === 0 && seed === undefined && replay === undefined;
    return isTooShort ? await playHistories(arena, options) : counts; // a history may have hardly a command
  }
  if (replay !== undefined) throw new Error(reportOf(first, test), { cause: first.errorInstance });
  const again = await fc.check(propertyOn(arena, options, counts, shrinkLimitMs), {
    seed: first.seed,
    ...(first.counterexamplePath === null ? {} : { path: first.counterexamplePath }),
  });
  const shortest = again.failed ? again : first;
  throw new Error(reportOf(shortest, test), { cause: shortest.errorInstance });
}

/** @param limitMs no history starts after this: fast-check would abandon a running one */
function propertyOn(arena: Arena, { commands, replay }: CampaignOptions, counts: HistoryCounts, limitMs: number) {
  const deadline = performance.now() + limitMs;
  const scheduler = fc.scheduler({ act: oneTurn });
  const some = histories(commands, replay?.commands);
  return fc.asyncProperty(scheduler, some, fc.nat(), async (turns, history, seed) => {
    if (performance.now() > deadline) return;
    const trial = await Trial.begin(arena, turns, seededRandom(seed));
    try {
      await turns.waitFor(fc.asyncModelRun(() => ({ model: {}, real: trial }), history));
      await turns.waitFor(endInOrder(trial));
    } finally {
      await trial.close();
    }
    addTo(counts, trial.counts);
  });
}

interface Failure {
  readonly seed: number;
  readonly counterexamplePath: string | null;
  readonly counterexample: readonly unknown[] | null;
  readonly errorInstance: unknown;
  readonly numShrinks: number;
}

function reportOf(failure: Failure, test: string): string {
  const { seed, counterexamplePath, counterexample, errorInstance, numShrinks } = failure;
  const text = String(counterexample?.[1]);
  const [, kept = ''] = /replayPath="(.*)"/.exec(text) ?? [];
  const again = `MODEL_SEED=${seed} MODEL_PATH=${counterexamplePath}${numShrinks > 0 ? ` MODEL_REPLAY='${kept}'` : ''}`;
  return [
    `a history failed: ${errorInstance instanceof Error ? errorInstance.message : errorInstance}`,
    `after ${numShrinks} shrinks: ${text.replace(/ *\/\*.*\*\/$/, '').replaceAll(',', '\n  ')}`,
    `to replay it: ${again} npx vitest run ${test}`,
  ].join('\n');
}
