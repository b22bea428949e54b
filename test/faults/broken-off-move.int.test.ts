import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { checkRedisMasters } from '../../src/index/epoch.ts';
import type { EpochWatch } from '../../src/index/epoch-watch.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { bucketOf } from '../../src/index/redis/keys.ts';
import { refresh } from '../../src/index/refresh.ts';
import { trustedReads } from '../../src/index/trusted-reads.ts';
import { lockEpoch, readEpoch } from '../../src/mysql/epoch.ts';
import { readMasters } from '../../src/redis/masters.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { startWatch } from '../support/epoch-watch.ts';
import { type ClusterNode, canStartCluster, RedisCluster } from '../support/redis-cluster.ts';
import { freshRedis, migratedDatabase, type Stores, storesOn } from '../support/stores.ts';
import { until } from '../support/until.ts';

const USER: Id = '100000';
const CONTACT: Id = '9000000';

/** Three masters, and the slot of a user whose index is there. */
describe.runIf(canStartCluster())(
  'the move of a slot that is broken off (programs: it needs redis-server on the path)',
  () => {
    let cluster: RedisCluster;
    let stores: Stores;
    let slot: number;
    let from: ClusterNode;
    let to: ClusterNode;
    let uploads = 1_000;

    beforeAll(async () => {
      cluster = await RedisCluster.start();
      const url = await migratedDatabase();
      const primary = new ContactsDatabase(url, { connections: 5, queue: 1_000, deadlineMs: 60_000 });
      stores = storesOn({ url, prefix: 'p', primary, redis: await freshRedis(cluster.urls) }, { max: 4, min: 1 });
      await primary.write('INSERT INTO users (id, last_public_at) VALUES (?, 1000), (?, 1000)', [USER, CONTACT]);
      await primary.write('INSERT INTO contacts (user_id, contact_id) VALUES (?, ?)', [USER, CONTACT]);
      await compare();
    });

    afterAll(async () => {
      await stores?.primary.close();
      await cluster?.[Symbol.asyncDispose]();
    });

    beforeEach(async () => {
      for (const { redis } of cluster.nodes) await redis.flushall();
    });

    const why = async () => (await readEpoch(stores.primary)).why;

    /** As a process does that begins to use the cluster. */
    async function compare() {
      const masters = await readMasters(stores.redis);
      return await checkRedisMasters(stores.primary, masters, { roles: ['index'], ownership: undefined });
    }

    async function build(): Promise<void> {
      expect((await run(rebuild([USER], true), stores.steps)).rebuilt).toEqual([USER]);
      const { slot: placed, node } = await cluster.place(`{${bucketOf(USER)}}`);
      [slot, from, to] = [placed, node, cluster.nodes.find((one) => one !== node) ?? node];
    }

    async function upload(): Promise<void> {
      await stores.primary.write('UPDATE users SET last_public_at = ? WHERE id = ?', [++uploads, CONTACT]);
      await run(refresh([{ user: USER, contact: CONTACT }]), stores.steps);
    }

    const stable = (...nodes: ClusterNode[]) =>
      Promise.all(nodes.map(({ redis }) => redis.cluster('SETSLOT', slot, 'STABLE')));

    /** Watched as in production: until an epoch has begun for it. */
    async function breakOff(nodesOf: () => ClusterNode[]) {
      const watch = await startWatch({ ...stores, prefix: 'p' });
      await build();
      const before = (await readEpoch(stores.primary)).token;
      await cluster.beginMove(slot, from, to);
      await cluster.moveKeys(slot, from, to);
      await stable(...nodesOf());
      await until(async () => (await readEpoch(stores.primary)).token !== before);
      expect(await why()).toMatch(`(unsettled slots: ${slot})`);
      return reader(watch);
    }

    /** What an answer would be read from; the client may have to learn where the slot is. */
    function reader(watch: EpochWatch) {
      const { read } = trustedReads(stores.index, watch);
      return async () => {
        const found = await until(() => read(USER, 1, false).catch(() => undefined));
        watch.stop();
        return {
          state: found.state,
          counts: 'epoch' in found && found.epoch === (await readEpoch(stores.primary)).token,
        };
      };
    }

    it('at its master begins a new epoch, so that an index that is gathered later is cold', async () => {
      const found = await breakOff(() => [from]);
      await upload(); // the user is cold: nothing is written
      await cluster.moveKeys(slot, to, from); // as `redis-cli --cluster fix` gathers them
      await stable(to);
      expect(await found()).toEqual({ state: 'warm', counts: false });
    });

    it('on both sides begins one too, so that an index is cold that is there when it is made again', async () => {
      const found = await breakOff(() => [from, to]);
      await build();
      await upload();
      await stores.index.drop([USER]);
      await cluster.moveSlot(slot, from, to, async () => {});
      expect(await found()).toEqual({ state: 'warm', counts: false });
    });

    it('while no process runs begins one at the next start, whatever else has moved', async () => {
      await build();
      await compare();
      const [other] = await slotsOf(from);
      await cluster.moveSlot(Number(other), from, to, async () => {});
      await cluster.beginMove(slot, from, to);
      await cluster.moveKeys(slot, from, to);
      await stable(from, to);
      const seen = await Promise.all([1, 2, 3, 4].map(compare));
      expect(seen.map(({ recorded }) => recorded).sort()).toEqual(['known', 'known', 'known', 'new_epoch']);
      expect(await why()).toMatch(`(unsettled slots: ${slot})`);
    });

    it('for a move to a third master begins one, although the slot has left its master as in any other move', async () => {
      const third = () => cluster.nodes.find((node) => node !== from && node !== to) ?? to;
      const watch = await startWatch({ ...stores, prefix: 'p' });
      await build();
      await cluster.beginMove(slot, from, to);
      await cluster.moveKeys(slot, from, to);
      await stable(to);
      await cluster.moveSlot(slot, from, third(), async () => {});
      const { token } = await readEpoch(stores.primary);
      await until(async () => /unsettled slots/.test(await why()));
      await upload();
      await cluster.moveSlot(slot, third(), to, async () => {});
      expect((await readEpoch(stores.primary)).token).not.toBe(token);
      expect(await reader(watch)()).toEqual({ state: 'warm', counts: false });
    });

    it('is not forgotten if MySQL cannot begin an epoch until the move was made again', async () => {
      const watch = await startWatch({ ...stores, prefix: 'p' });
      await build();
      const before = (await readEpoch(stores.primary)).token;
      const locked = Promise.withResolvers<void>();
      const lock = stores.primary.transaction(async (connection) => {
        await lockEpoch(connection);
        await locked.promise;
      });
      await cluster.beginMove(slot, from, to);
      await cluster.moveKeys(slot, from, to);
      await stable(from);
      await until(() => !watch.isTrusted()); // at once: an answer would not be known to be right
      await upload();
      await cluster.moveSlot(slot, from, to, async () => {});
      await until(async () => (await readMasters(stores.redis)).every(({ slots }) => slots?.unsettled.length === 0));
      locked.resolve();
      await lock;
      await until(() => watch.isTrusted());
      expect((await readEpoch(stores.primary)).token).not.toBe(before);
      expect(await reader(watch)()).toEqual({ state: 'warm', counts: false });
    });

    it('is not what a move looks like that ends, or is under way', async () => {
      await build();
      await compare();
      const before = (await readEpoch(stores.primary)).token;
      const comparing = async () => void (await Promise.all([compare(), compare()]));
      for (const [source, target] of [[from, to] as const, [to, from] as const]) {
        await cluster.moveSlot(slot, source, target, comparing);
        await comparing();
      }
      await cluster.beginMove(slot, from, to);
      await comparing();
      await cluster.moveSlot(slot, from, to, comparing);
      await comparing();
      expect((await readEpoch(stores.primary)).token).toBe(before);
    });

    /** The first one, without keys. */
    async function slotsOf(node: ClusterNode): Promise<number[]> {
      const ranges = await node.redis.cluster('SLOTS');
      const own = ranges.find(([, , master]) => master?.[2] === node.id);
      return own === undefined ? [] : [own[0]];
    }
  },
);
