import { connect, createServer } from 'node:net';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseMapping } from '../../src/capture/mapping-file.ts';
import { PatientPublisher } from '../../src/capture/publishing.ts';
import { migrate } from '../../src/mysql/migrate.ts';
import type { OutgoingTask } from '../../src/transport/task-publisher.ts';
import { capturing } from '../support/capturing.ts';
import { loggedMysql, WITH_GTIDS } from '../support/logged-mysql.ts';
import { silent } from '../support/outbox-bench.ts';
import { sql } from '../support/servers.ts';
import { until } from '../support/until.ts';

/** Megabytes of one transaction. The long form: 500. */
const MEGABYTES = Number(process.env.CAPTURE_MEGABYTES ?? 12);

const TABLES = [
  'CREATE TABLE t (a BIGINT UNSIGNED NOT NULL, b BIGINT UNSIGNED NOT NULL, c LONGTEXT, PRIMARY KEY (a, b))',
  'CREATE TABLE numbers (n INT UNSIGNED PRIMARY KEY)',
  'CREATE TABLE digits (d INT)',
  'INSERT INTO digits VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)',
  `INSERT INTO numbers SELECT a.d + 10 * b.d + 100 * c.d + 1000 * d.d + 10000 * e.d
   FROM digits a, digits b, digits c, digits d, digits e`,
];
const MAPPING = 'version: 1\ntables:\n  - { table: t, hint: contact, user: a, contact: b }\n';

describe('a large transaction', () => {
  const mysql = loggedMysql([...WITH_GTIDS, '--max-allowed-packet=64M']);

  async function site() {
    const url = await mysql.createDatabase();
    await migrate({ url });
    await sql(url, ...TABLES);
    return { url, mapping: parseMapping(MAPPING, { file: 'capture.yaml', schema: new URL(url).pathname.slice(1) }) };
  }

  it(
    'is read to its end over a link that takes longer for it than silence may last',
    async () => {
      const { url, mapping } = await site();
      const link = await slowLink(url, 4 * 2 ** 20);
      const { tasks, gaps } = await capturing(url, mapping, { logUrl: link.url, stallMs: 2_000 });
      await until(() => gaps.length === 1);
      const before = process.memoryUsage().rss;
      await sql(
        url,
        'START TRANSACTION',
        ...Array.from(
          { length: MEGABYTES },
          (_, i) => `INSERT INTO t SELECT ${1000 + i}, 1 + n, REPEAT('x', 10400) FROM numbers WHERE n < 100`,
        ),
        'COMMIT',
        'INSERT INTO t VALUES (7, 8, NULL)',
      );
      const isThere = () => tasks.some(({ task }) => 'user' in task && task.user === '7');
      await until(isThere, { timeout: 30_000 + MEGABYTES * 1_000 });
      expect(link.connections()).toBe(1);
      expect(tasks.length).toBe(MEGABYTES * 100 + 1);
      expect(gaps).toHaveLength(1);
      // The values are never kept: no more than what is on its way.
      expect(process.memoryUsage().rss - before).toBeLessThan(300 * 2 ** 20);
    },
    120_000 + MEGABYTES * 2_000,
  );

  it('is published once over a transport that takes longer for it than silence may last', async () => {
    const { url, mapping } = await site();
    const taken: OutgoingTask[] = [];
    const publish = async (tasks: readonly OutgoingTask[]) => {
      await sleep(50); // a slow transport
      taken.push(...tasks);
    };
    const publisher = new PatientPublisher({ publish, checkRoom: async () => undefined }, silent, 'test');
    const { gaps } = await capturing(url, mapping, { publisher, stallMs: 1_000 });
    await until(() => gaps.length === 1);
    await sql(
      url,
      'INSERT INTO t SELECT 5, 10 + n, NULL FROM numbers WHERE n < 60000',
      'INSERT INTO t VALUES (7, 8, NULL)',
    );
    await until(() => taken.some(({ task }) => 'user' in task && task.user === '7'));
    expect(taken).toHaveLength(60_001);
  });
});

/** @param rate bytes a second, of what the server sends */
async function slowLink(url: string, rate: number) {
  let count = 0;
  const { hostname, port } = new URL(url);
  const listener = createServer((client) => {
    count += 1;
    const server = connect(Number(port), hostname);
    client.pipe(server);
    server.on('data', (chunk) => {
      server.pause();
      client.write(chunk);
      setTimeout(() => server.resume(), (chunk.length / rate) * 1_000);
    });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on('error', () => undefined);
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void listener.close());
  const address = listener.address();
  const slow = new URL(url);
  slow.host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return { url: slow.href, connections: () => count };
}
