import type { Config } from '../config/config.ts';
import { METRICS_PORTS } from '../config/readiness-url.ts';
import { checkGrants, checkPrimary, checkSchema } from '../health/check-mysql.ts';
import { OutboxJanitor } from '../relay/janitor.ts';
import { OutboxRelay } from '../relay/relay.ts';
import { everyKind, siteOf } from '../site/site.ts';
import { openLogger } from '../tracing/logger.ts';
import { checkedPublisher, relayChecks } from './checks.ts';
import { droppedLettersCounter, measureFill, measureOutboxLag, relayCounters } from './metrics.ts';
import { createRegistry, serveMetrics } from './metrics-server.ts';
import { adoptDatabase, mysqlAddress, openPrimary, untilMysqlAnswers } from './open-mysql.ts';
import { closeRedis, openRedisClient } from './open-redis.ts';
import { relayReports } from './reports.ts';
import { inBackground, type ProcessContext, runProcess, whileLeading } from './run-process.ts';
import { agreedSettings, agreeOnSettings, watchSettings } from './shared-settings.ts';
import { inForce } from './shared-sizes.ts';
import { createLeases } from './stores.ts';
import { openSmallLane } from './transport.ts';

const HOUR_MS = 3_600_000;

/** Lease of the janitor, which one of the relays runs. While Redis is unavailable old rows stay; publishing continues. */
const JANITOR_LEASE = { ttlMs: 30_000, retryMs: 1_000 };

/** Runs the relay until a signal ends it. @throws StartError */
export async function relay(config: Config): Promise<void> {
  const logger = openLogger(config, 'relay');
  await runProcess({ config, logger }, async (context) => await startRelay(await inForce(context)));
}

async function startRelay(context: ProcessContext): Promise<void> {
  const { config, logger, resources, signal } = context;
  const { mysqlUrl: url, startTimeoutMs: timeoutMs } = config;

  // Open and check.
  // A transaction lasts until the transport has accepted its rows.
  const extraMs = config.transport === 'kafka' ? config.kafkaTimeoutMs : config.redisTimeoutMs;
  const database = adoptDatabase(context, openPrimary(config, { extraMs, connections: 3 }));
  await untilMysqlAnswers(database, { url, setting: 'RECENCY_MYSQL_URL', timeoutMs, signal });
  const { user } = mysqlAddress(url);
  await checkSchema(database, user, siteOf(config));
  await checkPrimary(database);
  await checkGrants(database, 'relay', user);
  await agreedSettings(database, config);
  const transport = openSmallLane({ ...context, primary: database }, 'relay');
  await transport.untilReady(signal);
  await agreeOnSettings(database, config, transport);

  // Measure.
  const registry = createRegistry('relay');
  const dropped = droppedLettersCounter(registry);
  const publisher = resources.adopt(transport.openPublisher(), (opened) => opened.close());
  const deadLetters = resources.adopt(transport.openDeadLetters(dropped), (opened) => opened.close());

  measureOutboxLag(registry, database);
  measureFill(registry, transport);
  const checked = checkedPublisher(publisher);
  const checks = relayChecks(database, transport, checked.check);
  await serveMetrics(context, { registry, checks, reports: relayReports(database), port: METRICS_PORTS.relay });

  // Publish.
  const outbox = new OutboxRelay({
    kinds: everyKind(siteOf(config)),
    database,
    publisher: checked,
    deadLetters,
    logger,
    onPublished: relayCounters(registry),
  });
  const janitor = new OutboxJanitor({ database, keepMs: config.outboxKeepHours * HOUR_MS, logger });
  inBackground(context, (ending) => watchSettings(context, { primary: database, transport }, ending));
  const redis = resources.adopt(openRedisClient(config, 'relay-lease', logger), closeRedis);
  const leases = createLeases(config, { primary: database, redis }, JANITOR_LEASE);
  const cleaning = { name: 'janitor', work: (held: AbortSignal) => janitor.run(held), logger };
  inBackground(context, (ending) => whileLeading(leases, cleaning, ending));
  inBackground(context, (ending) => outbox.run(ending));
  logger.info({ transport: config.transport, topic: config.topic }, 'relaying the outbox');
}
