import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { NotReady } from '../api/readiness.ts';
import { Capture } from '../capture/capture.ts';
import { checkCapture } from '../capture/check.ts';
import { hintBatches } from '../capture/hints.ts';
import type { Mapping } from '../capture/mapping.ts';
import { parseMapping } from '../capture/mapping-file.ts';
import { PatientPublisher } from '../capture/publishing.ts';
import type { Config } from '../config/config.ts';
import { METRICS_PORTS } from '../config/default-ports.ts';
import { kindsNamed } from '../contracts/kind.ts';
import { bumpKeepingSuspension } from '../index/epoch.ts';
import type { LogReading } from '../mysql/capture-checks.ts';
import { StaleFence } from '../mysql/leases.ts';
import { readServer } from '../mysql/server-record.ts';
import { DEFAULT_STALL_MS } from '../timing/stall-detector.ts';
import { openChanges } from './capture-sources.ts';
import { checkGrants, checkPrimary, checkSchema } from './check-mysql.ts';
import { checkedPublisher, primaryCheck } from './checks.ts';
import { openLogger } from './logger.ts';
import { captureMetrics } from './metrics.ts';
import { createRegistry, serveMetrics } from './metrics-server.ts';
import { mysqlAddress, openPrimary, untilMysqlAnswers } from './open-mysql.ts';
import { closeRedis, openRedisClient } from './open-redis.ts';
import { inBackground, type ProcessContext, runProcess, whileLeading } from './run-process.ts';
import { agreedSettings, agreeOnSettings, watchSettings } from './shared-settings.ts';
import { knowSite } from './site-settings.ts';
import { StartError } from './start-error.ts';
import { createLeases } from './stores.ts';
import { openSmallLane } from './transport.ts';

const LEASE = 'capture';

export interface CaptureFlags {
  readonly from: LogReading;
  /** The file of the mapping. */
  readonly mapping: string;
  /** Print what would be published; write nothing. */
  readonly dryRun: boolean;
}

/** Captures changes until a signal ends it. @throws StartError, MappingError */
export async function capture(config: Config, flags: CaptureFlags): Promise<void> {
  knowSite(config);
  const mapping = await readMapping(flags.mapping, config);
  const context = { config, logger: openLogger(config, 'capture', flags.dryRun ? 2 : 1) };
  await runProcess(context, (started) =>
    flags.dryRun ? startDryRun(started, mapping, flags.from) : startCapture(started, mapping, flags.from),
  );
}

/** @throws StartError when there is no such file, MappingError */
export async function readMapping(file: string, { mysqlUrl }: Pick<Config, 'mysqlUrl'>): Promise<Mapping> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const message = `The mapping ${file} cannot be read (${error.code}). Name it with --mapping or RECENCY_CAPTURE_MAPPING.`;
    throw new StartError(message, { cause: error });
  });
  return parseMapping(text, { file, schema: mysqlAddress(mysqlUrl).database });
}

async function startCapture(context: ProcessContext, mapping: Mapping, from: LogReading): Promise<void> {
  const { config, logger, resources, signal } = context;

  // Open and check.
  const { database, behind } = await openAndCheck(context, mapping, from, 'capture');
  const changes = await openChanges(context, { database, mapping, views: behind.views }, from);
  await agreedSettings(database, config);
  const transport = openSmallLane(context, 'capture');
  await transport.untilAnswers(signal);
  await agreeOnSettings(database, config);
  const publisher = checkedPublisher(resources.adopt(transport.openPublisher(database), (opened) => opened.close()));

  // Capture, under a lease.
  const registry = createRegistry('capture');
  const metrics = captureMetrics(registry, () => capturing.lagMs);
  const capturing = new Capture({
    database,
    source: from,
    ...changes,
    begin: hintBatches(mapping),
    server: async () => (await readServer(database)).identity,
    check: async () => {
      mustBeCapturable(await checkCapture(database, mapping, kindsNamed(config.kinds), from));
      await changes.check();
    },
    newEpoch: async (why) => void (await bumpKeepingSuspension(database, why)),
    publisher: new PatientPublisher(publisher, logger, randomBytes(8).toString('hex')),
    logger,
    clock: { wall: () => Date.now(), now: () => performance.now() },
    stallMs: DEFAULT_STALL_MS,
    ...metrics,
  });
  const leading = { isLeading: false };
  const checks = {
    mysql: primaryCheck(database),
    publishing: publisher.check,
    capture: async () => stateOf(capturing, leading.isLeading),
  };
  await serveMetrics(context, { registry, checks, port: METRICS_PORTS.capture });
  const redis = resources.adopt(openRedisClient(config, 'capture-lease', logger), closeRedis);
  const leases = createLeases(config, { primary: database, redis }, leaseTimes(config));
  inBackground(context, (ending) => watchSettings(context, database, ending));
  const work = (held: AbortSignal, token: string) => leadCapture(context, from, capturing, leading, { held, token });
  inBackground(context, (ending) => whileLeading(leases, { name: LEASE, work, logger }, ending));
  logger.info({ transport: config.transport, topic: config.topic }, 'capture is ready');
}

/** Another process takes over this long after the holder was killed, ms. Longer than a statement and a command may take. */
function leaseTimes({ mysqlTimeoutMs, redisTimeoutMs }: Config) {
  return { ttlMs: Math.max(10_000, mysqlTimeoutMs + redisTimeoutMs + 4_000), retryMs: 1_000 };
}

/** @throws NotReady */
function stateOf({ lastHeard, lagMs = 0 }: Capture, isLeading: boolean): string {
  if (!isLeading) return 'standby: another process captures';
  if (performance.now() - lastHeard > DEFAULT_STALL_MS) throw new NotReady('no change comes');
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
  const { config, resources, signal } = context;
  const { mysqlUrl: url, startTimeoutMs: timeoutMs } = config;
  const database = resources.adopt(openPrimary(config, { connections: 3 }), (opened) => opened.close());
  await untilMysqlAnswers(database, { url, setting: 'RECENCY_MYSQL_URL', timeoutMs, signal });
  const { user } = mysqlAddress(url);
  const kinds = kindsNamed(config.kinds);
  await checkSchema(database, user, kinds);
  await checkPrimary(database);
  if (account !== undefined) await checkGrants(database, account, user);
  const checked = await checkCapture(database, mapping, kinds, from);
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
  const { dryRun } = await import('../capture/dry-run.ts');
  const { database, behind } = await openAndCheck(context, mapping, from, undefined);
  const opening = { database, mapping, views: behind.views, isDryRun: true };
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
