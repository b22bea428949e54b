import { describeServer, startDevServers } from '../../src/tools/devservers/devservers.ts';
import { ProcessLogs } from '../../src/tools/harness/processes/process-logs.ts';
import type { SoakOptions } from './options.ts';
import { failureLines, roundLine, type SoakReport } from './report.ts';
import { playRound } from './round.ts';
import { openWorld, type World } from './world.ts';

/** Duration of a round before it comes to rest, ms. */
const [SHORTEST, LONGEST] = [1_000, 15_000];

const LONGEST_LINE = 400;

/**
 * Plays rounds on each transport in turn until the time is over or something was wrong. Everything it started is gone
 * when it returns or throws.
 * @throws Error when a server is not available or fails; the signal's reason
 */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { print, signal } = options;
  await using resources = new AsyncDisposableStack();
  const logs = new ProcessLogs('soak');
  resources.defer(() => logs.remove());
  const stack = resources.use(
    await startDevServers({ install: true, redis: false, kafka: options.transports.includes('kafka') }),
  );
  for (const part of stack.parts) print(describeServer(part));
  for (const { reason } of stack.missing) print(`without Kafka: ${reason}`);
  const transports = options.transports.filter((transport) => transport === 'streams' || stack.kafkaBrokers !== null);
  const worlds: World[] = [];
  for (const transport of transports) {
    worlds.push(await openWorld(transport, { ...options, stack, logs, resources }));
  }
  try {
    const report = await playRounds(worlds, options);
    if (report.wrong.length > 0) print(withoutWarnings(logs.lastWords()));
    return report;
  } catch (error) {
    if (!signal.aborted) print(withoutWarnings(logs.lastWords()));
    throw error;
  }
}

/** Drops warnings, which a soak causes in masses, and cuts long lines. */
function withoutWarnings(lastWords: string): string {
  const lines = lastWords.split('\n').filter((line) => !line.startsWith('{"level":"warn"'));
  return lines.map((line) => line.slice(0, LONGEST_LINE)).join('\n');
}

async function playRounds(
  worlds: readonly World[],
  { minutes, seed, print, signal }: SoakOptions,
): Promise<SoakReport> {
  const begun = performance.now();
  const seconds = () => (performance.now() - begun) / 1000;
  const wrong: string[] = [];
  const playMs = Math.min(Math.max(minutes * 60_000, SHORTEST), LONGEST);
  for (let round = 0; seconds() < minutes * 60 || round < worlds.length; round++) {
    const world = worlds[round % worlds.length];
    if (world === undefined) break;
    const found = await playRound(world, playMs).catch((error: unknown) => {
      if (!signal.aborted) print(failureLines(world).join('\n'));
      throw error;
    });
    wrong.push(...found);
    print(roundLine(seconds(), world));
    if (wrong.length === 0) continue;
    print([...wrong, ...failureLines(world)].join('\n'));
    break;
  }
  return { seed, seconds: seconds(), worlds, wrong };
}
