import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../src/mysql/migrate.ts';
import { type RunningServer, startKafka, startMysql, startRedis } from '../../src/tools/devservers/start-server.ts';
import { type CliProcess, type Settings, startProcess } from '../support/cli.ts';
import { indexedSite } from '../support/indexed-site.ts';
import { hasKafka, sql } from '../support/servers.ts';
import { until } from '../support/until.ts';

const CONTACTS = Array.from({ length: 20 }, (_, i) => String(2 + i));

/** The default of SHUTDOWN_TIMEOUT_MS, ms. */
const PROMISED_MS = 10_000;

/** Sends SIGTERM. Returns after how many ms the process was gone. */
async function terminated(cli: CliProcess): Promise<number> {
  const from = performance.now();
  cli.signal('SIGTERM');
  await cli.ended;
  return performance.now() - from;
}

describe.each(['streams', ...(hasKafka() ? ['kafka' as const] : [])] as const)(
  'SIGTERM while every server hangs, on %s',
  { timeout: 240_000 },
  (transport) => {
    let servers: RunningServer[] = [];
    let settings: Settings & { MYSQL_URL: string };

    beforeAll(async () => {
      servers = await Promise.all([startMysql(), startRedis(), ...(transport === 'kafka' ? [startKafka()] : [])]);
      const [mysql, redis, kafka] = servers;
      settings = {
        ...{ MYSQL_URL: String(mysql?.url), REDIS_URL: String(redis?.url), TRANSPORT: transport, PORT: '0' },
        ...(kafka ? { KAFKA_BROKERS: kafka.url } : {}),
      };
      await migrate({ url: settings.MYSQL_URL });
      await indexedSite(settings, ['1'], CONTACTS);
    }, 120_000);
    afterAll(() => Promise.all(servers.map((server) => server.remove())));

    const signalAll = async (signal: NodeJS.Signals): Promise<void> => {
      await Promise.all(servers.map((server) => server.kill(signal)));
    };

    /** Creates work for all three: pending tasks and unanswered requests. */
    async function keepBusy(serve: CliProcess): Promise<void> {
      const rows = Array.from({ length: 2_000 }, (_, i) => `('recency.contact.changed', 1, ${2 + (i % 20)})`);
      await sql(settings.MYSQL_URL, `INSERT INTO recency_outbox (type, user_id, other_id) VALUES ${rows}`);
      const address = /"address":"(http:[^"]+)"/.exec(serve.stdout)?.[1];
      const ask = () => fetch(`${address}/v1/users/1/contacts/recent`).then((response) => response.status);
      await until(async () => (await ask()) === 200);
      for (let i = 0; i < 5; i++) void ask().catch(() => undefined);
    }

    it.each([0, 3_000])(
      'ends serve, consume and relay within 10 s, %i ms after they began to hang',
      async (afterMs) => {
        const processes = await Promise.all([
          startProcess('serve', settings),
          startProcess('consume', settings),
          startProcess('relay', settings),
        ]);
        await keepBusy(processes[0]);
        await signalAll('SIGSTOP');
        onTestFinished(() => signalAll('SIGCONT'));
        const from = performance.now();
        await until(() => performance.now() - from >= afterMs);
        const took = await Promise.all(processes.map(terminated));
        for (const ms of took) expect(ms).toBeLessThan(PROMISED_MS);
      },
    );
  },
);
