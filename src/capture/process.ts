import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { NotReady } from '../api/readiness.ts';
import { checkedPublisher, primaryCheck } from '../app/checks.ts';
import { captureMetrics } from '../app/metrics.ts';
import { createRegistry, serveMetrics } from '../app/metrics-server.ts';
import { adoptDatabase, mysqlAddress, openPrimary, untilMysqlAnswers } from '../app/open-mysql.ts';
import { closeRedis, openRedisClient } from '../app/open-redis.ts';
import { inBackground, type ProcessContext, runProcess, TIMES, type Times, whileLeading } from '../app/run-process.ts';
import { agreedSettings, agreeOnSettings, watchSettings } from '../app/shared-settings.ts';
import { inForce } from '../app/shared-sizes.ts';
import { createLeases } from '../app/stores.ts';
import { openSmallLane } from '../app/transport.ts';
import type { Config } from '../config/config.ts';
import { METRICS_PORTS } from '../config/readiness-url.ts';
import { StartError } from '../config/start-error.ts';
import { checkGrants, checkPrimary, checkSchema } from '../health/check-mysql.ts';
import { bumpKeepingSuspension } from '../index/epoch.ts';
import type { Database } from '../mysql/database.ts';
import { StaleFence } from '../mysql/leases.ts';
import { readServer } from '../mysql/server-record.ts';
import { everyKind, siteOf } from '../site/site.ts';
import { openLogger } from '../tracing/logger.ts';
import { Capture } from './capture.ts';
import type { LogReading } from './capture-checks.ts';
import type { ChangeSource } from './change-source.ts';
import { checkCapture } from './check.ts';
import { type HintBatch, hintBatches } from './hints.ts';
import { readUnloggedArrivals } from './logged-changes.ts';
import { lookUpIds } from './look-ups.ts';
import { type Mapping, mappingDigest } from './mapping.ts';
import { parseMapping } from './mapping-file.ts';
import { openChanges } from './open-sources.ts';
import { PatientPublisher } from './publishing.ts';

const LEASE = 'capture';

interface CaptureFlags {
  readonly from: LogReading;
  /** The file of the mapping. */
  readonly mapping: string;
  /** Print what would be published; write nothing. */
  readonly dryRun: boolean;
}

/** Captures changes until a signal ends it. @throws StartError, MappingError */
export async function capture(config: Config, flags: CaptureFlags, times: Partial<Times> = {}): Promise<void> {
  const mapping = await readMapping(flags.mapping, config);
  const context = { config, logger: openLogger(config, 'capture', flags.dryRun ? 2 : 1) };
  await runProcess(context, async (started) =>
    flags.dryRun
      ? await startDryRun(started, mapping, flags.from)
      : await startCapture(await inForce(started), mapping, flags.from, { ...TIMES, ...times }),
  );
}

/** @throws StartError when there is no such file, MappingError */
export async function readMapping(file: string, config: Config): Promise<Mapping> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const message = `The mapping ${file} cannot be read (${error.code}). Name it with --mapping or RECENCY_CAPTURE_MAPPING.`;
    throw new StartError(message, { cause: error });
  });
  return parseMapping(text, { file, schema: mysqlAddress(config.mysqlUrl).database, kinds: everyKind(siteOf(config)) });
}

async function startCapture(context: ProcessContext, mapping: Mapping, from: LogReading, times: Times): Promise<void> {
  const { config, logger, resources, signal } = context;

  // Open and check.
  const { database, behind } = await openAndCheck(context, mapping, from, 'capture');
  let { views } = behind;
  const changes = await openChanges(context, { database, mapping, views: () => views }, from);
  await agreedSettings(database, config);
  const transport = openSmallLane({ ...context, primary: database }, 'capture');
  await transport.untilReady(signal);
  await agreeOnSettings(database, config, transport);
  const publisher = checkedPublisher(resources.adopt(transport.openPublisher(), (opened) => opened.close()));

  // Capture, under a lease.
  const registry = createRegistry('capture');
  const metrics = captureMetrics(registry, () => capturing.lagMs);
  const capturing = new Capture({
    database,
    source: from,
    ...changes,
    begin: hintBatches(mapping),
    mapping: mappingDigest(mapping),
    server: async () => `${(await readServer(database)).identity}${await readUnloggedArrivals(database)}`,
    check: async () => {
      const checked = await checkCapture(database, mapping, siteOf(config).kinds, from);
      mustBeCapturable(checked);
      views = checked.behind.views;
      await changes.check();
    },
    newEpoch: async (why) => void (await bumpKeepingSuspension(database, why)),
    publisher: new PatientPublisher(publisher, logger, randomBytes(8).toString('hex')),
    logger,
    clock: { wall: () => Date.now(), now: () => performance.now() },
    stallMs: times.stallMs,
    ...metrics,
  });
  const leading = { isLeading: false };
  const checks = {
    mysql: primaryCheck(database),
    publishing: publisher.check,
    capture: async () => stateOf(capturing, leading.isLeading, times),
  };
  await serveMetrics(context, { registry, checks, port: METRICS_PORTS.capture });
  const redis = resources.adopt(openRedisClient(config, 'capture-lease', logger), closeRedis);
  const leases = createLeases(config, { primary: database, redis }, leaseTimes(config, times));
  inBackground(context, (ending) => watchSettings(context, { primary: database, transport }, ending));
  const work = (held: AbortSignal, token: string) => leadCapture(context, from, capturing, leading, { held, token });
  inBackground(context, (ending) => whileLeading(leases, { name: LEASE, work, logger }, ending));
  logger.info({ transport: config.transport, topic: config.topic }, 'capture is ready');
}

/** Another process takes over this long after the holder was killed, ms. Longer than a statement and a command may take. */
function leaseTimes({ mysqlTimeoutMs, redisTimeoutMs }: Config, { captureLeaseMs }: Times) {
  return { ttlMs: Math.max(captureLeaseMs, mysqlTimeoutMs + redisTimeoutMs + 4_000), retryMs: 1_000 };
}

/** @throws NotReady */
function stateOf({ lastHeard, lagMs }: Capture, isLeading: boolean, { stallMs }: Times): string {
  if (!isLeading) return 'standby: another process captures';
  if (lagMs === undefined) throw new NotReady('no change has come yet');
  if (performance.now() - lastHeard > stallMs) throw new NotReady('no change comes');
  return `${(lagMs / 1000).toFixed(1)} s behind`;
}

const CAPTURING = { binlog: 'capturing the binary log', debezium: "capturing Debezium's topics" };

async function leadCapture(
  { logger, fail }: ProcessContext,
  from: LogReading,
  capturing: Capture,
  leading: { isLeading: boolean },
  { held, token }: { readonly held: AbortSignal; readonly token: string },
): Promise<void> {
  leading.isLeading = true;
  logger.info(CAPTURING[from]);
  try {
    await capturing.run({ lease: LEASE, token }, held);
  } catch (error) {
    if (error instanceof StaleFence) logger.warn({ err: error }, 'another process captures now');
    else fail(error);
  } finally {
    leading.isLeading = false;
  }
}

async function openAndCheck(
  context: ProcessContext,
  mapping: Mapping,
  from: LogReading,
  account: 'capture' | undefined,
) {
  const { config, signal } = context;
  const { mysqlUrl: url, startTimeoutMs: timeoutMs } = config;
  const database = adoptDatabase(context, openPrimary(config, { connections: 3 }));
  await untilMysqlAnswers(database, { url, setting: 'RECENCY_MYSQL_URL', timeoutMs, signal });
  const { user } = mysqlAddress(url);
  const site = siteOf(config);
  await checkSchema(database, user, site);
  await checkPrimary(database);
  if (account !== undefined) await checkGrants(database, account, user);
  const checked = await checkCapture(database, mapping, site.kinds, from);
  mustBeCapturable(checked);
  for (const { what, fix } of checked.warnings) context.logger.warn({ fix }, what);
  return { database, behind: checked.behind };
}

/** @throws StartError naming everything that is wrong */
function mustBeCapturable({ problems }: Pick<Awaited<ReturnType<typeof checkCapture>>, 'problems'>): void {
  if (problems.length === 0) return;
  const lines = problems.map(({ what, fix }) => `- ${what}. ${fix}`);
  throw new StartError(`Changes cannot be captured as MySQL and the mapping are now:\n${lines.join('\n')}`);
}

/** Prints, from now on, the tasks that would be published: JSON, one a line. Nothing is written anywhere. */
async function startDryRun(context: ProcessContext, mapping: Mapping, from: LogReading): Promise<void> {
  const { database, behind } = await openAndCheck(context, mapping, from, undefined);
  const opening = { database, mapping, views: () => behind.views, isDryRun: true };
  const { open, present } = await openChanges(context, opening, from);
  const source = open(await present());
  const begin = hintBatches(mapping);
  context.logger.info('printing what would be published; nothing is written');
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  inBackground(context, async (ending) => {
    try {
      await dryRun({ source, begin, database, print }, ending);
    } finally {
      await source.close();
    }
  });
}

interface DryRunOptions {
  readonly source: Pick<ChangeSource, 'next' | 'published'>;
  readonly begin: () => HintBatch;
  readonly database: Database;
  readonly print: (line: string) => void;
}

/** How often the signal is looked at while nothing happens, ms. */
const WAIT_MS = 1_000;

/** Prints each task as JSON, until aborted. @throws CaptureGap, ShapeMismatch, what the source throws */
export async function dryRun({ source, begin, database, print }: DryRunOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { changes } = await source.next(WAIT_MS, signal);
    const hints = begin();
    for (const change of changes) hints.add(change);
    await lookUpIds(database, hints);
    for (const task of hints.tasks) print(JSON.stringify(task));
    await source.published?.();
  }
}
