import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, it, type TestContext } from 'vitest';
import { startRedis } from '../../src/tools/devservers/start-server.ts';
import { uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { type Settings, startProcess } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { indexedSite, unpublished } from '../support/indexed-site.ts';
import { canStartCluster, isInSync, RedisCluster } from '../support/redis-cluster.ts';
import { MASTER, RedisSentinels } from '../support/redis-sentinels.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const STAR = '1';
const USERS = Array.from({ length: 60 }, (_, i) => String(101 * (i + 1)));

/** Later than all earlier uploads, ms. */
const LATER = Date.now() + 3_600_000;

/** Between two reads, ms: without a pause they take the time of the processor from what they wait for. */
const BETWEEN_READS_MS = 5;

/** How often commands look for what they wait for. */
const LOOKING = { interval: 250 };

/** Stands for the status where the connection broke. */
const NO_ANSWER = 0;

/** Reads all the time and records the answers. */
class Reader {
  readonly #api: string;
  readonly #ended = new AbortController();
  readonly #running: Promise<void>;
  /** By user: time, ms, and source of the latest answer. */
  readonly latest = new Map<string, { at: number; source: string }>();
  readonly statuses = new Map<number, number>();
  slowestMs = 0;
  /** Time of the first answer from an index after `from`, ms. */
  firstIndexedAfter = (from: number) =>
    [...this.latest.values()].filter(({ at, source }) => source === 'index' && at > from).map(({ at }) => at)[0];

  constructor(api: string) {
    this.#api = api;
    this.#running = this.#read();
  }

  /** Time at which everybody's latest answer came from an index, after `from`, ms. */
  isEverybodys(source: string, from: number): boolean {
    return USERS.every((user) => {
      const one = this.latest.get(user);
      return one !== undefined && one.at > from && one.source === source;
    });
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#running;
  }

  async #read(): Promise<void> {
    for (let n = 0; !this.#ended.signal.aborted; n++) {
      const user = USERS[n % USERS.length] as string;
      const from = performance.now();
      const { status, source } = await this.#ask(user);
      const at = performance.now();
      this.slowestMs = Math.max(this.slowestMs, at - from);
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
      this.latest.set(user, { at, source });
      await pause(BETWEEN_READS_MS);
    }
  }

  async #ask(user: string): Promise<{ status: number; source: string }> {
    try {
      const response = await fetch(`${this.#api}/v1/users/${user}/contacts/recent`);
      const { answer } = (await response.json()) as { answer?: { source: string } };
      return { status: response.status, source: answer?.source ?? '' };
    } catch {
      return { status: NO_ANSWER, source: '' };
    }
  }
}

/** A site whose processes run on this Redis; everybody has an index. */
async function siteOn(redisUrl: string, test: TestContext) {
  const settings = { ...(await serviceSettings('streams')), REDIS_URL: redisUrl, SAMPLE_RATE: '0' };
  const pool = openSitePool(settings.MYSQL_URL, 2);
  test.onTestFinished(() => pool.end());
  await indexedSite(settings, USERS, [STAR]);
  const [serve] = await Promise.all([
    startProcess('serve', settings, test),
    startProcess('consume', settings, test),
    startProcess('relay', settings, test),
  ]);
  return { settings, pool, api: String(/"address":"(http:[^"]+)"/.exec(serve.stdout)?.[1]) };
}

interface Failover {
  /** Kills the master. */
  readonly kill: () => Promise<void>;
  /** Resolves when a replica has taken its place. */
  readonly promoted: () => Promise<void>;
}

/** Kills a master under reads, and prints for how long there was no index. */
async function failOver(
  what: string,
  redisUrl: string,
  { kill, promoted }: Failover,
  test: TestContext,
): Promise<void> {
  const { settings, pool, api } = await siteOn(redisUrl, test);
  const reader = new Reader(api);
  test.onTestFinished(() => reader.stop());
  await until(() => reader.isEverybodys('index', 0));
  const epoch = (await runInProcess(['epoch', 'show'], settings)).stdout;
  const killed = performance.now();
  await kill();
  await until(() => [...reader.latest.values()].some(({ at, source }) => at > killed && source === 'database'));
  await uploadPhoto(pool, STAR, 0, LATER);
  await promoted();
  const promotedAt = performance.now();
  const first = await until(() => reader.firstIndexedAfter(promotedAt));
  await until(() => reader.isEverybodys('index', promotedAt));
  const all = performance.now();

  const s = (ms: number) => (ms / 1000).toFixed(1);
  console.log(
    `fault 17, ${what}: promoted ${s(promotedAt - killed)} s after the kill; the first answer from an index ` +
      `${s(first - promotedAt)} s after that, everybody's ${s(all - promotedAt)} s; ` +
      `${[...reader.statuses].map(([status, n]) => `${n} × ${status}`)}, the slowest ${reader.slowestMs.toFixed(0)} ms`,
  );
  expect((await runInProcess(['epoch', 'show'], settings)).stdout).not.toBe(epoch);
  // The upload arrives, and nothing that only the old master had is missed. Tasks that only it had may begin one more epoch.
  await until(async () => (await unpublished(settings.MYSQL_URL)) === 0);
  let wrongs = 0;
  await until(async () => {
    const { warm, wrong, answers_wrong, unsettled } = JSON.parse(
      (await runInProcess(['verify', '--json'], settings)).stdout,
    );
    wrongs += wrong + answers_wrong;
    return warm === USERS.length && unsettled === 0;
  }, LOOKING);
  expect(wrongs).toBe(0);
  await reader.stop();
  expect([...reader.statuses.keys()]).toEqual([200]);
  await until(async () => (await indexed(settings, USERS[0] as string)) === new Date(LATER).toISOString(), LOOKING);
  expect((await runInProcess(['dlq', 'list'], settings)).stdout).toBe('There are no dead letters.\n');
}

/** Time of the newest contact in a user's index. */
async function indexed(settings: Settings, user: string): Promise<string | undefined> {
  return JSON.parse((await runInProcess(['inspect', user, '--json'], settings)).stdout).members[0]?.last_upload_at;
}

// Side by side, because each mostly waits for a master to be missed.
describe.runIf(canStartCluster())(
  'fault 17: a master is killed, and its replica promoted (programs: it needs redis-server on the path)',
  () => {
    it.concurrent('one master, behind an address that leads to the other one then', async (test) => {
      await using master = await startRedis({ from: 'programs' });
      const args = ['--replicaof', '127.0.0.1', `${master.port}`];
      await using replica = await startRedis({ from: 'programs', args });
      const admin = new Redis(replica.url);
      admin.on('error', () => undefined);
      test.onTestFinished(() => admin.disconnect());
      await until(async () => isInSync(await admin.info('replication')));
      await using proxy = await TcpProxy.before(master.url);
      await failOver(
        'one master',
        proxy.url,
        {
          kill: () => master.kill(),
          promoted: async () => {
            await admin.replicaof('NO', 'ONE');
            proxy.leadTo(replica.url);
          },
        },
        test,
      );
    });

    it.concurrent('one that three Sentinels watch, who agree on the new one', async (test) => {
      await using master = await startRedis({ from: 'programs' });
      const args = ['--replicaof', '127.0.0.1', `${master.port}`];
      await using replica = await startRedis({ from: 'programs', args });
      await using sentinels = await RedisSentinels.start(3, master.port);
      await sentinels.untilSettled(1);
      await failOver(
        'three Sentinels',
        `redis+sentinel://${sentinels.addresses}/${MASTER}`,
        { kill: () => sentinels.kill(master), promoted: () => sentinels.untilReplacedBy(replica) },
        test,
      );
    });

    it.concurrent('a cluster, whose nodes elect the new one', async (test) => {
      await using cluster = await RedisCluster.start(3, 1);
      const { node: master } = await cluster.place('recency:{1}:1:m');
      await failOver(
        'a cluster',
        cluster.urls,
        { kill: () => cluster.kill(master), promoted: () => cluster.untilReplaced(master) },
        test,
      );
    });
  },
);
