import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { ProcessLogs } from '../harness/processes/process-logs.ts';
import type { DemoOptions } from './options.ts';
import { perform } from './perform.ts';
import { prepare, type Telling } from './prepare.ts';
import { countWrong, type DemoReport, isRight, reportOf } from './report.ts';
import { count } from './story/layout.ts';
import type { Story } from './story/story.ts';
import { addresses } from './tell.ts';

export interface RunOptions {
  readonly story: Story;
  /** Ends the demonstration, wherever it is. */
  readonly signal: AbortSignal;
  /** When everything was shown, let people try it until the signal. */
  readonly staysUp: boolean;
}

const GRACE_MS = 1_000;

/**
 * Shows the whole of Recency at work on real servers. Whatever it started has ended when this returns or throws.
 * @throws Error when a part cannot be had or fails; the signal's reason when it was ended before everything was shown
 */
export async function runDemo(options: DemoOptions, { story, signal, staysUp }: RunOptions): Promise<DemoReport> {
  const failing = new AbortController();
  const ending = AbortSignal.any([signal, failing.signal]);
  const resources = new AsyncDisposableStack();
  const logs = new ProcessLogs('demo');
  resources.defer(() => logs.remove());
  const fail = (reason: Error) => failing.abort(reason);
  try {
    const report = await Promise.race([
      tellAll({ options, story, logs, resources, signal: ending, fail }),
      failure(ending),
    ]);
    if (staysUp) await stayUp(story, signal, failing.signal);
    return report;
  } catch (error) {
    if (signal.aborted) throw error;
    const reason = await causeOf(error, failing.signal);
    const lastWords = logs.lastWords();
    if (lastWords !== '') story.plain(`\n${lastWords}`);
    throw reason;
  } finally {
    fail(new Error('the demonstration has ended'));
    await resources.disposeAsync();
  }
}

async function tellAll(telling: Telling): Promise<DemoReport> {
  const { story } = telling;
  const from = performance.now();
  story.title('Recency: the main job, end to end, on real servers');
  const prepared = await prepare(telling);
  const found = await perform(telling, prepared);
  const report = reportOf({ ...found, seconds: (performance.now() - from) / 1000 });
  const { services, cast } = prepared.world;
  tellEnd(story, report);
  story.plain(addresses(services.apiUrl, cast.measured.at(-1)?.user ?? '').join('\n'));
  return report;
}

function tellEnd(story: Story, report: DemoReport): void {
  const { mysql, redis, transport, missing, seconds } = report;
  const where = `on ${mysql}, ${redis} and ${transport === 'kafka' ? 'Kafka' : 'Redis Streams'}`;
  const without = missing === undefined ? '' : `, because no Kafka could be had: ${missing}`;
  const sum = isRight(report)
    ? 'Nothing was wrong, during and after'
    : `${count(countWrong(report))} things were wrong`;
  story.end(isRight(report), `${sum}, ${where}${without}. ${Math.round(seconds)} s.`);
}

/** Resolves at the signal. @throws what ended one of the processes */
async function stayUp(story: Story, signal: AbortSignal, failing: AbortSignal): Promise<void> {
  story.plain('\nTry it. Ctrl-C ends everything.');
  if (!signal.aborted) await Promise.race([once(signal, 'abort'), failure(failing)]);
}

/** When one of the processes dies, a connection to it often breaks first; what is to be told is that it died. */
async function causeOf(error: unknown, failing: AbortSignal): Promise<unknown> {
  await Promise.race([failure(failing).catch(() => undefined), pause(GRACE_MS)]);
  return failing.aborted ? failing.reason : error;
}

/** Rejects with the signal's reason when it is aborted. */
async function failure(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}
