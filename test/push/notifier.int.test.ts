import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { CONTACTS } from '../../src/contracts/kind.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { WatchedUsers } from '../../src/index/redis/watched-users.ts';
import { refresh } from '../../src/index/refresh.ts';
import type { Channel, DeliveryOutcome, Notification } from '../../src/push/channel.ts';
import { headsFrom } from '../../src/push/heads.ts';
import { Notifier, type NotifierOptions } from '../../src/push/notifier.ts';
import { insertUndelivered, readUndelivered, replayUndelivered } from '../../src/push/undelivered.ts';
import { TooManyWatches, WatchManager } from '../../src/push/watch-manager.ts';
import { findWatches, readWatchSizes } from '../../src/push/watch-pages.ts';
import { WatchSweep } from '../../src/push/watch-sweep.ts';
import { readWatch, readWatches, saveWatches } from '../../src/push/watch-table.ts';
import { WebhookChannel } from '../../src/push/webhook-channel.ts';
import { RecentBatch } from '../../src/query/recent-batch.ts';
import { RedisUnavailable } from '../../src/redis/unavailable.ts';
import { deletePhoto, uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { addContact } from '../../src/tools/reference-site/relationships.ts';
import { closeAtEnd } from '../support/servers.ts';
import { freshSitePool } from '../support/small-site.ts';
import { freshStores, recentContactsOn } from '../support/stores.ts';
import { TRUSTED } from '../support/trust.ts';
import { until } from '../support/until.ts';

const LIMITS = { max: 6, min: 3 };

/** Keeps what it is given. */
class Recorder implements Channel {
  readonly got: Notification[] = [];
  outcome: DeliveryOutcome = { is: 'delivered' };
  outcomes = (): Promise<DeliveryOutcome> => Promise.resolve(this.outcome);

  deliver(notifications: readonly Notification[]) {
    this.got.push(...notifications);
    return notifications.map(() => this.outcomes());
  }

  async close(): Promise<void> {}

  /** `contact@time` of everything that was delivered since the last call. */
  take(): string[] {
    return this.got.splice(0).flatMap(({ sources }) => sources.map(({ id, at }) => `${id}@${at}`));
  }
}

async function site() {
  const stores = await freshStores(LIMITS);
  const pool = freshSitePool(stores.url);
  const recorder = new Recorder();
  const clock = { now: 1_000_000 };
  const recent = recentContactsOn(stores, LIMITS);
  const batch = new RecentBatch({
    index: stores.index,
    database: stores.primary,
    recent,
    now: () => performance.now(),
  });
  const watched = new WatchedUsers(stores.redis, stores.prefix);
  const { primary } = stores;
  const checkSteps = (): NotifierOptions['steps'] => ({
    watch: (users) => watched.add(users),
    unwatch: (users) => watched.remove(users),
    watchedOf: async (users) => (await readWatchSizes(primary, users)).map(({ user }) => user),
    watches: (ids) => readWatches(primary, ids),
    heads: headsFrom({
      answers: new Map([['contacts', batch]]),
      entries: { most: LIMITS.max, least: LIMITS.min },
      deadlineMs: 5_000,
    }),
    save: (saves) => saveWatches(primary, saves),
    deadLetter: (letters) =>
      insertUndelivered(
        primary,
        letters.map(({ timestamp, ...letter }) => ({ ...letter, givenUpAt: timestamp })),
      ),
    again: (users, ms) => watched.check(users, ms),
  });
  const notifierOn = (
    channels: Readonly<Record<'kafka' | 'webhook', Channel>>,
    options: Partial<NotifierOptions> = {},
  ) =>
    new Notifier({
      watch: TRUSTED,
      queue: watched.queue,
      steps: checkSteps(),
      find: (users, largestPacket) => findWatches(primary, users, largestPacket),
      largestPacket: 16_777_216,
      channels,
      most: 2 * LIMITS.max,
      drainMs: 5_000,
      kinds: new Set(['contacts']),
      logger: pino({ level: 'silent' }),
      clock: () => clock.now,
      random: () => 0.5,
      ...options,
    });
  const onFault = (error: unknown) => {
    throw error;
  };
  const manager = new WatchManager({ database: primary, watched, onFault, clock: () => clock.now });
  const sweep = new WatchSweep({
    database: primary,
    watched,
    logger: pino({ level: 'silent' }),
    clock: () => clock.now,
  });
  const ids = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
  await pool.query('INSERT INTO users (id) VALUES ?', [ids.map((id) => [id])]);
  for (const contact of ids.slice(1)) await addContact(pool, '1', contact);
  await run(rebuild(['1'], true), stores.steps);
  const notifier = notifierOn({ kafka: recorder, webhook: recorder });
  return {
    ...{ stores, pool, recorder, clock, watched, notifier, notifierOn, checkSteps, manager, sweep, primary },
    /** An upload, and its task. */
    async upload(owner: string, at: number): Promise<string> {
      const photo = await uploadPhoto(pool, owner, 0, at);
      await run(refresh([{ user: '1', contact: owner }]), stores.steps);
      return photo;
    },
    async settled(): Promise<void> {
      await until(async () => {
        await notifier.runOnce();
        return (await watched.queue.size()) === 0;
      });
    },
    watch: (changes: object = {}) =>
      manager.create({
        user: '1',
        kinds: [CONTACTS.name],
        relation: 'any',
        muted: [],
        intervalMs: 0,
        channel: 'kafka',
        ...changes,
      }),
  };
}

let it_: Awaited<ReturnType<typeof site>>;

beforeEach(async () => {
  it_ = await site();
});

describe('a watch', () => {
  it('is told of an upload after it was created, and not of one before', async () => {
    const { upload, settled, recorder, watch } = it_;
    await upload('2', 100);
    await watch();
    await settled();
    expect(recorder.take()).toEqual([]);
    await upload('3', 200);
    await upload('2', 150);
    await settled();
    expect(recorder.take().sort()).toEqual(['2@150', '3@200']);
    await settled();
    expect(recorder.take()).toEqual([]);
  });

  it('is told of uploads that commit in another order than that of their times', async () => {
    const { upload, settled, recorder, watch } = it_;
    await watch();
    await settled();
    await upload('2', 500);
    await settled();
    await upload('3', 400);
    await settled();
    expect(recorder.take()).toEqual(['2@500', '3@400']);
  });

  it('is not told of what was deleted or hidden before the delivery, nor of the muted, and of friends alone if it says so', async () => {
    const { upload, settled, recorder, watch, pool, stores, primary } = it_;
    const { id } = await watch({ muted: ['4'] });
    await watch({ relation: 'friends' });
    await settled();
    const photo = await upload('2', 100);
    await deletePhoto(pool, photo);
    await uploadPhoto(pool, '3', 4, 110);
    await run(refresh([{ user: '1', contact: '3' }]), stores.steps);
    await upload('4', 120);
    await settled();
    expect(recorder.take()).toEqual([]);
    await addContact(pool, '1', '5', { friend: true, family: false });
    await upload('5', 130);
    await settled();
    expect(recorder.got.map(({ watch }) => watch === id)).toHaveLength(2);
    expect(recorder.take()).toEqual(['5@130', '5@130']);
    expect((await readWatch(primary, id))?.told.contacts?.entries).toContainEqual({ id: '4', at: 120 });
  });

  it('is not told of what was read elsewhere than from the servers on record, and told of it once they are back', async () => {
    const { upload, settled, recorder, watch, notifierOn, watched, clock } = it_;
    await watch();
    await settled();
    await upload('2', 100);
    const elsewhere: NotifierOptions['watch'] = {
      during: async (work) => {
        await work();
        throw new RedisUnavailable('MySQL was another server');
      },
    };
    const refused = notifierOn({ kafka: recorder, webhook: recorder }, { watch: elsewhere });
    const outcome = await until(() => refused.runOnce().then((found) => found > 0 && 'told', String));
    expect(outcome).toContain('MySQL was another server');
    expect(recorder.take()).toEqual([]);
    clock.now += 60_000; // the lease of what was taken has ended
    await watched.check(['1'], 0);
    await until(async () => {
      await settled();
      return recorder.got.length > 0;
    });
    expect(recorder.take()).toEqual(['2@100']);
  });

  it('combines what is new within its interval', async () => {
    const { upload, settled, recorder, watch, clock, sweep } = it_;
    await watch({ intervalMs: 60_000 });
    await settled();
    await upload('2', 100);
    await settled();
    await upload('3', 200);
    await upload('4', 300);
    await settled();
    expect(recorder.take()).toEqual(['2@100']);
    clock.now += 60_000;
    await sweep.runOnce();
    await settled();
    expect(recorder.got).toHaveLength(1);
    expect(recorder.take()).toEqual(['4@300', '3@200']);
  });

  it('is told of a failed delivery again under the same id, without what was hidden meanwhile, and then of the rest', async () => {
    const { upload, settled, recorder, watch, clock, sweep, pool } = it_;
    await watch();
    await settled();
    recorder.outcome = { is: 'failed', why: 'a test' };
    await Promise.all([upload('2', 100), upload('3', 200)]);
    await settled();
    const [first] = recorder.got.splice(0);
    const photo = await upload('4', 300);
    await pool.query('DELETE FROM photos WHERE owner_id = 3');
    await pool.query(
      'UPDATE users SET last_public_at = 0, last_friends_at = 0, last_family_at = 0, last_friends_family_at = 0 WHERE id = 3',
    );
    await settled();
    expect(recorder.take()).toEqual([]); // not before it is due
    recorder.outcome = { is: 'delivered' };
    clock.now += 5_000;
    await sweep.runOnce();
    await settled();
    expect(recorder.got[0]?.id).toBe(first?.id);
    expect(recorder.take()).toEqual(['2@100', '4@300']);
    expect(photo).not.toBe('');
  });

  it('is told under the same id by another notifier when the first died after the delivery', async () => {
    const { upload, settled, recorder, watch, clock, sweep, notifierOn } = it_;
    await watch();
    await settled();
    await upload('2', 100);
    const dying = new Recorder();
    dying.outcomes = () => new Promise(() => undefined); // it never learns the outcome
    const dyingOne = notifierOn({ kafka: dying, webhook: dying });
    await until(async () => (await dyingOne.begin()) > 0);
    const [first] = dying.got;
    expect(first?.sources).toMatchObject([{ id: '2', at: 100 }]);
    await settled();
    clock.now += 10_000;
    await sweep.runOnce();
    await settled();
    expect(recorder.got.map(({ id }) => id)).toEqual([first?.id]);
    expect(recorder.take()).toEqual(['2@100']);
  });

  it('is not told again while a delivery takes long, and is looked at less and less often meanwhile', async () => {
    const { upload, settled, recorder, clock, watch, notifier, notifierOn, sweep, watched } = it_;
    await watch();
    await settled();
    const outcome = Promise.withResolvers<DeliveryOutcome>();
    recorder.outcomes = () => outcome.promise;
    await upload('2', 100);
    await until(async () => (await notifier.begin()) > 0);
    const other = new Recorder();
    const second = notifierOn({ kafka: other, webhook: other });
    for (let seconds = 0; seconds < 20; seconds += 4) {
      clock.now += 4_000;
      await notifier.prolong();
      await sweep.runOnce();
      await second.runOnce();
    }
    expect(other.got).toEqual([]);
    expect(await watched.queue.size(), 'it is looked at again').toBe(1);
    expect(await second.runOnce(), 'but not at once').toBe(0);
    outcome.resolve({ is: 'delivered' });
    recorder.outcomes = () => Promise.resolve({ is: 'delivered' });
    await notifier.drain();
    clock.now += 60_000;
    await sweep.runOnce();
    await second.runOnce();
    expect(recorder.take()).toEqual(['2@100']);
    expect(other.got).toEqual([]);
  });

  it('ends when its receiver is gone, goes on when it is changed, and is then told of what is new', async () => {
    const { upload, settled, recorder, watch, manager } = it_;
    const { id } = await watch();
    await settled();
    recorder.outcome = { is: 'gone', why: 'a test' };
    await upload('2', 100);
    await settled();
    expect((await manager.find(id))?.ended).toBe('a test');
    recorder.take();
    recorder.outcome = { is: 'delivered' };
    await upload('3', 200);
    await settled();
    expect(recorder.take()).toEqual([]);
    await manager.change(id, { muted: ['9'] });
    await settled();
    expect(recorder.take()).toEqual(['3@200', '2@100']);
  });

  it('is given up after three days; what was given up can be delivered again', async () => {
    const { upload, settled, recorder, watch, clock, sweep, primary } = it_;
    await watch({ channel: 'webhook', url: 'http://localhost/' });
    await settled();
    recorder.outcome = { is: 'failed', why: 'a test' };
    await upload('2', 100);
    await settled();
    clock.now += 3 * 86_400_000;
    await sweep.runOnce();
    await settled();
    const [letter] = await readUndelivered(primary, 10);
    expect(letter).toMatchObject({ user: '1', sources: [{ kind: 'contacts', id: '2', at: 100 }] });
    recorder.take();
    recorder.outcome = { is: 'delivered' };
    expect(await replayUndelivered(primary, 'no such', clock.now)).toBe('unknown');
    expect(await replayUndelivered(primary, letter?.id ?? '', clock.now)).toBe('replayed');
    await sweep.runOnce();
    await settled();
    expect(recorder.got.map(({ id }) => id)).toEqual([letter?.id]);
    expect(recorder.take()).toEqual(['2@100']);
    expect(await readUndelivered(primary, 10)).toEqual([]);
  });

  it('is checked again in a new epoch, although Redis has lost who is watched', async () => {
    const { upload, settled, recorder, watch, sweep, stores } = it_;
    await watch();
    await settled();
    await sweep.runOnce();
    await settled();
    await stores.redis.del(`${stores.prefix}:push:{delay}:watched`);
    await upload('2', 100);
    await settled();
    expect(recorder.take()).toEqual([]);
    await stores.primary.write("UPDATE recency_epoch SET token = 'another'", []);
    await sweep.runOnce();
    await settled();
    expect(recorder.take()).toEqual(['2@100']);
    await upload('3', 200);
    await settled();
    expect(recorder.take()).toEqual(['3@200']);
  });

  it('is tested with a notification of its own', async () => {
    const { settled, recorder, watch, manager } = it_;
    const { id } = await watch();
    await settled();
    const test = await manager.test(id);
    await settled();
    expect(recorder.got).toMatchObject([{ id: test, isTest: true, sources: [] }]);
    expect(await manager.test('999')).toBeUndefined();
  });
});

describe('what is uploaded is told', () => {
  /** Makes 9 a friend as well as 2: the others are not. */
  async function befriended() {
    const { pool, stores } = it_;
    for (const contact of ['2', '9']) {
      await addContact(pool, '1', contact, { friend: true, family: false });
      await run(refresh([{ user: '1', contact }]), stores.steps);
    }
  }

  it('although the filter is changed while a delivery is retried', async () => {
    const { upload, settled, recorder, watch, manager, clock, sweep } = it_;
    await befriended();
    const { id } = await watch();
    await settled();
    recorder.outcome = { is: 'failed', why: 'a test' };
    await upload('2', 100);
    await settled();
    await manager.change(id, { relation: 'friends' });
    await settled();
    await upload('9', 200);
    await settled();
    recorder.take();
    recorder.outcome = { is: 'delivered' };
    clock.now += 10_000;
    await sweep.runOnce();
    await settled();
    expect(recorder.take()).toEqual(['2@100', '9@200']);
  });

  it('although the filter is changed before anybody was told', async () => {
    const { upload, settled, recorder, watch, manager } = it_;
    await befriended();
    await upload('3', 50);
    const { id } = await watch({ relation: 'friends' });
    await settled();
    await upload('2', 100);
    await manager.change(id, { relation: 'any' });
    await settled();
    expect(recorder.take(), 'of 3 it was not to be told, and that is not new').toEqual(['2@100']);
    await upload('3', 200);
    await settled();
    expect(recorder.take()).toEqual(['3@200']);
  });

  it('although a new watch is tested at once, and the test takes long', async () => {
    const { upload, settled, recorder, watch, manager, notifierOn } = it_;
    const { id } = await watch();
    await manager.test(id);
    const test = Promise.withResolvers<DeliveryOutcome>();
    const slow = new Recorder();
    slow.outcomes = () => test.promise;
    const testing = notifierOn({ kafka: slow, webhook: slow });
    await until(async () => {
      await testing.begin();
      return slow.got.length === 1;
    });
    await upload('2', 100);
    test.resolve({ is: 'delivered' });
    await testing.drain();
    await settled();
    expect(recorder.take()).toEqual(['2@100']);
  });

  it('although the first check of a new watch comes only after it', async () => {
    const { upload, settled, recorder, watch, clock } = it_;
    await upload('9', 100);
    await watch();
    await upload('2', clock.now + 1);
    clock.now += 10_000;
    await settled();
    expect(recorder.take()).toEqual(['2@1000001']);
  });

  it('as `more` where there is no room for it, also beside those who are muted', async () => {
    const { upload, settled, recorder, watch } = it_;
    await watch({ muted: ['9'] });
    await settled();
    for (const [i, contact] of ['2', '3', '4', '5', '6', '7', '8', '9'].entries()) await upload(contact, 100 + i);
    await settled();
    expect(recorder.got).toMatchObject([{ more: true }]);
    expect(recorder.take()).toEqual(['8@106', '7@105', '6@104', '5@103', '4@102']);
    await upload('7', 200);
    await settled();
    expect(recorder.got).toMatchObject([{ more: false, sources: [{ id: '7' }] }]);
  });

  it('as `more` when others came above it while a delivery was retried', async () => {
    const { upload, settled, recorder, watch, clock, sweep } = it_;
    await watch();
    await settled();
    recorder.outcome = { is: 'failed', why: 'a test' };
    await upload('2', 100);
    await settled();
    for (const [i, contact] of ['3', '4', '5', '6', '7', '8'].entries()) await upload(contact, 200 + i);
    recorder.take();
    recorder.outcome = { is: 'delivered' };
    clock.now += 10_000;
    await sweep.runOnce();
    await settled();
    expect(recorder.got).toMatchObject([{ more: true }, { more: true }]);
    expect(recorder.take()).toEqual(['8@205', '7@204', '6@203', '5@202', '4@201']);
  });
});

describe('a clock that is wrong', () => {
  it.each([{ intervalMs: 0 }, { intervalMs: 60_000 }])('makes no wait longer than $intervalMs ms', async (interval) => {
    const { upload, settled, recorder, watch, clock, sweep } = it_;
    await watch(interval);
    await settled();
    clock.now += 3_600_000;
    await upload('2', 100);
    await settled();
    clock.now -= 3_600_000;
    await upload('3', 200);
    await settled();
    clock.now += interval.intervalMs;
    await sweep.runOnce();
    await settled();
    expect(recorder.take()).toEqual(['2@100', '3@200']);
  });

  it('delays no retry', async () => {
    const { upload, settled, recorder, watch, clock, sweep } = it_;
    await watch();
    await settled();
    recorder.outcome = { is: 'failed', why: 'a test' };
    clock.now += 3_600_000;
    await upload('2', 100);
    await settled();
    recorder.take();
    clock.now -= 3_600_000;
    recorder.outcome = { is: 'delivered' };
    await upload('3', 200);
    await settled();
    clock.now += 10_000;
    await sweep.runOnce();
    await settled();
    expect(recorder.take()).toEqual(['2@100', '3@200']);
  });
});

describe('nobody is held up', () => {
  it('by a delivery whose outcome never comes: it has failed after a while', async () => {
    const { upload, settled, recorder, watch, clock, sweep, notifierOn } = it_;
    await watch();
    await settled();
    const stuck = new Recorder();
    stuck.outcomes = () => new Promise(() => undefined);
    let elapsed = 0;
    const notifier = notifierOn({ kafka: stuck, webhook: stuck }, { elapsed: () => elapsed });
    await upload('2', 100);
    await until(async () => (await notifier.begin()) > 0);
    elapsed = 61_000;
    await notifier.prolong();
    await notifier.drain();
    clock.now += 10_000;
    await sweep.runOnce();
    await settled();
    expect(recorder.take()).toEqual(['2@100']);
  });

  it.each([
    [`told = '{"contacts": 7}'`, 'read together', 16_777_216],
    [`outgoing = '{}'`, 'read together', 16_777_216],
    [`outgoing = '{"sources": []}'`, 'read together', 16_777_216],
    [`told = '{"contacts": 7}'`, 'read page by page', 1_000],
  ])('by a watch that cannot be read (%s), nor by many of one user: %s', async (broken, how, largestPacket) => {
    const { upload, settled, recorder, watch, manager, primary, notifierOn, watched } = it_;
    const ids = [];
    for (let i = 0; i < 5; i++) ids.push((await watch()).id);
    await settled();
    await primary.write(`UPDATE recency_watches SET ${broken} WHERE id = ?`, [ids[2] ?? '']);
    await upload('2', 100);
    if (how === 'read together') {
      const { unreadable } = await findWatches(primary, ['1'], largestPacket);
      expect(unreadable).toMatchObject([{ id: ids[2], error: { name: 'SyntaxError' } }]);
    }
    expect(await manager.ofUser('1'), 'it can be listed').toHaveLength(5);
    const small = notifierOn({ kafka: recorder, webhook: recorder }, { answers: async () => true, largestPacket });
    await until(async () => {
      await small.runOnce();
      return recorder.got.length === 4;
    });
    expect(new Set(recorder.got.map(({ watch }) => watch))).toEqual(new Set(ids.filter((_, i) => i !== 2)));
    expect(await watched.queue.size(), 'the user is taken again later').toBe(1);
  });

  it('by another watch of the same user, whose delivery is looked at again later', async () => {
    const { upload, stores, watch, settled, watched } = it_;
    await watch();
    await settled();
    const dueAt = async () => Number(await stores.redis.zscore(`${stores.prefix}:push:{delay}:due`, '1'));
    await watched.check(['1'], 60_000);
    const later = await dueAt();
    await upload('2', 100);
    const soon = await dueAt();
    expect(soon).toBeLessThan(later);
    await watched.check(['1'], 60_000);
    expect(await dueAt()).toBe(soon);
    await stores.redis.zadd(`${stores.prefix}:push:{delay}:due`, later, '1');
    await watched.check(['1'], 0);
    expect(await dueAt()).toBeLessThan(later);
  });

  it('by a watch of a channel that another version knows', async () => {
    const { upload, settled, recorder, watch, primary, notifier } = it_;
    const [unknown, known] = [await watch(), await watch()];
    await settled();
    await primary.write("UPDATE recency_watches SET channel = 'sms' WHERE id = ?", [unknown.id]);
    await upload('2', 100);
    await until(async () => (await notifier.runOnce()) > 0);
    expect(recorder.got.map(({ watch }) => watch)).toEqual([known.id]);
    expect(await readWatch(primary, unknown.id)).toMatchObject({
      outgoing: { attempts: 1 },
      dueAt: expect.any(Number),
    });
  });

  it('by a watch of which no head can be had: it is asked for less and less often', async () => {
    const { watch, watched, notifierOn, checkSteps, recorder, clock, primary } = it_;
    const { id } = await watch();
    const steps = { heads: async (asked: readonly unknown[]) => asked.map(() => undefined) };
    const blind = notifierOn({ kafka: recorder, webhook: recorder }, { steps: { ...checkSteps(), ...steps } });
    const waits: number[] = [];
    const put = watched.queue.put.bind(watched.queue);
    watched.queue.put = async (items, ms) => {
      waits.push(ms);
      await put(items, 0);
    };
    for (let i = 0; i < 5; i++) {
      await until(async () => (await blind.runOnce()) > 0);
      clock.now += waits.at(-1) ?? 0;
    }
    expect(waits).toEqual([100, 100, 200, 400, 800]);
    expect((await readWatch(primary, id))?.dueAt).toBeDefined();
  });

  it('by more watches of one user than one may have', async () => {
    const { primary, watched, clock, stores } = it_;
    const onFault = () => undefined;
    const manager = new WatchManager({ database: primary, watched, onFault, clock: () => clock.now, atMost: 3 });
    const asked = {
      user: '1',
      kinds: ['contacts'],
      relation: 'any',
      muted: [],
      intervalMs: 0,
      channel: 'kafka',
    } as const;
    const made = await Promise.allSettled(Array.from({ length: 8 }, () => manager.create(asked)));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    await expect(manager.create(asked)).rejects.toThrow(TooManyWatches);
    await expect(manager.create({ ...asked, user: '2' })).resolves.toBeDefined();
    expect(await stores.redis.scard(`${stores.prefix}:push:{delay}:watched`)).toBe(2);
  });
});

describe('a user whose last watch is removed', () => {
  it('is no longer among the watched, and is again with the next one', async () => {
    const { watch, settled, manager, stores, upload, recorder } = it_;
    const members = () => stores.redis.smembers(`${stores.prefix}:push:{delay}:watched`);
    const { id } = await watch();
    await settled();
    expect(await members()).toEqual(['1']);
    await manager.remove(id);
    await settled();
    expect(await members()).toEqual([]);
    await watch();
    await settled();
    await upload('3', 200);
    await settled();
    expect(recorder.take()).toEqual(['3@200']);
    recorder.outcome = { is: 'gone', why: 'a test' };
    await upload('2', 300);
    await settled();
    expect(await members()).toEqual([]);
  });
});

describe('a test', () => {
  it('waits until the watch has been checked since the last one, so that many do not keep it from what is new', async () => {
    const { watch, settled, manager, upload, recorder, notifier } = it_;
    const { id } = await watch();
    await settled();
    await manager.test(id);
    await until(async () => (await notifier.runOnce()) > 0);
    recorder.take();
    await upload('2', 100);
    await expect(manager.test(id)).rejects.toThrow('has not been checked since its last test');
    const again = manager.test(id);
    await settled();
    expect(recorder.take()).toEqual(['2@100']);
    expect(await again).toMatch(/^test_/);
  });

  it('neither revives a watch that has ended nor delays the next notification', async () => {
    const { watch, settled, manager, upload, recorder, primary } = it_;
    const { id } = await watch({ intervalMs: 60_000 });
    await settled();
    await manager.test(id);
    await settled();
    recorder.got.splice(0);
    recorder.outcome = { is: 'gone', why: 'a test' };
    await upload('2', 100);
    await settled();
    expect(recorder.take()).toEqual(['2@100']);
    recorder.outcome = { is: 'delivered' };
    await manager.test(id);
    await settled();
    expect(recorder.got.splice(0)).toMatchObject([{ isTest: true }]);
    expect((await readWatch(primary, id))?.ended).toBe('a test');
    await upload('3', 200);
    await settled();
    expect(recorder.take()).toEqual([]);
  });
});

describe('a webhook', () => {
  it('is signed as Standard Webhooks says, by each secret, and holds what a live answer shows', async () => {
    const { upload, settled, watch, manager, notifierOn, watched } = it_;
    const received: { headers: Record<string, string>; body: string }[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (part) => (body += part));
      request.on('end', () => {
        received.push({ headers: request.headers as Record<string, string>, body });
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const channel = new WebhookChannel({ allowPrivate: true, version: '1', inFlight: 100 });
    closeAtEnd(() => channel.close());
    const { port } = server.address() as AddressInfo;
    const { id, secret } = await watch({ channel: 'webhook', url: `http://127.0.0.1:${port}/hook` });
    await settled();
    const rotated = await manager.change(id, { rotateSecret: true });
    await settled();
    await upload('2', 100);
    const notifier = notifierOn({ kafka: channel, webhook: channel });
    await until(async () => {
      await notifier.runOnce();
      return received.length === 1 && (await watched.queue.size()) === 0;
    });
    const [{ headers, body } = { headers: {}, body: '' }] = received;
    for (const known of [secret, rotated?.secret]) {
      expect(new Webhook(known ?? '').verify(body, headers)).toMatchObject({
        type: 'recency.activity',
        data: {
          user: '1',
          sources: [{ kind: 'contacts', id: '2', last_upload_at: '1970-01-01T00:00:00.100Z' }],
          more: false,
        },
      });
    }
    expect(() => new Webhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw').verify(body, headers)).toThrow();
  });
});
