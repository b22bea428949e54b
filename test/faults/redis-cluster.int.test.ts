import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { DelayedWorker } from '../../src/consumers/delayed-worker.ts';
import type { Id } from '../../src/contracts/id.ts';
import { DelayedWork, Rechecks } from '../../src/index/delayed-work.ts';
import { fanOut } from '../../src/index/fan-out.ts';
import { ownerKey } from '../../src/index/ownership.ts';
import { run, type Steps } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { bucketOf, KeyNames } from '../../src/index/redis/keys.ts';
import type { RedisContactIndex } from '../../src/index/redis/redis-contact-index.ts';
import { refresh } from '../../src/index/refresh.ts';
import { stepsOn } from '../../src/index/steps.ts';
import { trustedReads } from '../../src/index/trusted-reads.ts';
import type { RedisClient } from '../../src/redis/connection.ts';
import { DelayQueue } from '../../src/redis/delay-queue.ts';
import { connectedMasters, readMasters } from '../../src/redis/masters.ts';
import { RedisUnavailable } from '../../src/redis/unavailable.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { startWatch } from '../support/epoch-watch.ts';
import { expectExact } from '../support/exact.ts';
import { type ClusterNode, canStartCluster, RedisCluster } from '../support/redis-cluster.ts';
import { freshNonce, freshRedis, migratedDatabase } from '../support/stores.ts';
import { TRUSTED } from '../support/trust.ts';
import { until } from '../support/until.ts';

const MAX = 3;
const MIN = 1;

/** All have the same contacts. The ids fall into 35 buckets of about fourteen users. */
const OWNER = '9000000';
const CONTACTS = [OWNER, '9000001', '9000002', '9000003'];
const USERS = Array.from({ length: 500 }, (_, i) => String(100_000 + 7 * i));

/** A user without active contacts, whose index has no members: one of the two keys does not exist. */
const LONELY = '100001';
/** The only contact of that user, who has never uploaded anything. */
const SILENT = '100002';

const BUCKET = bucketOf(LONELY);
const MOVING = USERS.filter((user) => bucketOf(user) === BUCKET);
const OTHERS = USERS.filter((user) => bucketOf(user) !== BUCKET);

describe.runIf(canStartCluster())(
  'a Redis Cluster of three masters (programs: it needs redis-server on the path)',
  () => {
    let cluster: RedisCluster;
    let primary: ContactsDatabase;
    let redis: RedisClient;
    let index: RedisContactIndex;
    let steps: Steps;
    let delayQueue: DelayQueue;
    let delayedWorker: DelayedWorker;

    beforeAll(async () => {
      cluster = await RedisCluster.start();
      redis = await freshRedis(cluster.urls);
      const url = await migratedDatabase();
      primary = new ContactsDatabase(url, { connections: 5, queue: 1_000, deadlineMs: 60_000 });
      delayQueue = new DelayQueue(redis, 'p');
      const delayed = new DelayedWork(delayQueue);
      const opened = stepsOn({ primary, redis, delayed }, { max: MAX, min: MIN, prefix: 'p', freshNonce });
      index = opened.index;
      steps = opened;
      delayedWorker = new DelayedWorker({
        watch: TRUSTED,
        steps,
        delayed,
        rechecks: new Rechecks(primary),
        logger: pino({ level: 'silent' }),
      });
      await populate(primary);
      await run(rebuild([...USERS, LONELY]), steps);
    });

    afterAll(async () => {
      await primary?.close();
      await cluster?.[Symbol.asyncDispose]();
    });

    async function upload(at: number): Promise<void> {
      await primary.write('UPDATE users SET last_public_at = ? WHERE id = ?', [at, OWNER]);
    }

    async function areExact(users: readonly Id[], what: string): Promise<void> {
      for (const user of users) await expectExact({ index, primary }, { max: MAX, min: MIN }, user, what);
    }

    /** Users of all slots but the one that the tests move: those whose indexes this node has, and the others. */
    async function usersOf(node: ClusterNode): Promise<{ lost: readonly Id[]; left: readonly Id[] }> {
      const names = new KeyNames('p');
      const nodes = await Promise.all(OTHERS.map(async (user) => (await cluster.place(names.set(user))).node));
      return {
        lost: OTHERS.filter((_, i) => nodes[i] === node),
        left: OTHERS.filter((_, i) => nodes[i] !== node),
      };
    }

    it('has indexes on every node, and a fan-out reaches all of them', async () => {
      for (const { redis: node } of cluster.nodes) expect(await node.dbsize()).toBeGreaterThan(200);
      await upload(2_000);
      const report = await run(fanOut([OWNER], 'contacts'), steps);
      expect(report).toEqual({ followers: USERS.length, large: 0 });
      await areExact(USERS, 'at rest');
    });

    it('loads its scripts again after SCRIPT FLUSH of one node, without an error', async () => {
      await cluster.nodes[0]?.redis.script('FLUSH');
      await upload(3_000);
      await run(fanOut([OWNER], 'contacts'), steps);
      await areExact(USERS, 'at rest');
    });

    it('goes on while a slot moves: only its users are retried, and no index is wrong', async () => {
      const { slot, node: from } = await cluster.place(`{${BUCKET}}`);
      const to = cluster.nodes.find((node) => node !== from) ?? from;
      const [cold = ''] = MOVING;
      await index.drop([cold]);
      let at = 4_000;
      let deferred = 0;
      let read = 0;
      await cluster.moveSlot(slot, from, to, async () => {
        await upload(++at);
        const { outcomes } = await run(refresh(USERS.map((user) => ({ user, contact: OWNER }))), steps);
        expect(outcomes.applied).toBeGreaterThanOrEqual(OTHERS.length);
        await areExact(OTHERS.slice(0, 20), 'while the slot moves');
        const readings = await Promise.allSettled(MOVING.slice(1).map((user) => index.read(user, 0, true)));
        read += readings.filter((one) => one.status === 'fulfilled' && one.value.state === 'warm').length;

        const { rebuilt, obstructed } = await run(rebuild(MOVING.slice(-3)), steps);
        expect(obstructed).toEqual([]);
        const lonely = await run(rebuild([LONELY]), steps);
        expect(lonely.obstructed).toEqual([]);
        deferred += 4 - rebuilt.length - lonely.rebuilt.length;
        const waiting = [...(await delayQueue.waiting(['']))].map((text) => JSON.parse(text).user);
        expect(waiting.filter((user) => bucketOf(user) !== BUCKET)).toEqual([]);
      });
      expect(deferred).toBeGreaterThan(0);
      expect(read).toBeGreaterThan(0); // users of the slot whose keys are both on one side
      await until(async () => (await delayedWorker.runOnce()) === 0 && (await delayQueue.size()) === 0);
      await run(rebuild([cold, LONELY, ...MOVING.slice(-3)]), steps);
      await areExact([...USERS, LONELY], 'at rest');
    });

    it('forgets users whose slot is moving', async () => {
      const { slot, node: from } = await cluster.place(`{${BUCKET}}`);
      const to = cluster.nodes.find((node) => node !== from) ?? from;
      let rounds = 0;
      await cluster.moveSlot(slot, from, to, async () => {
        if (++rounds === 3) await index.drop([...MOVING, LONELY]);
      });
      for (const user of [...MOVING, LONELY]) expect(await index.read(user, 0, false)).toEqual({ state: 'cold' });
      await areExact(OTHERS.slice(0, 20), 'at rest');
    });

    it('compares every master that may answer, and none that is gone', async () => {
      const { node } = await cluster.place('any');
      const slow = await freshRedis(cluster.urls, { commandTimeoutMs: 5_000 });
      const all = await readMasters(slow);
      expect(all).toHaveLength(3);
      await node.server.kill('SIGSTOP'); // it may answer the next question with an old index
      await expect(readMasters(slow)).rejects.toThrow(RedisUnavailable);
      await node.server.kill('SIGCONT');
      const client = await freshRedis(cluster.urls);
      expect(await readMasters(client)).toEqual(expect.arrayContaining(all));
      await cluster.kill(node);
      const left = await until(async () => {
        const masters = await readMasters(client);
        return masters.length === 2 && masters;
      });
      expect(all).toEqual(expect.arrayContaining(left));
      await cluster.restart(node);
    });

    it('loses only the users of a master that is killed, where the others need not cover every slot', async () => {
      for (const node of cluster.nodes) await node.redis.config('SET', 'cluster-require-full-coverage', 'no');
      const { node } = await cluster.place(ownerKey('p')); // nobody can ask whose the indexes are
      const watch = await startWatch({ redis, primary, prefix: 'p' }, { intervalMs: 100 }); // compares while it is away
      const reads = trustedReads(index, watch);
      await run(rebuild(USERS), steps); // the first masters on record begin a new epoch
      const { left, lost } = await usersOf(node);
      expect(left.length).toBeGreaterThan(0);
      const isWarm = async (user: Id) => (await reads.read(user, 1, false)).state === 'warm';

      const killed = performance.now();
      await cluster.kill(node);
      const other = (cluster.nodes.find((one) => one !== node) ?? node).redis;
      await until(async () => isFailed(String(await other.cluster('NODES')), node.id));
      const missed = performance.now();
      for (const user of left.slice(0, 50)) await until(() => isWarm(user));
      const s = (ms: number) => (ms / 1000).toFixed(1);
      console.log(
        `a master is missed ${s(missed - killed)} s after its kill; all others have their indexes ${s(performance.now() - missed)} s after that`,
      );
      await expect(reads.read(lost[0] as Id, 1, false)).rejects.toThrow(RedisUnavailable);
      await cluster.restart(node);
    });

    it('loses only the users of a master that takes connections and answers nothing', async () => {
      const client = await freshRedis(cluster.urls, { commandTimeoutMs: 1_000 });
      const stepsHere = stepsOn(
        { primary, redis: client, delayed: new DelayedWork(delayQueue) },
        { max: MAX, min: MIN, prefix: 'p', freshNonce },
      );
      const watch = await startWatch({ redis: client, primary, prefix: 'p' }, { intervalMs: 100 });
      const reads = trustedReads(stepsHere.index, watch);
      await run(rebuild(USERS), stepsHere);
      const { node } = await cluster.place(ownerKey('p'));
      const { left, lost } = await usersOf(node);
      await node.server.kill('SIGSTOP');
      onTestFinished(() => node.server.kill('SIGCONT'));
      await until(() => connectedMasters(client).length === cluster.nodes.length - 1);
      await until(() => watch.isTrusted());
      for (let i = 0; i < 5; i++) {
        await expect(reads.read(lost[0] as Id, 1, false)).rejects.toThrow(RedisUnavailable);
        expect(await reads.read(left[0] as Id, 1, false)).toMatchObject({ state: 'warm' });
      }
      await node.server.kill('SIGCONT');
      await until(async () => (await reads.read(lost[0] as Id, 1, false)).state === 'warm');
    });
  },
);

/** Do the other nodes agree that this one is gone? */
function isFailed(nodes: string, id: string): boolean {
  return nodes.split('\n').some((line) => line.startsWith(id) && /\bfail\b/.test(line));
}

async function populate(primary: ContactsDatabase): Promise<void> {
  const each = "JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS it";
  const everybody = JSON.stringify([...USERS, LONELY, ...CONTACTS]);
  await primary.write(`INSERT INTO users (id, last_public_at) SELECT id, 1000 FROM ${each}`, [everybody]);
  await primary.write('INSERT INTO users (id) VALUES (?)', [SILENT]);
  await primary.write('INSERT INTO contacts (user_id, contact_id) VALUES (?, ?)', [LONELY, SILENT]);
  for (const contact of CONTACTS) {
    const statement = `INSERT INTO contacts (user_id, contact_id) SELECT id, ? FROM ${each}`;
    await primary.write(statement, [contact, JSON.stringify(USERS)]);
  }
}
