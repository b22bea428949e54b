import { ProcessLogs } from '../../src/rig/processes/process-logs.ts';
import { describePart, startStack } from '../../src/stack/stack.ts';
import type { SoakOptions } from './options.ts';
import { failureLines, roundLine, type SoakReport } from './report.ts';
import { playRound } from './round.ts';
import { openWorld, type World } from './world.ts';

/**
 * Plays rounds on each transport in turn, until the minutes are over or something was wrong. Whatever it started is gone
 * when it returns or throws.
 * @throws Error when a part cannot be had or fails; the signal's reason
 */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { print, signal, seed } = options;
  await using resources = new AsyncDisposableStack();
  const logs = new ProcessLogs('soak');
  resources.defer(() => logs.remove());
  const stack = resources.use(await startStack({ redis: false, kafka: options.transports.includes('kafka') }));
  for (const part of stack.parts) print(describePart(part));
  for (const { reason } of stack.missing) print(`without Kafka: ${reason}`);
  const transports = options.transports.filter((transport) => transport === 'streams' || stack.kafkaBrokers !== null);
  const worlds: World[] = [];
  for (const transport of transports) {
    worlds.push(await openWorld(transport, { stack, logs, resources, seed, signal }));
  }
  try {
    return await playRounds(worlds, options);
  } catch (error) {
    if (!signal.aborted) print([...worlds.flatMap(failureLines), logs.lastWords()].join('\n'));
    throw error;
  }
}

async function playRounds(worlds: readonly World[], { minutes, seed, print }: SoakOptions): Promise<SoakReport> {
  const begun = performance.now();
  const seconds = () => (performance.now() - begun) / 1000;
  const wrong: string[] = [];
  const report = (): SoakReport => ({ seed, seconds: seconds(), worlds, wrong });
  for (let round = 0; seconds() < minutes * 60 || round < worlds.length; round++) {
    const world = worlds[round % worlds.length];
    if (world === undefined) break;
    wrong.push(...(await playRound(world)));
    print(roundLine(seconds(), world));
    if (wrong.length === 0) continue;
    print([...wrong, ...failureLines(world)].join('\n'));
    break;
  }
  return report();
}
