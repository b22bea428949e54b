import type { Pool } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { CliProcess, type Settings } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { indexedSite } from '../support/indexed-site.ts';
import { canStartCluster, RedisCluster } from '../support/redis-cluster.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { until } from '../support/until.ts';

const STAR = '1';
const FOLLOWERS = 500;

/** Later than all earlier uploads, ms. */
const LATER = Date.now() + 3_600_000;

describe.runIf(canStartCluster())(
  'the processes on a Redis Cluster (programs: it needs redis-server on the path)',
  () => {
    let cluster: RedisCluster;
    let settings: Settings & { MYSQL_URL: string };
    let pool: Pool;
    let api: string;
    let processes: CliProcess[];

    beforeAll(async () => {
      cluster = await RedisCluster.start();
      settings = { ...(await serviceSettings('streams')), REDIS_URL: cluster.urls };
      pool = openSitePool(settings.MYSQL_URL, 2);
      const users = Array.from({ length: FOLLOWERS }, (_, i) => String(101 * (i + 1) + 1));
      await indexedSite(settings, users, [STAR]);
      const [serve, consume, relay] = [
        new CliProcess(['serve'], settings),
        new CliProcess(['consume'], settings),
        new CliProcess(['relay'], settings),
      ];
      processes = [serve, consume, relay];
      await Promise.all([serve.says('answering at'), consume.says('consuming'), relay.says('relaying')]);
      api = String(/"address":"(http:[^"]+)"/.exec(serve.stdout)?.[1]);
    });

    afterAll(async () => {
      for (const process of processes ?? []) await process[Symbol.asyncDispose]();
      await pool?.end();
      await cluster?.[Symbol.asyncDispose]();
    });

    async function ask(user: number) {
      const response = await fetch(`${api}/v1/users/${user}/contacts/recent`);
      const { contacts, answer } = (await response.json()) as {
        contacts: { last_upload_at: string }[];
        answer: { source: string; reason?: string };
      };
      const at = Date.parse(contacts[0]?.last_upload_at ?? '');
      return { status: response.status, at, source: answer.source, reason: answer.reason };
    }

    /** A task whose row is not visible yet, which is re-checked through the delay queue. */
    async function leaveRecheck(user: number): Promise<void> {
      const statement = 'INSERT INTO recency_outbox (type, user_id, other_id, version) VALUES (?, ?, ?, 1000000)';
      await pool.execute(statement, ['recency.contact.changed', user, STAR]);
    }

    async function everythingIsRight(): Promise<void> {
      const { stdout, code } = await runInProcess(['verify', '--json'], settings);
      expect(JSON.parse(stdout)).toMatchObject({ warm: FOLLOWERS, wrong: 0, unsettled: 0, answers_wrong: 0 });
      expect(code).toBe(0);
    }

    it('bring an upload to every follower', async () => {
      await uploadPhoto(pool, STAR, 0, 2_000);
      await until(async () => (await indexed(settings, 102)) === '1970-01-01T00:00:02.000Z', { interval: 200 });
      const answer = await until(async () => {
        const one = await ask(102);
        return one.source === 'index' && one; // not while a connection to a node is new
      });
      expect(answer).toEqual({ status: 200, at: 2_000, source: 'index', reason: undefined });
      await everythingIsRight();
    });

    it.each([
      ['the tasks', () => `${settings.KEY_PREFIX}:${settings.TOPIC}`],
      ['the delay queue', () => `${settings.KEY_PREFIX}:{delay}:due`],
    ])('lose nothing while the slot of %s moves', async (_what, key) => {
      const epoch = (await runInProcess(['epoch', 'show'], settings)).stdout;
      const { slot, node: from } = await cluster.place(key());
      const to = cluster.nodes.find((node) => node !== from) ?? from;
      let at = Date.now();
      await cluster.moveSlot(slot, from, to, async () => {
        await uploadPhoto(pool, STAR, 0, ++at);
        await leaveRecheck(102);
        const moving = performance.now();
        await until(() => performance.now() - moving > 1_000); // meanwhile the slot is read and written
      });
      await uploadPhoto(pool, STAR, 0, ++at);
      await until(async () => (await indexed(settings, 102)) === new Date(at).toISOString(), { interval: 200 });
      await everythingIsRight();
      expect((await runInProcess(['epoch', 'show'], settings)).stdout).toBe(epoch);
      expect((await runInProcess(['dlq', 'list'], settings)).stdout).toBe('There are no dead letters.\n');
    });

    it('pause while a master is unavailable, and continue when it is back', async () => {
      const { node } = await cluster.place(`${settings.KEY_PREFIX}:${settings.TOPIC}`);
      await cluster.kill(node);
      await uploadPhoto(pool, STAR, 0, LATER);
      const away = await until(async () => {
        const answer = await ask(203);
        return answer.reason === 'redis_unavailable' && answer;
      });
      expect(away).toMatchObject({ status: 200, at: LATER, source: 'database' });
      const [{ redis: another } = node] = cluster.nodes.filter((one) => one !== node);
      await until(async () => /cluster_state:fail/.test(await another.cluster('INFO')));
      const asked = performance.now();
      for (const user of [102, 203, 304]) expect(await ask(user)).toMatchObject({ status: 200, source: 'database' });
      expect(performance.now() - asked).toBeLessThan(20_000); // none waited for Redis for long

      await cluster.restart(node);
      await until(async () => (await ask(203)).source === 'index', { interval: 200 });
      // Another master: every index is cold until it is rebuilt.
      expect((await runInProcess(['epoch', 'show'], settings)).stdout).toMatch(/another Redis master|tasks were lost/);
      expect((await runInProcess(['backfill'], settings)).code).toBe(0);
      await uploadPhoto(pool, STAR, 0, LATER + 1_000);
      await until(async () => (await indexed(settings, 102)) === new Date(LATER + 1_000).toISOString(), {
        interval: 200,
      });
      await everythingIsRight();
      expect((await runInProcess(['dlq', 'list'], settings)).stdout).toBe('There are no dead letters.\n');
      for (const { stdout, stderr } of processes)
        expect(stdout + stderr).not.toMatch(/this process cannot continue|"level":"fatal"/);
    });

    it('refuse to start with the address of a single node', async () => {
      const [one = ''] = cluster.urls.split(',');
      const { code, stderr } = await runInProcess(['verify'], { ...settings, REDIS_URL: one });
      expect(stderr).toMatch(/^This Redis is a node of a cluster\. Set RECENCY_REDIS_URL to several of its addresses/);
      expect(code).toBe(1);
    });
  },
);

/** Time of the newest contact in a user's index. */
async function indexed(settings: Settings, user: number): Promise<string | undefined> {
  return JSON.parse((await runInProcess(['inspect', `${user}`, '--json'], settings)).stdout).members[0]?.last_upload_at;
}
