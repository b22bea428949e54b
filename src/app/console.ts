import type { Registry } from 'prom-client';
import type { Access } from '../api/authorize.ts';
import { HttpProblem } from '../api/http-problem.ts';
import type { Readiness } from '../api/readiness.ts';
import type { Route } from '../api/route.ts';
import type { Config } from '../config/config.ts';
import { COUNTED_LETTERS } from '../console/pages/overview.ts';
import { consoleRoutes } from '../console/routes.ts';
import { Sessions } from '../console/sessions.ts';
import type { ConsoleKind, ConsoleSources, Examined } from '../console/sources.ts';
import type { Kind } from '../contracts/kind.ts';
import { backlogChecks } from '../health/backlog-checks.ts';
import { type Checks, examine } from '../health/finding.ts';
import { samplerChecks } from '../health/sampler-checks.ts';
import { bumpEpoch } from '../index/epoch.ts';
import { WatchedUsers } from '../index/redis/watched-users.ts';
import { readEpochState } from '../mysql/losses.ts';
import { latestRuns } from '../mysql/runs.ts';
import type { AppliedWatermark } from '../query/applied-watermark.ts';
import { ContactsTooMany } from '../repair/failed-users.ts';
import { IndexCheck } from '../repair/index-check.ts';
import { runProgress } from '../repair/run-progress.ts';
import { SamplerReports } from '../repair/sampler/report.ts';
import { Deadline } from '../timing/deadline.ts';
import type { DeadLetters } from '../transport/dead-letters.ts';
import type { LanedTransport } from '../transport/transport.ts';
import type { apiQueries } from './api-queries.ts';
import { recordHistory } from './history.ts';
import { shared } from './metrics.ts';
import { type ProcessContext, readVersion } from './run-process.ts';
import { limitsOf } from './shared-sizes.ts';
import type { KindStores, Stores } from './stores.ts';

/** How long the count of dead letters is kept, ms: over Kafka it reads them. */
const LETTERS_KEPT_MS = 5_000;

/** How long the count is known after somebody looked, ms: an open page looks every few seconds. */
const COUNT_KNOWN_MS = 15_000;

/** How long what checks found is kept, ms: everybody who has the overview open asks. */
const FINDINGS_KEPT_MS = 2_000;

interface ConsoleParts {
  readonly stores: Stores;
  readonly transport: LanedTransport;
  readonly queries: ReturnType<typeof apiQueries>;
  readonly isAnswering: () => boolean;
  readonly access: Access;
  readonly deadLetters: Pick<DeadLetters, 'list' | 'get' | 'naming' | 'replay' | 'discard'>;
  readonly watermark: Pick<AppliedWatermark, 'lagShownMs'>;
  readonly registry: Registry;
}

/** The console's routes; undefined: it is off. */
export function openConsole(
  context: ProcessContext,
  parts: ConsoleParts,
): ((readiness: Pick<Readiness, 'check'>) => readonly Route[]) | undefined {
  const { config, logger } = context;
  if (config.console === 'off') return undefined;
  const known = sourcesOf(context, parts);
  const letters = countedLetters(known.firstLetters);
  const sources = { ...known, firstLetters: letters.list, history: historyOf(context, parts, known, letters.count) };
  const { isAnswering, access } = parts;
  const sessions = new Sessions({ access, clock: Date.now });
  return (readiness) =>
    consoleRoutes({ ...sources, checks: () => readiness.check() }, { sessions, isAnswering, logger, clock: Date.now });
}

type KnownSources = Omit<ConsoleSources, 'checks' | 'history'>;

function historyOf(
  context: ProcessContext,
  { registry, watermark, transport, queries }: ConsoleParts,
  { sampler }: Pick<KnownSources, 'sampler'>,
  letters: () => number | undefined,
): ConsoleSources['history'] {
  return recordHistory(context, {
    registry,
    watermark,
    sampler,
    letters,
    waiting: (lane) => transport[lane].lag(),
    fanOuts: () => queries.fanOuts(new Deadline(context.config.requestTimeoutMs)),
  });
}

/** Notes how many letters there were when somebody last asked. */
function countedLetters(list: ConsoleSources['firstLetters']) {
  let last = { count: 0, until: 0 };
  return {
    list: async () => {
      const found = await list();
      last = { count: found.length, until: performance.now() + COUNT_KNOWN_MS };
      return found;
    },
    count: () => (performance.now() < last.until ? last.count : undefined),
  };
}

function sourcesOf(
  context: ProcessContext,
  { stores, transport, queries, watermark, deadLetters }: ConsoleParts,
): KnownSources {
  const { config } = context;
  const { primary, redis, kinds } = stores;
  const primaries = kinds.map((of) => of.primary);
  const backlog = backlogChecks({
    watermark,
    primary,
    delayQueues: kinds.map(({ delayQueue }) => delayQueue),
    watched: new WatchedUsers(redis, config.keyPrefix).queue,
    transport,
  });
  return {
    version: readVersion(),
    lagMs: (lane) => watermark.lagShownMs(lane),
    backlog: examining('backlog', backlog),
    consistency: examining('consistency', samplerChecks(redis, config)),
    epoch: () => readEpochState(primary),
    bumpEpoch: (why) => bumpEpoch(primary, why),
    fanOuts: queries.fanOuts,
    deadLetters,
    firstLetters: shared(() => deadLetters.list({ limit: COUNTED_LETTERS }), LETTERS_KEPT_MS),
    runs: async (count) => {
      const found = await latestRuns(primary, count);
      return await Promise.all(found.map((run) => runProgress(run, primaries, Date.now())));
    },
    max: config.max,
    sampler: new SamplerReports(redis, config.keyPrefix),
    kinds: kinds.map((of) => ({ ...queriesOf(of.kind, queries), kind: of.kind, compare: comparing(config, of) })),
  };
}

function examining(area: string, checks: Checks): () => Promise<Examined> {
  return shared(async () => ({ findings: await examine(area, checks), at: Date.now() }), FINDINGS_KEPT_MS);
}

function queriesOf(
  { name }: Kind,
  queries: ConsoleParts['queries'],
): Pick<ConsoleKind, 'explain' | 'inspect' | 'rebuild'> {
  const found = queries.answers.find(({ kind }) => kind.name === name);
  if (found === undefined) throw new RangeError(`${name} are not in use`);
  return found;
}

/** As `verify` compares. */
function comparing(config: Config, { index, primary }: KindStores): ConsoleKind['compare'] {
  const now = () => performance.now();
  const check = new IndexCheck({ index, primary, limits: limitsOf(config), now, aloneMs: config.mysqlTimeoutMs });
  return async (user, deadline) => {
    try {
      return await check.sideBySide(user, deadline);
    } catch (error) {
      throw error instanceof ContactsTooMany ? new HttpProblem('index_slow', { detail: `${error.message}.` }) : error;
    }
  };
}
