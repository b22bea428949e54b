import fc from 'fast-check';
import { seededRandom } from '../../src/tools/demo/random.ts';
import type { Arena } from './arena.ts';
import { histories } from './commands.ts';
import { endInOrder } from './rest.ts';
import { addTo, NOTHING, type Tally } from './tally.ts';
import { Trial } from './trial.ts';
import { oneTurn } from './turns.ts';

/** One history that went wrong before, by what was printed then. */
export interface Replay {
  readonly seed: number;
  readonly path: string;
  /** Of a shrunk one: which of its commands were kept. */
  readonly commands?: string | undefined;
}

export interface CampaignOptions {
  readonly histories: number;
  /** Commands in one of them at the most. */
  readonly commands: number;
  /** ms; the history under way is played to its end. */
  readonly timeLimitMs: number;
  /** ms for making shorter what went wrong. */
  readonly shrinkLimitMs: number;
  /** Tells all of the histories; undefined: others every time. */
  readonly seed?: number | undefined;
  /** Only this one. */
  readonly replay?: Replay | undefined;
  /** The test that plays them, for playing one again. */
  readonly test: string;
}

/** What the environment asks of a campaign: MODEL_SEED, MODEL_PATH and MODEL_REPLAY as printed; MODEL_HISTORIES, more of them. */
export function askedFor(environment: NodeJS.ProcessEnv, usually: number): Asked {
  const { MODEL_SEED, MODEL_PATH: path, MODEL_REPLAY: commands, MODEL_HISTORIES } = environment;
  const seed = MODEL_SEED === undefined ? undefined : Number(MODEL_SEED);
  const replay = seed === undefined || path === undefined ? undefined : { seed, path, commands };
  const histories = Number(MODEL_HISTORIES ?? usually);
  return { seed, replay, histories, isLong: MODEL_HISTORIES !== undefined };
}

export interface Asked extends Pick<CampaignOptions, 'seed' | 'replay' | 'histories'> {
  readonly isLong: boolean;
}

/**
 * Plays random histories, one after the other. One that goes wrong is shrunk.
 * @throws Error with what was broken, the shortest history found, and how to play it again
 */
export async function playHistories(arena: Arena, options: CampaignOptions): Promise<Tally> {
  const { replay, seed, timeLimitMs, shrinkLimitMs, test } = options;
  const tally = { ...NOTHING };
  const which = replay === undefined ? (seed === undefined ? {} : { seed }) : { seed: replay.seed, path: replay.path };
  const first = await fc.check(propertyOn(arena, options, tally, timeLimitMs), {
    ...which,
    numRuns: options.histories,
    endOnFailure: true,
  });
  if (!first.failed) return tally;
  if (replay !== undefined) throw new Error(reportOf(first, test), { cause: first.errorInstance });
  const again = await fc.check(propertyOn(arena, options, tally, shrinkLimitMs), {
    seed: first.seed,
    ...(first.counterexamplePath === null ? {} : { path: first.counterexamplePath }),
  });
  const shortest = again.failed ? again : first;
  throw new Error(reportOf(shortest, test), { cause: shortest.errorInstance });
}

/** @param limitMs after that no history begins: fast-check would leave the one under way to itself */
function propertyOn(arena: Arena, { commands, replay }: CampaignOptions, tally: Tally, limitMs: number) {
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
    addTo(tally, trial.tally);
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
    `a history went wrong: ${errorInstance instanceof Error ? errorInstance.message : errorInstance}`,
    `after ${numShrinks} shrinks: ${text.replace(/ *\/\*.*\*\/$/, '').replaceAll(',', '\n  ')}`,
    `to play it again: ${again} npx vitest run ${test}`,
  ].join('\n');
}
