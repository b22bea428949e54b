import { HttpProblem } from '../api/http-problem.ts';
import type { Readiness } from '../api/readiness.ts';
import type { Route } from '../api/route.ts';
import type { Config } from '../config/config.ts';
import { COUNTED_LETTERS } from '../console/pages/overview.ts';
import { consoleRoutes } from '../console/routes.ts';
import { Sessions } from '../console/sessions.ts';
import type { ConsoleKind, ConsoleSources } from '../console/sources.ts';
import type { Kind } from '../contracts/kind.ts';
import { backlogChecks } from '../health/backlog-checks.ts';
import { samplerChecks } from '../health/sampler-checks.ts';
import { readEpochState } from '../mysql/losses.ts';
import { latestRuns } from '../mysql/runs.ts';
import type { AppliedWatermark } from '../query/applied-watermark.ts';
import { ContactsTooMany } from '../repair/failed-users.ts';
import { IndexCheck } from '../repair/index-check.ts';
import { runProgress } from '../repair/run-progress.ts';
import { SamplerReports } from '../repair/sampler/report.ts';
import type { LanedTransport } from '../transport/lanes.ts';
import type { apiQueries } from './api-queries.ts';
import { sharedDeadLetters } from './console-dead-letters.ts';
import { shared } from './metrics.ts';
import { type ProcessContext, readVersion } from './run-process.ts';
import type { KindStores, Stores } from './stores.ts';

/** How long the count of dead letters is kept, ms: over Kafka it reads them. */
const LETTERS_KEPT_MS = 5_000;

export interface ConsoleParts {
  readonly stores: Stores;
  readonly transport: LanedTransport;
  readonly queries: ReturnType<typeof apiQueries>;
  readonly hasStarted: () => boolean;
  readonly watermark: Pick<AppliedWatermark, 'lagMs'>;
}

/** The console's routes; undefined: it is off. */
export function openConsole(
  context: ProcessContext,
  parts: ConsoleParts,
): ((readiness: Pick<Readiness, 'check'>) => readonly Route[]) | undefined {
  const { config, logger } = context;
  if (config.console === 'off') return undefined;
  const sources = sourcesOf(context, parts);
  const sessions = new Sessions({ tokens: config.tokens ?? [], clock: Date.now });
  const { hasStarted } = parts;
  return (readiness) =>
    consoleRoutes({ ...sources, checks: () => readiness.check() }, { sessions, hasStarted, logger, clock: Date.now });
}

function sourcesOf(
  context: ProcessContext,
  { stores, transport, queries, watermark }: ConsoleParts,
): Omit<ConsoleSources, 'checks'> {
  const { config } = context;
  const { primary, redis, kinds } = stores;
  const deadLetters = sharedDeadLetters(context, transport, primary);
  return {
    version: readVersion(),
    lagMs: (lane) => watermark.lagMs(lane),
    backlog: backlogChecks({
      watermark,
      primary,
      delayQueues: kinds.map(({ delayQueue }) => delayQueue),
      fill: transport.fill,
      transportLag: () => transport.lag(),
      bulkLag: () => transport.bulk.lag(),
    }),
    consistency: samplerChecks(redis, config),
    epoch: () => readEpochState(primary),
    fanOuts: queries.fanOuts,
    deadLetters,
    firstLetters: shared(() => deadLetters.list({ limit: COUNTED_LETTERS }), LETTERS_KEPT_MS),
    runs: async (count) => {
      const found = await latestRuns(primary, count);
      return await Promise.all(found.map((run) => runProgress(run, kinds, Date.now())));
    },
    max: config.max,
    sampler: new SamplerReports(redis, config.keyPrefix),
    kinds: kinds.map((of) => ({ ...queriesOf(of.kind, queries), kind: of.kind, compare: comparing(config, of) })),
  };
}

function queriesOf({ name }: Kind, queries: ConsoleParts['queries']): Pick<ConsoleKind, 'explain' | 'inspect'> {
  return queries.otherAnswers.find(({ kind }) => kind.name === name) ?? queries;
}

/** As `verify` compares. */
function comparing({ max, min, mysqlTimeoutMs }: Config, { index, primary }: KindStores): ConsoleKind['compare'] {
  const now = () => performance.now();
  const check = new IndexCheck({ index, primary, limits: { max, min }, now, aloneMs: mysqlTimeoutMs });
  return async (user, deadline) => {
    try {
      return await check.sideBySide(user, deadline);
    } catch (error) {
      throw error instanceof ContactsTooMany ? new HttpProblem('index_slow', { detail: `${error.message}.` }) : error;
    }
  };
}
