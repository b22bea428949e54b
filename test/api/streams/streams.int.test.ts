import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { run } from '../../../src/index/protocol.ts';
import { rebuild } from '../../../src/index/rebuild.ts';
import { refresh } from '../../../src/index/refresh.ts';
import { readEpoch, writeEpoch } from '../../../src/mysql/epoch.ts';
import { RecentBatch } from '../../../src/query/recent-batch.ts';
import { ask, startTestApi, type TestApi } from '../../support/api.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../../support/small-site.ts';
import { freshStores, recentContactsOn, type Stores } from '../../support/stores.ts';
import { headsOf, listen, streamsOn } from '../../support/streams.ts';
import { until } from '../../support/until.ts';

const USERS = Array.from({ length: 20 }, (_, i) => String(i + 1));
const CONTACTS = ['101', '102', '103'];
const PATH = (user: string) => `/v1/users/${user}/contacts/recent/stream`;
/** Longer than any test: so far no head is looked at by itself. */
const NEVER_MS = 1_000_000;

let stores: Stores;
let api: TestApi;
let pool: ReturnType<typeof freshSitePool>;
let nextUser = 0;
let time = 5_000;

beforeAll(async () => {
  stores = await freshStores({ max: 24, min: 2 });
  pool = freshSitePool(stores.url);
  await writeSite(pool, everybodyKnows(USERS, CONTACTS));
  api = await startTestApi(stores);
});

/** A user of this test's own who has an index. */
async function warmUser(): Promise<string> {
  const user = USERS[nextUser++] ?? '';
  await run(rebuild([user], true), stores.steps);
  return user;
}

/** The contact uploads; the task is not applied. */
async function upload(contact: string): Promise<void> {
  await pool.query('UPDATE users SET last_public_at = ? WHERE id = ?', [time++, contact]);
}

async function applyUpload(user: string, contact: string): Promise<void> {
  await upload(contact);
  await run(refresh([{ user, contact }]), stores.steps);
}

describe('a stream', () => {
  it('begins with the current head: the answer, its ETag as the id, and how long to wait before connecting again', async () => {
    const user = await warmUser();
    const stream = await listen(api, PATH(user));
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.headers.get('cache-control')).toBe('private, no-cache, no-transform');
    expect(stream.headers.get('x-accel-buffering')).toBe('no');
    const [retry, head] = await until(() => stream.events.length >= 2 && stream.events);
    expect(Number(retry?.retry)).toBeGreaterThanOrEqual(1_000);
    expect(Number(retry?.retry)).toBeLessThanOrEqual(5_000);
    const answer = await ask(api, `/v1/users/${user}/contacts/recent`);
    expect(head?.id).toBe(answer.headers.get('etag'));
    const { answer: how, ...shown } = JSON.parse(head?.data ?? '');
    const { answer: _how, ...asked } = answer.body;
    expect(shown).toEqual(asked);
    expect(how).toMatchObject({ source: 'index', exact: true, through: answer.body.answer.through });
  });

  it('tells the head after each change, once, to everyone who listens', async () => {
    const user = await warmUser();
    const streams = await Promise.all([listen(api, PATH(user)), listen(api, PATH(user))]);
    const other = await listen(api, `${PATH(user)}?limit=1`);
    await applyUpload(user, '101');
    await until(() => [...streams, other].every((stream) => headsOf(stream).length === 2));
    await applyUpload(user, '102');
    await until(() => [...streams, other].every((stream) => headsOf(stream).length === 3));
    for (const stream of streams) {
      expect(headsOf(stream)).toEqual([
        ['103', '102', '101'],
        ['101', '103', '102'],
        ['102', '101', '103'],
      ]);
    }
    expect(headsOf(other)).toEqual([['103'], ['101'], ['102']]);
  });

  it('tells a change whose hint is all that says so', async () => {
    const user = await warmUser();
    const streams = streamsOn(stores, { lookMs: NEVER_MS });
    const hinted = await startTestApi(stores, { streams });
    const stream = await listen(hinted, PATH(user));
    await until(() => headsOf(stream).length === 1);
    await applyUpload(user, '101');
    streams.hint([user, '99']);
    await until(() => headsOf(stream).length === 2);
  });

  it('is not told again what has not changed, though its index was written', async () => {
    const user = await warmUser();
    const streams = streamsOn(stores);
    const own = await startTestApi(stores, { streams });
    const stream = await listen(own, PATH(user));
    await until(() => headsOf(stream).length === 1);
    await run(refresh([{ user, contact: '101' }]), stores.steps);
    await until(() => streams.counts.same >= 1);
    expect(headsOf(stream)).toHaveLength(1);
  });

  it('does not find a head again while its index has not been written', async () => {
    const user = await warmUser();
    const rounds = { nonces: 0 };
    const { index } = stores;
    const streams = streamsOn(stores, {
      nonces: async (_kind, users) => {
        rounds.nonces += 1;
        return await index.nonces(users);
      },
    });
    const own = await startTestApi(stores, { streams });
    await listen(own, PATH(user));
    await until(() => rounds.nonces > 30);
    expect(streams.counts).toMatchObject({ same: 0, told: 0, failed: 0 });
  });

  it('is found once for its beginning, however long that takes', async () => {
    const user = await warmUser();
    const rounds = { epoch: 0 };
    const streams = streamsOn(stores, {
      epoch: async () => {
        rounds.epoch += 1;
        return (await readEpoch(stores.primary)).token;
      },
    });
    const own = await startTestApi(stores, { streams });
    const locks = await pool.getConnection();
    onTestFinished(() => locks.destroy());
    await locks.query('LOCK TABLES users WRITE');
    const listening = listen(own, PATH(user));
    await until(() => rounds.epoch > 10);
    await locks.query('UNLOCK TABLES');
    const stream = await listening;
    const begunAt = rounds.epoch;
    await until(() => rounds.epoch > begunAt + 10);
    expect(headsOf(stream)).toHaveLength(1);
    expect(streams.counts).toMatchObject({ same: 0, told: 0, failed: 0 });
  });
});

describe('a stream that no task reaches', () => {
  it('shows what changed without one, a while later', async () => {
    const user = await warmUser();
    const own = await startTestApi(stores, { streams: streamsOn(stores, { wholeMs: 100 }) });
    const stream = await listen(own, PATH(user));
    await until(() => headsOf(stream).length === 1);
    await upload('101');
    await until(() => headsOf(stream)[1]?.[0] === '101');
  });

  it('is looked at again in a new epoch', async () => {
    const user = await warmUser();
    const stream = await listen(api, PATH(user));
    await until(() => headsOf(stream).length === 1);
    await upload('102');
    await writeEpoch(stores.primary, { nonce: 'another', why: 'a test', bumpedAt: 1 });
    await until(() => headsOf(stream)[1]?.[0] === '102');
  });

  it('is looked at again when the lag becomes too great for exact answers, and when it is not any more', async () => {
    const user = await warmUser();
    let isLate = false;
    const streams = streamsOn(stores, { isLate: () => isLate });
    const lag = { lagMs: () => (isLate ? 10_001 : 100) };
    const recentContacts = recentContactsOn(stores, { max: 24, min: 2 }, lag);
    const recentBatch = new RecentBatch({
      ...{ index: stores.index, database: stores.primary, recent: recentContacts },
      ...{ now: () => performance.now(), ...lag },
    });
    const own = await startTestApi(stores, { streams, recentContacts, recentBatch });
    const stream = await listen(own, PATH(user));
    const exact = () => stream.events.flatMap(({ data }) => (data ? [JSON.parse(data).answer.exact] : []));
    await until(() => exact().length === 1);
    isLate = true;
    await until(() => exact().length === 2);
    isLate = false;
    await until(() => exact().length === 3);
    expect(exact()).toEqual([true, false, true]);
  });

  it('of a user without an index is looked at after some seconds', async () => {
    const user = USERS[nextUser++] ?? '';
    await pool.query('UPDATE contacts SET active = FALSE WHERE user_id = ?', [user]);
    await pool.query('DELETE FROM contacts WHERE user_id = ?', [user]);
    const own = await startTestApi(stores, { streams: streamsOn(stores, { coldMs: 100 }) });
    const stream = await listen(own, PATH(user));
    await until(() => headsOf(stream).length === 1);
    expect(headsOf(stream)).toEqual([[]]);
    await pool.query('INSERT INTO contacts (user_id, contact_id, since) VALUES (?, 103, 0)', [user]);
    // The task finds no index, or the empty one that a build has left that began before the commit.
    await run(refresh([{ user, contact: '103' }]), stores.steps);
    await until(() => headsOf(stream)[1]?.[0] === '103');
  });
});

describe('connecting again', () => {
  it('brings no head to a client that has it, by the header or the query', async () => {
    const user = await warmUser();
    const { headers } = await ask(api, `/v1/users/${user}/contacts/recent`);
    const tag = headers.get('etag') ?? '';
    const streams = [
      await listen(api, PATH(user), { 'last-event-id': tag }),
      await listen(api, `${PATH(user)}?last_event_id=${encodeURIComponent(tag)}`),
      await listen(api, `${PATH(user)}?last_event_id=other`, { 'last-event-id': tag }),
    ];
    await applyUpload(user, '101');
    await until(() => streams.every((stream) => headsOf(stream).length === 1));
    for (const stream of streams) expect(headsOf(stream)[0]?.[0]).toBe('101');
  });

  it('brings the current head to a client that has another', async () => {
    const user = await warmUser();
    const stream = await listen(api, PATH(user), { 'last-event-id': 'W/"old"' });
    await until(() => headsOf(stream).length === 1);
  });
});

describe('the streams of a process', () => {
  it('send a comment now and then', async () => {
    const user = await warmUser();
    const own = await startTestApi(stores, { streams: streamsOn(stores, { heartbeatMs: 150 }) });
    const stream = await listen(own, PATH(user));
    await until(() => stream.events.filter(({ isComment }) => isComment).length >= 2);
    expect(headsOf(stream)).toHaveLength(1);
  });

  it('end with another time to connect again for each, and so do those that begin later', async () => {
    const user = await warmUser();
    const draws = [0, 0, 0.25, 1, 0, 0.5];
    const streams = streamsOn(stores, { random: () => draws.shift() ?? 0 });
    const own = await startTestApi(stores, { streams });
    const [one, two] = [await listen(own, PATH(user)), await listen(own, PATH(user))];
    await until(() => headsOf(two).length === 1);
    streams.end();
    const late = await listen(own, PATH(user));
    await until(() => one.isOver() && two.isOver() && late.isOver());
    expect([one, two, late].map(({ events }) => events.at(-1)?.retry)).toEqual(['2000', '5000', '3000']);
    expect(streams.open).toBe(0);
  });

  it('are no more than allowed; when one ends there is room again', async () => {
    const user = await warmUser();
    const streams = streamsOn(stores, { most: 1 });
    const own = await startTestApi(stores, { streams });
    const stream = await listen(own, PATH(user));
    const refused = await ask(own, PATH(user));
    expect(refused).toMatchObject({ status: 503, body: { code: 'streams_full' } });
    expect(refused.headers.get('retry-after')).toBe('5');
    stream.stop();
    await until(() => streams.open === 0);
    expect((await listen(own, PATH(user))).status).toBe(200);
  });

  it('are counted', async () => {
    const user = await warmUser();
    const stream = await listen(api, PATH(user));
    onTestFinished(stream.stop);
    const metrics = String(await api.dependencies.registry.metrics());
    expect(metrics).toMatch(/^recency_open_streams [1-9]/m);
    expect(metrics).toMatch(/^recency_stream_looks_total\{outcome="told"\} \d/m);
  });
});

describe('a request for a stream', () => {
  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['relation=enemy', 'relation'],
    ['after=x', 'after'],
    ['last_event_id=1&last_event_id=2', 'last_event_id'],
  ])('with %s is refused before it begins', async (query, field) => {
    const refused = await ask(api, `${PATH('1')}?${query}`);
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_parameter', field } });
  });

  it('by HEAD is answered, and holds nothing', async () => {
    const user = await warmUser();
    const streams = streamsOn(stores, { most: 1 });
    const own = await startTestApi(stores, { streams });
    for (let i = 0; i < 3; i++) expect((await ask(own, PATH(user), { method: 'HEAD' })).status).toBe(200);
    expect(streams.open).toBe(0);
  });

  it('that cannot be answered is a problem, and holds nothing', async () => {
    const streams = streamsOn(stores, { most: 1 });
    const failing = { find: () => Promise.reject(new Error('no')) };
    const own = await startTestApi(stores, { streams, recentContacts: failing });
    for (let i = 0; i < 3; i++) expect((await ask(own, PATH('1'))).status).toBe(500);
  });
});
