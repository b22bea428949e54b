import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Pool, RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { RedisFanOutCursors } from '../../src/index/redis/fan-out-cursors.ts';
import { KeyNames } from '../../src/index/redis/keys.ts';
import { between, seededRandom } from '../../src/tools/demo/random.ts';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { deletePhoto, uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { CliProcess, runCli, type Settings } from '../support/cli.ts';
import { indexedSite } from '../support/indexed-site.ts';
import { hasKafka } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

/** Everybody follows this user. */
const STAR = '1';
const FOLLOWERS = 24_000;

/** Followers whose answers are also compared with plain SQL. */
const VERIFIED = 1_000;

/** Kills per fan-out. */
const KILLS = 3;

/** Seed of the moments of the kills. */
const SEED = Number(process.env.FAULTS_SEED ?? 20_041);

/** The minimum allowed: how long the work of a killed consumer lies idle. */
const TAKEOVER_MS = 6_000;

/** Half the time of a page of 4,000 followers on a fast machine, ms. */
const PAGE_MS = 25;

describe.each(['streams', ...(hasKafka() ? ['kafka' as const] : [])] as const)(
  `a fan-out to ${FOLLOWERS} followers whose consumers are killed, on %s`,
  { timeout: 240_000 },
  (transport) => {
    const random = seededRandom(SEED);
    let settings: Settings & { MYSQL_URL: string };
    let pool: Pool;
    let redis: Redis;
    let relay: CliProcess;
    /** The consumers reach Redis through this process, so they stand still while it is busy. */
    let proxy: TcpProxy;

    beforeAll(async () => {
      settings = { ...(await serviceSettings(transport)), TAKEOVER_MS: String(TAKEOVER_MS) };
      pool = openSitePool(settings.MYSQL_URL, 2);
      redis = new Redis(String(settings.REDIS_URL));
      proxy = await TcpProxy.before(String(settings.REDIS_URL));
      const followers = Array.from({ length: FOLLOWERS }, (_, i) => String(i + 2));
      await indexedSite(settings, followers, [STAR]);
      relay = new CliProcess(['relay'], settings);
      await relay.says('relaying');
    }, 240_000);

    afterAll(async () => {
      await relay?.[Symbol.asyncDispose]();
      redis?.disconnect();
      await proxy?.[Symbol.asyncDispose]();
      await pool?.end();
    });

    /** Starts a consumer. Returns it with a reader of its metrics. */
    async function startConsumer(more: Settings = {}) {
      const port = await freePort();
      const own = { REDIS_URL: proxy.url, METRICS_PORT: String(port), ...more };
      const process = new CliProcess(['consume'], { ...settings, ...own });
      onTestFinished(() => process[Symbol.asyncDispose]());
      await process.says('consuming');
      const metric = async (name: string) => {
        const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
        return Number(new RegExp(`^${name}\\{.*?\\} (\\S+)$`, 'm').exec(text)?.[1]);
      };
      return { process, metric };
    }

    /** How many followers are done, and for which tasks, according to the cursor: their ids start at 2. */
    async function progress(): Promise<{ done: number; tasks: readonly string[] }> {
      const [cursor] = await new RedisFanOutCursors(redis, String(settings.KEY_PREFIX)).loadCursors([STAR]);
      return cursor === undefined ? { done: 0, tasks: [] } : { done: Number(cursor.after) - 1, tasks: cursor.tasks };
    }

    async function newestPhoto(): Promise<number> {
      const [rows] = await pool.query<RowDataPacket[]>('SELECT last_public_at AS at FROM users WHERE id = ?', [STAR]);
      return Number(rows[0]?.at);
    }

    /** Kills a consumer at some point after that many followers, also between two pages. @returns how far it got */
    async function killBehind(consumer: { process: CliProcess }, followers: number): Promise<number> {
      await until(async () => (await progress()).done >= followers, { interval: 5 });
      await sleep(between(random, 0, PAGE_MS));
      consumer.process.signal('SIGKILL');
      await consumer.process.ended;
      return (await progress()).done;
    }

    /** Expects the star with this time, and nothing else, in every follower's index; `verify` checks some of them fully. */
    async function everyIndexSays(at: number): Promise<void> {
      const names = new KeyNames(String(settings.KEY_PREFIX));
      const pipeline = redis.pipeline();
      for (let id = 2; id <= FOLLOWERS + 1; id++) pipeline.zrange(names.set(String(id)), '0', '-1', 'WITHSCORES');
      const indexes = new Map<string, number>();
      for (const [, index] of (await pipeline.exec()) ?? []) {
        indexes.set(String(index), (indexes.get(String(index)) ?? 0) + 1);
      }
      expect(Object.fromEntries(indexes)).toEqual({ [`${STAR},${at}`]: FOLLOWERS });
      const { stdout, code } = await runCli(['verify', '--users', `${VERIFIED}`, '--json'], settings);
      expect(JSON.parse(stdout)).toMatchObject({ warm: VERIFIED, wrong: 0, unsettled: 0, answers_wrong: 0 });
      expect(code).toBe(0);
    }

    it('continues from its cursor, whenever they are killed, and misses nobody', async () => {
      const share = FOLLOWERS / (KILLS + 1);
      let done = 0;
      const first = await startConsumer();
      await uploadPhoto(pool, STAR, 0, 2_000);
      for (let kill = 0; kill < KILLS; kill++) {
        const consumer = kill === 0 ? first : await startConsumer();
        const behind = Math.max(done, kill * share) + between(random, 1, share / 2);
        const before = done;
        done = await killBehind(consumer, behind);
        expect(done).toBeGreaterThan(before);
        expect(done).toBeLessThan(FOLLOWERS);
      }
      const last = await startConsumer();
      await until(() => last.metric('recency_tasks_total'));
      expect(await last.metric('recency_fan_outs_resumed_total')).toBe(1);
      expect(await last.metric('recency_fan_out_followers_total')).toBe(FOLLOWERS - done);
      expect(await progress()).toEqual({ done: 0, tasks: [] });
      await everyIndexSays(2_000);
    });

    it('starts at the first follower when the photo was deleted meanwhile, and both tasks come back together', async () => {
      const before = await newestPhoto();
      const first = await startConsumer();
      const photo = await uploadPhoto(pool, STAR, 0, before + 1_000);
      await killBehind(first, between(random, FOLLOWERS / 4, FOLLOWERS / 2));
      const { tasks: uploads } = await progress();
      expect(uploads).toHaveLength(1);

      // Another consumer gets the deletion, on Kafka together with the upload, and is killed as well.
      await deletePhoto(pool, photo);
      // On Streams it must not also take over the upload, however long it takes to start.
      const second = await startConsumer(transport === 'streams' ? { TAKEOVER_MS: '300000' } : {});
      await until(async () => (await progress()).tasks.some((task) => !uploads.includes(task)), { interval: 5 });
      await killBehind(second, between(random, 1_000, FOLLOWERS / 4));

      if (transport === 'streams') await until(async () => (await heldFor(redis, settings)) >= TAKEOVER_MS);
      const third = await startConsumer();
      await until(async () => (await third.metric('recency_tasks_total')) === 2);
      expect(await third.metric('recency_batch_duration_seconds_count')).toBe(1);
      await everyIndexSays(before);
    });
  },
);

/** The shortest idle time of the unacknowledged entries of the stream, ms. */
async function heldFor(redis: Redis, { KEY_PREFIX, TOPIC, KAFKA_GROUP }: Settings): Promise<number> {
  const held = (await redis.xpending(`${KEY_PREFIX}:${TOPIC}`, String(KAFKA_GROUP), '-', '+', 10)) as [
    string,
    string,
    number,
  ][];
  return Math.min(...held.map(([, , idle]) => idle));
}
