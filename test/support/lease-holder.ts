/**
 * A process that holds a lease and writes under it, which a test stops and continues. It prints one JSON object per
 * line: the run that it started, that its lease was lost, and the outcome of its late write.
 */
import process from 'node:process';
import { createRun, saveRun } from '../../src/mysql/runs.ts';
import { openRedis, untilReady } from '../../src/redis/connection.ts';
import { ContactsDatabase } from './contacts-database.ts';
import { leasesOn } from './leases.ts';

const [mysqlUrl, redisUrl, prefix, ttl] = process.argv.slice(2) as [string, string, string, string];
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);

const primary = new ContactsDatabase(mysqlUrl, { connections: 2, queue: 10, deadlineMs: 60_000 });
const redis = openRedis(redisUrl, { commandTimeoutMs: 5_000, connectTimeoutMs: 5_000, name: 'lease-holder' });
await untilReady(redis, 5_000);

await leasesOn({ redis, primary, prefix }, { ttlMs: Number(ttl) }).hold('job', async ({ name, token, lost }) => {
  const fence = { lease: name, token };
  const id = await createRun(primary, fence, { kind: 'repair', parameters: {}, counts: {} }, Date.now());
  say({ run: id, token });
  await new Promise((resolve) => lost.addEventListener('abort', resolve));
  say({ lost: String(lost.reason) });
  await saveRun(primary, fence, { id, state: 'running', cursor: '9', counts: {} }, Date.now()).then(
    () => say({ written: true }),
    (error: Error) => say({ written: false, error: error.name }),
  );
});
await primary.close();
redis.disconnect();
