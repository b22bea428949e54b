import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Finding } from '../../src/health/finding.ts';
import { type RunningServer, startRedis } from '../../src/tools/devservers/start-server.ts';
import { uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { removeContact } from '../../src/tools/reference-site/relationships.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { type Settings, startProcess } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { indexedSite } from '../support/indexed-site.ts';
import { freshName, redisUrl } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { until } from '../support/until.ts';

const USERS = ['1', '2', '3', '4', '5'];
const CONTACTS = Array.from({ length: 20 }, (_, i) => String(101 + i));

/** A site with indexes, whose tasks are on a Redis of their own. */
async function siteOn(streams: RunningServer) {
  const settings = { ...(await serviceSettings()), STREAMS_URL: streams.url, TOPIC: freshName(), KAFKA_GROUP: 'g' };
  const pool = openSitePool(settings.MYSQL_URL, 2);
  onTestFinished(() => pool.end());
  await indexedSite(settings, USERS, CONTACTS);
  return { settings, pool };
}

const verify = async (settings: Settings) => (await runInProcess(['verify', '--json'], settings)).json().at(-1);
const epoch = async (settings: Settings) => (await runInProcess(['epoch', 'show', '--json'], settings)).json()[0];

describe('with a separate Redis for the tasks', { timeout: 300_000 }, () => {
  it('the processes carry tasks there, and its loss begins a new epoch', async () => {
    await using streams = await startRedis();
    const { settings, pool } = await siteOn(streams);
    const [consume, relay] = [
      await startProcess('consume', settings),
      await startProcess('relay', settings),
      await startProcess('serve', settings),
    ];
    await runInProcess(['backfill'], settings); // the first Redis on record for the tasks has begun an epoch
    const first = await epoch(settings);
    for (const user of USERS) await removeContact(pool, user, '120');
    await uploadPhoto(pool, '101', 0, 9_000);
    await until(async () => (await newest(settings)) === '1970-01-01T00:00:09.000Z', { interval: 200 });
    expect(await verify(settings)).toMatchObject({ warm: 5, wrong: 0, unsettled: 0, answers_wrong: 0 });
    const stream = `${settings.KEY_PREFIX}:${settings.TOPIC}`;
    const [of, beside] = [new Redis(streams.url), new Redis(redisUrl())];
    for (const redis of [of, beside]) {
      redis.on('error', () => undefined); // one of the servers is killed below
      onTestFinished(() => redis.disconnect());
    }
    expect([await of.exists(stream), await beside.exists(stream)]).toEqual([1, 0]);
    expect((await epoch(settings)).epoch).toBe(first.epoch);

    await streams.kill();
    await streams.restart();
    const second = await until(
      async () => {
        const now = await epoch(settings);
        return now.epoch !== first.epoch && now;
      },
      { interval: 100 },
    );
    expect(second.why).toMatch(/^(another Redis master of the streams|tasks were lost)/);
    await consume.says('caught up after tasks were lost'); // until then the epoch is suspended, or will be
    await uploadPhoto(pool, '102', 0, 19_000);
    expect(await runInProcess(['backfill'], settings)).toMatchObject({ code: 0 });
    await uploadPhoto(pool, '103', 0, 29_000);
    await until(async () => (await newest(settings)) === '1970-01-01T00:00:29.000Z', { interval: 200 });
    expect(await verify(settings)).toMatchObject({ warm: 5, wrong: 0, unsettled: 0, answers_wrong: 0 });
    expect(relay.stdout).not.toContain('"level":"fatal"');
  });

  it('a relay that would publish elsewhere is refused, and publishes all once it is where the others are', async () => {
    await using streams = await startRedis();
    await using elsewhere = await startRedis();
    const { settings, pool } = await siteOn(streams);
    const consume = await startProcess('consume', settings);
    const astray = await startProcess('relay', { ...settings, STREAMS_URL: elsewhere.url });
    await runInProcess(['backfill'], settings);
    const first = await epoch(settings);
    await uploadPhoto(pool, '101', 0, 9_000);
    await astray.says('is not the one that tasks were published to');
    const [report] = (await runInProcess(['doctor', '--json'], { ...settings, STREAMS_URL: elsewhere.url })).json();
    const tasks = (report.findings as Finding[]).find(({ area, check }) => area === 'streams' && check === 'tasks');
    expect(tasks).toMatchObject({ state: 'problem', detail: expect.stringContaining('not the one that tasks were') });
    const beside = new Redis(elsewhere.url);
    onTestFinished(() => beside.disconnect());
    expect(await beside.keys(`${settings.KEY_PREFIX}:${settings.TOPIC}`)).toEqual([]);
    await astray[Symbol.asyncDispose]();
    await startProcess('relay', settings);
    await until(async () => (await newest(settings)) === '1970-01-01T00:00:09.000Z', { interval: 200 });
    expect(await verify(settings)).toMatchObject({ warm: 5, wrong: 0, unsettled: 0, answers_wrong: 0 });
    expect((await epoch(settings)).epoch).toBe(first.epoch);
    expect(consume.stdout).not.toContain('tasks were lost');
  });

  it('doctor looks at both, and says where the tasks are', async () => {
    await using streams = await startRedis({ args: ['--maxmemory', '64mb', '--maxmemory-policy', 'allkeys-lru'] });
    const { settings } = await siteOn(streams);
    const look = async (changes: Settings) => {
      const [report] = (await runInProcess(['doctor', '--json'], { ...settings, ...changes })).json();
      return (area: string, check: string) =>
        (report.findings as Finding[]).find((finding) => finding.area === area && finding.check === check);
    };
    const find = await look({});
    expect(find('streams', 'reachable')?.state).toBe('fine');
    expect(find('streams', 'maxmemory-policy')?.state).toBe('warning');
    expect(find('streams', 'memory')).toMatchObject({
      state: 'warning',
      detail: expect.stringMatching(/of 64 MB in use; tasks may reach 61 MB, dead letters 156 MB$/),
    });
    expect(find('streams', 'persistence')?.state).toBe('warning');
    expect(find('redis', 'persistence')?.detail).toMatch(/indexes are rebuilt from MySQL|appendonly yes/);
    expect(find('streams', 'zset-max-listpack-entries')).toBeUndefined();
    expect(find('backlog', 'stream')).toMatchObject({ state: 'fine', detail: '0 of 200000 tasks' });

    const redis = new Redis(streams.url);
    onTestFinished(() => redis.disconnect());
    const stream = `${settings.KEY_PREFIX}:${settings.TOPIC}`;
    for (let i = 0; i < 1_000; i++) await redis.xadd(stream, '*', 'body', '{}');
    const atBound = await look({ STREAM_MAX_LENGTH: '1000' });
    expect(atBound('backlog', 'stream')).toMatchObject({
      state: 'problem',
      detail: '1000 of 1000 tasks: it is full, the relay waits, and POST /v1/tasks answers 503',
    });
    const away = await look({ STREAMS_URL: 'redis://127.0.0.1:1' });
    expect(away('streams', 'reachable')).toMatchObject({
      state: 'problem',
      detail: expect.stringMatching(
        /^No Redis answers at redis:\/\/127\.0\.0\.1:1.*set RECENCY_STREAMS_URL to its address\.$/,
      ),
    });
    expect(away('redis', 'reachable')?.state).toBe('fine');
  });
});

/** Time of the newest contact in the first user's index. */
async function newest(settings: Settings): Promise<string | undefined> {
  return JSON.parse((await runInProcess(['inspect', '1', '--json'], settings)).stdout).members[0]?.last_upload_at;
}
