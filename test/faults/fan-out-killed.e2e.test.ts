import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Pool, RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { KeyNames } from '../../src/index/redis/keys.ts';
import { between, seededRandom } from '../../src/tools/demo/random.ts';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { deletePhoto, uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { CliProcess, type Settings } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { indexedSite } from '../support/indexed-site.ts';
import { shortOrLong } from '../support/length.ts';
import { hasKafka } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

/** Everybody follows this user. */
const STAR = '1';
const FOLLOWERS = 24_000;

/** Followers whose answers are also compared with plain SQL. */
const VERIFIED = 200;

/** Consumers killed one after the other. */
const KILLS = 2;

/** Seed of the moments of the kills. */
const SEED = Number(process.env.FAULTS_SEED ?? 20_041);

/** The minimum allowed: how long the work of a killed consumer lies idle. */
const TAKEOVER_MS = 6_000;

/** Less than the time of the whole fan-out on a fast machine, ms. */
const FAN_OUT_MS = 250;

/** Streams in the short form only where there is no Kafka: the lanes are the same on both. */
const TRANSPORTS: readonly ('streams' | 'kafka')[] = hasKafka()
  ? shortOrLong(['kafka'], ['streams', 'kafka'])
  : ['streams'];

/** Of the tests on one transport, which have one site. */
const IN_TURN = { concurrent: false };

// Side by side, because each mostly waits for the work of killed consumers to be given to others.
describe.concurrent.each(TRANSPORTS)(
  `a fan-out to ${FOLLOWERS} followers whose consumers are killed, on %s`,
  { timeout: 400_000 },
  (transport) => {
    const random = seededRandom(SEED);
    let settings: Settings & { MYSQL_URL: string };
    let pool: Pool;
    let redis: Redis;
    let relay: CliProcess;
    /** The consumers reach Redis through this process, so they stand still while it is busy. */
    let proxy: TcpProxy;

    beforeAll(async () => {
      // On a busy machine this process, and so Redis, keeps the consumers waiting.
      const patient = { REDIS_TIMEOUT_MS: '10000', MYSQL_TIMEOUT_MS: '10000' };
      settings = { ...(await serviceSettings(transport)), ...patient, TAKEOVER_MS: String(TAKEOVER_MS) };
      pool = openSitePool(settings.MYSQL_URL, 2);
      redis = new Redis(String(settings.REDIS_URL));
      proxy = await TcpProxy.before(String(settings.REDIS_URL));
      const followers = Array.from({ length: FOLLOWERS }, (_, i) => String(i + 2));
      await indexedSite(settings, followers, [STAR]);
      relay = new CliProcess(['relay'], settings);
      await relay.says('relaying');
    });

    afterAll(async () => {
      await relay?.[Symbol.asyncDispose]();
      redis?.disconnect();
      await proxy?.[Symbol.asyncDispose]();
      await pool?.end();
    });

    /** Starts a consumer. Returns it with a reader of its metrics. */
    async function startConsumer(test: TestContext, more: Settings = {}, args: readonly string[] = []) {
      const port = await freePort();
      const own = { REDIS_URL: proxy.url, METRICS_PORT: String(port), ...more };
      const process = new CliProcess(['consume', ...args], { ...settings, ...own }).killAtEnd(test);
      await process.says('consuming');
      const metric = async (name: string) => {
        const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
        return Number(new RegExp(`^${name}\\{.*?\\} (\\S+)$`, 'm').exec(text)?.[1]);
      };
      return { process, metric };
    }

    type Consumer = Awaited<ReturnType<typeof startConsumer>>;

    /** Waits until everything published so far is acknowledged in both lanes: what is left would be the next test's work. */
    async function untilIdle({ metric }: Consumer): Promise<void> {
      await until(async () => {
        const unpublished =
          'SELECT COUNT(*) AS waiting FROM recency_outbox WHERE published_at IS NULL AND NOT is_recheck';
        const [rows] = await pool.query<RowDataPacket[]>(unpublished);
        return Number(rows[0]?.waiting) === 0;
      });
      for (const lane of ['recency_transport_lag_tasks', 'recency_bulk_lag_tasks']) {
        await until(async () => (await metric(lane)) === 0, { timeout: 240_000, interval: 100 });
      }
    }

    async function newestPhoto(): Promise<number> {
      const [rows] = await pool.query<RowDataPacket[]>('SELECT last_public_at AS at FROM users WHERE id = ?', [STAR]);
      return Number(rows[0]?.at);
    }

    /** Kills a consumer at some point of the fan-out. */
    async function killUnderway(consumer: Consumer): Promise<void> {
      // On a busy machine this process may look too late, when a part is done, or all of it.
      const hasBegun = async () =>
        (await consumer.metric('recency_bulk_lag_tasks')) > 0 ||
        (await consumer.metric('recency_fan_out_plans_total')) > 0;
      await until(hasBegun, { interval: 5 });
      await sleep(between(random, 0, FAN_OUT_MS));
      consumer.process.signal('SIGKILL');
      await consumer.process.ended;
    }

    /** What the followers' indexes hold, and how many hold it. */
    async function shown(): Promise<Record<string, number>> {
      const names = new KeyNames(String(settings.KEY_PREFIX));
      const pipeline = redis.pipeline();
      for (let id = 2; id <= FOLLOWERS + 1; id++) pipeline.zrange(names.set(String(id)), '0', '-1', 'WITHSCORES');
      const indexes = new Map<string, number>();
      for (const [, index] of (await pipeline.exec()) ?? []) {
        indexes.set(String(index), (indexes.get(String(index)) ?? 0) + 1);
      }
      return Object.fromEntries(indexes);
    }

    /** Waits until every follower's index has the star with this time, and nothing else; `verify` checks some of them fully. */
    async function untilEveryIndexSays(at: number): Promise<void> {
      const everyIndexSays = async () => {
        expect(await shown()).toEqual({ [`${STAR},${at}`]: FOLLOWERS });
        return true;
      };
      await until(everyIndexSays, { timeout: 240_000, interval: 3_000 }); // looking takes this process long
      const { stdout, code } = await runInProcess(['verify', '--users', `${VERIFIED}`, '--json'], settings);
      expect(JSON.parse(stdout)).toMatchObject({ warm: VERIFIED, wrong: 0, unsettled: 0, answers_wrong: 0 });
      expect(code).toBe(0);
    }

    it('is done by others, whenever they are killed, and misses nobody', IN_TURN, async (test) => {
      let consumer = await startConsumer(test);
      await uploadPhoto(pool, STAR, 0, 2_000);
      for (let kill = 0; kill < KILLS; kill++) {
        await killUnderway(consumer);
        consumer = await startConsumer(test);
        if (kill < KILLS - 1) await uploadPhoto(pool, STAR, 0, 2_001 + kill);
      }
      await untilIdle(consumer);
      await untilEveryIndexSays(2_000 + KILLS - 1);
    });

    it('shows a deletion, though it overtakes the upload in a killed consumer', IN_TURN, async (test) => {
      const before = await newestPhoto();
      const first = await startConsumer(test);
      const photo = await uploadPhoto(pool, STAR, 0, before + 1_000);
      await killUnderway(first);
      await deletePhoto(pool, photo);
      const second = await startConsumer(test);
      await killUnderway(second);
      const third = await startConsumer(test);
      await untilIdle(third);
      await untilEveryIndexSays(before);
    });

    if (transport === 'kafka') return; // the lanes are the same on both
    it('is done by the consumers of the bulk lane, and only by them', IN_TURN, async (test) => {
      const at = (await newestPhoto()) + 1_000;
      const small = await startConsumer(test, {}, ['--lanes', 'small']);
      await uploadPhoto(pool, STAR, 0, at);
      await until(async () => (await small.metric('recency_bulk_lag_tasks')) > 0);
      // Nobody is killed here: what it is given twice, because it was silent for a while, would count twice.
      const patient = { REDIS_URL: String(settings.REDIS_URL), TAKEOVER_MS: '60000' };
      const bulk = await startConsumer(test, patient, ['--lanes', 'bulk']);
      await untilIdle(bulk);
      await untilEveryIndexSays(at);
      expect(await small.metric('recency_fan_out_followers_total')).toBe(0);
      expect(await bulk.metric('recency_fan_out_followers_total')).toBe(FOLLOWERS);
      expect(await bulk.metric('recency_fan_out_segments_total')).toBe(2);
      expect(await bulk.metric('recency_fan_out_plans_total')).toBe(1);
      const inProgress = async () => JSON.parse((await runInProcess(['fan-outs', '--json'], settings)).stdout).fan_outs;
      await until(async () => (await inProgress()).length === 0);
    });
  },
);
