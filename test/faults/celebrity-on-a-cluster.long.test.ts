import process from 'node:process';
import type { Pool } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeyNames } from '../../src/index/redis/keys.ts';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { CliProcess, type Settings } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { indexedSite } from '../support/indexed-site.ts';
import { canStartCluster, RedisCluster } from '../support/redis-cluster.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { until } from '../support/until.ts';

/** Everybody follows this user. */
const STAR = '1';
const FOLLOWERS = 24_000;

/** Followers whose indexes and answers are compared with plain SQL. */
const VERIFIED = 500;

/** Slots that change their master while photos are fanned out. */
const MOVED = 3;

/** Asked all the time while a master is replaced. */
const ASKED = ['2', '5000', '10000', '15000', '20000', '24001'];

describe.runIf(canStartCluster())(
  `a fan-out to ${FOLLOWERS} followers on a Redis Cluster of three masters with replicas (programs: it needs redis-server on the path)`,
  () => {
    let cluster: RedisCluster;
    let settings: Settings & { MYSQL_URL: string };
    let pool: Pool;
    let api: string;
    let metrics: string;
    const processes: CliProcess[] = [];

    beforeAll(async () => {
      cluster = await RedisCluster.start(3, 1);
      settings = { ...(await serviceSettings('streams')), REDIS_URL: cluster.urls, SAMPLE_RATE: '0' };
      pool = openSitePool(settings.MYSQL_URL, 2);
      await indexedSite(
        settings,
        Array.from({ length: FOLLOWERS }, (_, i) => String(i + 2)),
        [STAR],
      );
      const port = await freePort();
      metrics = `http://127.0.0.1:${port}/metrics`;
      const serve = new CliProcess(['serve'], settings);
      const consume = new CliProcess(['consume'], { ...settings, METRICS_PORT: String(port) });
      const relay = new CliProcess(['relay'], settings);
      processes.push(serve, consume, relay);
      await Promise.all([serve.says('answering at'), consume.says('consuming'), relay.says('relaying')]);
      api = String(/"address":"(http:[^"]+)"/.exec(serve.stdout)?.[1]);
    });

    afterAll(async () => {
      for (const one of processes) await one[Symbol.asyncDispose]();
      await pool?.end();
      await cluster?.[Symbol.asyncDispose]();
    });

    async function metric(name: string): Promise<number> {
      const text = await (await fetch(metrics)).text();
      return Number(new RegExp(`^${name}\\{.*?\\} (\\S+)$`, 'm').exec(text)?.[1]);
    }

    /** Plans and segments that are not done. */
    const bulkLag = () => metric('recency_bulk_lag_tasks');

    /** Uploads a photo, and waits until its fan-out has begun. On a busy machine it may be over then. */
    async function upload(at: number): Promise<void> {
      const plans = await metric('recency_fan_out_plans_total');
      await uploadPhoto(pool, STAR, 0, at);
      await until(async () => (await metric('recency_fan_out_plans_total')) > plans, { interval: 5 });
    }

    async function everythingIsRight(): Promise<void> {
      const { stdout } = await runInProcess(['verify', '--users', `${VERIFIED}`, '--json'], settings);
      expect(JSON.parse(stdout)).toMatchObject({ warm: VERIFIED, wrong: 0, unsettled: 0, answers_wrong: 0 });
    }

    /** Whether the last answers came from an index, and all of them named this time. */
    async function ask(at: number): Promise<boolean> {
      const answers = await Promise.all(
        ASKED.map(async (user) => {
          const response = await fetch(`${api}/v1/users/${user}/contacts/recent`);
          expect(response.status).toBe(200);
          const { contacts, answer } = (await response.json()) as {
            contacts: { last_upload_at: string }[];
            answer: { source: string };
          };
          expect(contacts[0]?.last_upload_at).toBe(new Date(at).toISOString());
          return answer.source;
        }),
      );
      return answers.every((source) => source === 'index');
    }

    it('misses nobody while slots move from master to master', async () => {
      const names = new KeyNames(String(settings.KEY_PREFIX));
      const before = (await runInProcess(['epoch', 'show'], settings)).stdout;
      let at = 2_000;
      let busy = 0;
      for (let i = 0; i < MOVED; i++) {
        const { slot, node: from } = await cluster.place(names.set(String(2 + i * 8_000)));
        const to = cluster.nodes.slice(0, 3).find((node) => node !== from) ?? from;
        await upload(++at);
        await cluster.moveSlot(slot, from, to, async () => {
          if (busy === 0 && (await bulkLag()) === 0) await upload(++at);
          busy += (await bulkLag()) > 0 ? 1 : 0;
        });
        await ask(at);
      }
      expect(busy).toBeGreaterThan(0);
      await until(async () => (await bulkLag()) === 0);
      await everythingIsRight();
      expect((await runInProcess(['epoch', 'show'], settings)).stdout).toBe(before);
    });

    it('misses nobody when a master is killed midway and its replica takes its place', async () => {
      const { node: master } = await cluster.place(new KeyNames(String(settings.KEY_PREFIX)).set('2'));
      const at = Date.now() + 3_600_000;
      await upload(at);
      await cluster.kill(master);
      const killed = performance.now();
      await until(async () => !(await ask(at)));
      await cluster.untilReplaced(master);
      await until(() => ask(at)); // a read builds the indexes of the new epoch
      const seconds = ((performance.now() - killed) / 1_000).toFixed(1);
      process.stdout.write(`a master of a cluster killed during a large fan-out: ${seconds} s without every index\n`);
      await until(async () => (await bulkLag()) === 0, { interval: 200 });
      expect((await runInProcess(['backfill'], settings)).code).toBe(0);
      await upload(at + 1);
      await until(async () => (await bulkLag()) === 0);
      await until(() => ask(at + 1));
      await everythingIsRight();
      expect((await runInProcess(['dlq', 'list'], settings)).stdout).toBe('There are no dead letters.\n');
      for (const { stdout, stderr } of processes) expect(stdout + stderr).not.toMatch(/"level":"fatal"/);
    });
  },
);
