import type { MetricValue, Registry } from 'prom-client';
import {
  answersSeries,
  GAUGES,
  History,
  type HistoryWindow,
  lagSeries,
  latencySeries,
  mergeHistories,
  SAMPLE_MS,
  type Sample,
  waitingSeries,
} from '../console/history.ts';
import { LANES, type Lane } from '../contracts/bulk-task.ts';
import type { AppliedWatermark } from '../query/applied-watermark.ts';
import type { SamplerReports } from '../repair/sampler/report.ts';
import { loop } from '../timing/loop.ts';
import { historyOfAll } from './ask-workers.ts';
import { inBackground, type ProcessContext } from './run-process.ts';

/** What a sample is taken from. Only what this process counts and measures anyway is read every time. */
interface SampledParts {
  readonly registry: Registry;
  readonly watermark: Pick<AppliedWatermark, 'lagShownMs'>;
  /** Asked every half minute, because a server has to answer. */
  readonly waiting: (lane: Lane) => Promise<number | undefined>;
  readonly fanOuts: () => Promise<readonly unknown[]>;
  readonly sampler: Pick<SamplerReports, 'read'>;
  /** How many dead letters there were when somebody last looked; undefined: nobody does. */
  readonly letters: () => number | undefined;
}

/** Between two questions to Redis and the transport, ms. */
const ASKED_EVERY_MS = 30_000;

/** Takes samples until the process ends. @returns reads those of all workers that are later than a time, ms since 1970 UTC */
export function recordHistory(
  context: Pick<ProcessContext, 'resources' | 'fail' | 'signal' | 'logger'>,
  parts: SampledParts,
): (after: number) => Promise<HistoryWindow> {
  const history = new History();
  const sampler = new HistorySampler(parts);
  let isFirst = true;
  const round = async () => {
    const now = Date.now();
    // A timer may be a moment early.
    if (!isFirst) history.add(Math.round(now / SAMPLE_MS) * SAMPLE_MS, await sampler.sample(now));
    isFirst = false;
    return nextSampleIn(Date.now());
  };
  inBackground(context, (signal) => loop({ signal, round }));
  const ofAll = historyOfAll((after) => history.after(after));
  return async (after) => mergeHistories(await ofAll(after));
}

/** ms until the next multiple, and not the one that a timer was a moment too early for. */
function nextSampleIn(now: number): number {
  return (Math.round(now / SAMPLE_MS) + 1) * SAMPLE_MS - now;
}

/** Reads what there is to read at one moment. */
class HistorySampler {
  readonly #parts: SampledParts;
  /** The counters as they were at the last sample. */
  #before: ReadonlyMap<string, number> = new Map();
  #asked: Sample = {};
  #askAgainAt = 0;

  constructor(parts: SampledParts) {
    this.#parts = parts;
  }

  /** @param now ms since 1970 UTC */
  async sample(now: number): Promise<Sample> {
    const counts = await countsOf(this.#parts.registry);
    const increases = [...counts].map(([name, count]) => [name, count - (this.#before.get(name) ?? 0)] as const);
    this.#before = counts;
    if (now >= this.#askAgainAt) {
      this.#askAgainAt = now + ASKED_EVERY_MS;
      this.#ask();
    }
    const { watermark, letters } = this.#parts;
    const lags = LANES.map((lane) => [lagSeries(lane), watermark.lagShownMs(lane) ?? Number.NaN] as const);
    return {
      ...Object.fromEntries([...increases, ...lags]),
      ...this.#asked,
      [GAUGES.letters]: letters() ?? Number.NaN,
    };
  }

  /** Does not wait: a server that hangs must not hold up the samples. */
  #ask(): void {
    const { waiting, fanOuts, sampler } = this.#parts;
    const note = (read: Promise<Sample>, names: readonly string[]) => {
      const unknown = Object.fromEntries(names.map((name) => [name, Number.NaN]));
      read.then(
        (found) => Object.assign(this.#asked, unknown, found),
        () => Object.assign(this.#asked, unknown),
      );
    };
    for (const lane of LANES) {
      const name = waitingSeries(lane);
      note(
        waiting(lane).then((tasks = Number.NaN) => ({ [name]: tasks })),
        [name],
      );
    }
    note(
      fanOuts().then(({ length }) => ({ [GAUGES.fanOuts]: length })),
      [GAUGES.fanOuts],
    );
    note(sampler.read().then(driftOf), [GAUGES.wrong, GAUGES.visible]);
  }
}

function driftOf(read: Awaited<ReturnType<SamplerReports['read']>>): Sample {
  if (read === undefined) return {};
  const { wrong, visible } = read.report.windows['5m'];
  return { [GAUGES.wrong]: wrong, [GAUGES.visible]: visible };
}

/** Answers by source and reason, and requests by how long they took, since the process started. */
async function countsOf(registry: Registry): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const add = (name: string, value: number) => counts.set(name, (counts.get(name) ?? 0) + value);
  for (const { labels, value } of await valuesOf(registry, 'recency_answers_total'))
    add(answersSeries(String(labels.source), String(labels.reason)), value);
  for (const { labels, value } of await valuesOf(registry, 'recency_http_request_duration_seconds'))
    if (labels.le !== undefined && String(labels.route).startsWith('/v1/')) add(latencySeries(labels.le), value);
  return counts;
}

async function valuesOf(registry: Registry, name: string): Promise<readonly MetricValue<string>[]> {
  return (await registry.getSingleMetric(name)?.get())?.values ?? [];
}
