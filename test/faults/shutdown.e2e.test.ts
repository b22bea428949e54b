import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../src/mysql/migrate.ts';
import { settledWithin } from '../../src/timing/deadline.ts';
import { type RunningServer, startKafka, startMysql, startRedis } from '../../src/tools/devservers/start-server.ts';
import { type CliProcess, type Settings, startProcess } from '../support/cli.ts';
import { indexedSite } from '../support/indexed-site.ts';
import { shortOrLong } from '../support/length.ts';
import { loggedMysql, WITH_GTIDS } from '../support/logged-mysql.ts';
import { mappingFile } from '../support/reference-mapping.ts';
import { freshName, freshPrefix, hasKafka, kafkaBrokers, redisUrl, sql } from '../support/servers.ts';
import { until } from '../support/until.ts';

const CONTACTS = Array.from({ length: 20 }, (_, i) => String(2 + i));

type Site = Settings & { readonly MYSQL_URL: string };

/** Less than the default, and than the time limits of the servers' clients together, ms. */
const SHUTDOWN_TIMEOUT_MS = 4_000;

/** As long as the statements of the clients may take, or less, ms. */
const PATIENT_TIMEOUT_MS = 8_000;

/** A process that waits for a server takes longer than this; a busy machine does not, ms. */
const ENDED_MS = 30_000;

/** Creates work for all three: pending tasks and unanswered requests. */
async function keepBusy(serve: CliProcess, { MYSQL_URL }: Site): Promise<void> {
  const rows = Array.from({ length: 2_000 }, (_, i) => `('recency.contact.changed', 1, ${2 + (i % 20)})`);
  await sql(MYSQL_URL, `INSERT INTO recency_outbox (type, user_id, other_id) VALUES ${rows}`);
  const address = /"address":"(http:[^"]+)"/.exec(serve.stdout)?.[1];
  const ask = () => fetch(`${address}/v1/users/1/contacts/recent`).then((response) => response.status);
  await until(async () => (await ask()) === 200);
  for (let i = 0; i < 5; i++) void ask().catch(() => undefined);
}

/** Starts its three processes, and makes them busy. */
async function startBusy(site: Site): Promise<CliProcess[]> {
  const [serve, ...others] = await Promise.all([
    startProcess('serve', site),
    startProcess('consume', site),
    startProcess('relay', site),
  ]);
  await keepBusy(serve, site);
  return [serve, ...others];
}

describe('SIGTERM while every server hangs, on each transport', () => {
  let servers: RunningServer[] = [];
  let sites: Site[] = [];

  beforeAll(async () => {
    servers = await Promise.all([startMysql(), startRedis(), ...(hasKafka() ? [startKafka()] : [])]);
    const [mysql, redis, kafka] = servers.map(({ url }) => url) as [string, string, string?];
    await sql(mysql, 'CREATE DATABASE other');
    const common = { REDIS_URL: redis, PORT: '0', SHUTDOWN_TIMEOUT_MS: `${SHUTDOWN_TIMEOUT_MS}` };
    const other = new URL('/other', mysql).href;
    sites = [
      { ...common, MYSQL_URL: mysql, TRANSPORT: 'streams' },
      ...(kafka
        ? [{ ...common, MYSQL_URL: other, TRANSPORT: 'kafka', KAFKA_BROKERS: kafka, KEY_PREFIX: 'other' }]
        : []),
    ];
    for (const site of sites) {
      await migrate({ url: site.MYSQL_URL });
      await indexedSite(site, ['1'], CONTACTS);
    }
  });
  afterAll(() => Promise.all(servers.map((server) => server.remove())));

  const signalAll = async (signal: NodeJS.Signals): Promise<void> => {
    await Promise.all(servers.map((server) => server.kill(signal)));
  };

  it.each(shortOrLong([1_500], [0, 1_500]))(
    'ends serve, consume and relay in time, %i ms after they began to hang',
    async (afterMs) => {
      const processes = (await Promise.all(sites.map(startBusy))).flat();
      await signalAll('SIGSTOP');
      onTestFinished(() => signalAll('SIGCONT'));
      await pause(afterMs);
      for (const cli of processes) cli.signal('SIGTERM');
      const ended = Promise.all(processes.map((cli) => cli.ended));
      expect(await settledWithin(ended, ENDED_MS)).toBe(true);
    },
  );
});

describe('SIGTERM while MySQL hangs', () => {
  const mysql = loggedMysql(WITH_GTIDS);

  async function site(transport: 'kafka' | 'streams'): Promise<Site> {
    const MYSQL_URL = await mysql.createDatabase();
    await migrate({ url: MYSQL_URL });
    return {
      ...{ MYSQL_URL, REDIS_URL: redisUrl(), KEY_PREFIX: freshPrefix(), CAPTURE_MAPPING: mappingFile() },
      ...{ TRANSPORT: transport, TOPIC: freshName(), PORT: '0', METRICS_PORT: '0' },
      ...{ SHUTDOWN_TIMEOUT_MS: `${PATIENT_TIMEOUT_MS}` },
      ...(transport === 'kafka' ? { KAFKA_BROKERS: kafkaBrokers().join(',') } : {}),
    };
  }

  it.each(['streams', ...(hasKafka() ? (['kafka'] as const) : [])] as const)(
    'ends every process in order, on %s',
    async (transport) => {
      const settings = await site(transport);
      const names = ['serve', 'consume', 'relay', 'notify', 'capture'] as const;
      const processes = await Promise.all(names.map((name) => startProcess(name, settings)));
      await mysql.server.kill('SIGSTOP');
      onTestFinished(() => mysql.server.kill('SIGCONT'));
      await pause(1_000); // by then each has asked something
      for (const cli of processes) cli.signal('SIGTERM');
      const codes = await Promise.all(processes.map(async (cli) => (await cli.ended).code));
      expect(codes, processes.map(({ stdout }) => stdout.slice(-2_000)).join('\n')).toEqual(names.map(() => 0));
    },
  );
});
