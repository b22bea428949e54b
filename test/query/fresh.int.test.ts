import { isDeepStrictEqual } from 'node:util';
import type { Pool } from 'mysql2/promise';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readYourWrites } from '../../src/app/api-queries.ts';
import type { RelationChange } from '../../src/contracts/fresh.ts';
import { CONTACTS as CONTACTS_KIND } from '../../src/contracts/kind.ts';
import type { RedisTrust } from '../../src/index/epoch-watch.ts';
import { run, type Steps } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { ColdBuilds } from '../../src/query/cold-builds.ts';
import type { RecentQuery } from '../../src/query/recent-answer.ts';
import type { RecentContactsOptions } from '../../src/query/recent-contacts.ts';
import { RedisUnavailable } from '../../src/redis/unavailable.ts';
import { Deadline } from '../../src/timing/deadline.ts';
import { addContact, changeRelationship, removeContact } from '../../src/tools/reference-site/relationships.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { expectExact } from '../support/exact.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { freshStores, recentContactsOn, type Stores } from '../support/stores.ts';
import { TRUSTED, UNTRUSTED } from '../support/trust.ts';
import { until } from '../support/until.ts';

const LIMITS = { max: 8, min: 4 };
const USER = '1';
const CONTACTS = Array.from({ length: 20 }, (_, i) => String(101 + i));
const NEWEST = '120';
const NEW = '900';
const TOP = ['120', '119', '118'];

const known = everybodyKnows([USER], CONTACTS);
/** Not a contact yet; their newest photo is newer than everybody's, and one for friends is newer still. */
const SITE = {
  ...known,
  users: [...known.users, NEW],
  photos: [
    ...known.photos,
    { id: NEW, owner: NEW, audience: 0, at: 5_000 },
    { id: '901', owner: NEW, audience: 1, at: 6_000 },
  ],
};

let stores: Stores;
let pool: Pool;

beforeAll(async () => {
  stores = await freshStores(LIMITS);
  pool = freshSitePool(stores.url);
});

beforeEach(async () => {
  await writeSite(pool, SITE);
  await stores.index.drop([USER, ...SITE.users]);
  await run(rebuild([USER]), stores.steps);
});

const contact = (id: string, version?: string): RelationChange => ({
  kind: 'contact',
  user: USER,
  id,
  ...(version === undefined ? {} : { version }),
});

interface Given {
  readonly steps?: Partial<Steps>;
  readonly parts?: Partial<RecentContactsOptions>;
  readonly watch?: Pick<RedisTrust, 'isTrusted' | 'during'>;
  readonly deadline?: Deadline;
  readonly query?: Partial<RecentQuery>;
}

/** Reads as the API does. @returns the ids, and where they came from */
async function read(changes: readonly RelationChange[], given: Given = {}) {
  const { watch = TRUSTED, deadline } = given;
  const steps = { ...stores.steps, ...given.steps };
  const recent = recentContactsOn(stores, LIMITS, given.parts);
  const kinds = [{ kind: CONTACTS_KIND, steps }];
  const { fresh } = readYourWrites({ kinds, primary: stores.primary, watch, onFault: nothing });
  const { contacts, source, exact, reason, timing } = await fresh.read(
    { changes, gtids: undefined, deadline },
    ({ of }) =>
      recent.find({
        ...{ user: USER, relation: 'any', limit: 3, below: undefined, deadline, ...given.query, freshness: of(USER) },
      }),
  );
  return { ids: contacts.map(({ id }) => id), source, exact, reason, timing, counts: fresh.counts };
}

const nothing = () => undefined;

const fromIndex = { source: 'index', exact: true, reason: undefined };

describe('a read that names its change, whose task nobody has processed,', () => {
  it('shows an addition, which one that names nothing cannot', async () => {
    const version = await addContact(pool, USER, NEW);
    expect(await read([])).toMatchObject({ ids: TOP, ...fromIndex });
    expect(await read([contact(NEW, version)])).toMatchObject({
      ...{ ids: [NEW, '120', '119'], ...fromIndex },
      counts: { refreshed: 1, behind: 0 },
    });
    expect(await read([])).toMatchObject({ ids: [NEW, '120', '119'], ...fromIndex });
  });

  it('shows what another grants, by the name of the relation alone', async () => {
    await addContact(pool, USER, NEW);
    await read([contact(NEW)]);
    await addContact(pool, NEW, USER, { friend: true, family: false });
    expect(await read([contact(NEW)])).toMatchObject({ ids: [NEW, '120', '119'] });
    expect((await stores.index.read(USER, 1, false)) as object).toMatchObject({ head: [{ id: NEW, at: 6_000 }] });
  });

  it('leaves the index of the other side to the task, as a task that is applied at once does not', async () => {
    await addContact(pool, NEW, USER);
    await run(rebuild([NEW]), stores.steps);
    await addContact(pool, USER, NEW, { friend: true, family: false });
    await pool.query('INSERT INTO photos (id, owner_id, audience, uploaded_at, title) VALUES (1, 1, 1, 7000, "")');
    await pool.query('UPDATE users SET last_friends_at = 7000 WHERE id = 1');
    const nonce = await stores.index.nonces([NEW]);
    await read([contact(NEW)]);
    expect(await stores.index.nonces([NEW])).toEqual(nonce);

    const kinds = [{ kind: CONTACTS_KIND, steps: stores.steps }];
    const { applyNow } = readYourWrites({ kinds, primary: stores.primary, watch: TRUSTED, onFault: nothing });
    const task = { type: 'recency.contact.changed', user: USER, contact: NEW } as const;
    expect(await applyNow.apply([task], new Deadline(10_000))).toBe(true);
    await expectExact(stores, LIMITS, NEW, 'the side that was not read');
  });

  it('shows eight removals, and leaves the rebuild that they make due to the delay queue', async () => {
    const removed = CONTACTS.slice(-8);
    const versions: (string | null)[] = [];
    for (const id of removed) versions.push(await removeContact(pool, USER, id));
    const changes = removed.map((id, i) => contact(id, String(versions[i])));
    expect(await read(changes)).toMatchObject({
      ...{ ids: ['112', '111', '110'], source: 'database', exact: true, reason: 'below_floor' },
      counts: { refreshed: 1 },
    });
    const due = { kind: 'rebuild', user: USER };
    await until(async () => {
      const { items } = await stores.delayed.take(10, 1_000);
      return items.some((item) => isDeepStrictEqual(item, due));
    });
  });
});

describe('a version that is not committed yet', () => {
  it('makes the answer not exact, wherever it comes from; once it is committed it is shown', async () => {
    const behind = { ids: TOP, exact: false, reason: 'version_not_committed' };
    const early = [contact(NEWEST, '2')];
    expect(await read(early)).toMatchObject({ ...behind, source: 'index', counts: { behind: 1, refreshed: 0 } });
    expect(await read(early, { query: { limit: 10 } })).toMatchObject({ exact: false, source: 'database' });
    expect(await read(early, { watch: UNTRUSTED, parts: AWAY })).toMatchObject({ ...behind, source: 'database' });
    expect(await read([contact(NEW, '1')])).toMatchObject(behind); // there is no row at all
    expect(await stores.rechecks.take(10, 1_000)).toEqual([]); // its task, not its reader, sees to it that it is not lost
    expect(await removeContact(pool, USER, NEWEST)).toBe('2');
    expect(await read(early)).toMatchObject({ ids: ['119', '118', '117'], ...fromIndex });
    expect(await read([contact(NEWEST, '1')])).toMatchObject(fromIndex);
  });
});

const away = () => Promise.reject(new RedisUnavailable('not there'));
const AWAY: Partial<RecentContactsOptions> = { index: { read: away } };

describe('where the index cannot be refreshed, plain SQL answers:', () => {
  it.each([
    ['Redis is not available', { steps: { nonces: away }, parts: AWAY }],
    ['Redis fails between reading and writing', { steps: { apply: away } }],
    ['Redis is not trusted', { watch: UNTRUSTED }],
  ] satisfies [string, Given][])('%s', async (_what, given) => {
    const version = await addContact(pool, USER, NEW);
    const answer = await read([contact(NEW, version)], given);
    expect(answer).toMatchObject({ ids: [NEW, '120', '119'], source: 'database', exact: true });
    expect(answer).toMatchObject({ reason: 'redis_unavailable', counts: { redis_unavailable: 1 } });
  });

  it('it lost every race; the refresh waits in the delay queue', async () => {
    const raced: Steps['apply'] = async (_epoch, requests) => requests.map(() => 'raced');
    const version = await removeContact(pool, USER, NEWEST);
    const answer = await read([contact(NEWEST, String(version))], { steps: { apply: raced } });
    expect(answer).toMatchObject({ ids: ['119', '118', '117'], source: 'database', exact: true });
    expect(answer).toMatchObject({ reason: 'not_refreshed', counts: { not_refreshed: 1 } });
    const refresh = { kind: 'refresh', user: USER, contact: NEWEST };
    await until(async () => {
      const { items } = await stores.delayed.take(10, 1_000); // a rebuild of another test may be due before
      return items.some((item) => isDeepStrictEqual(item, refresh));
    });
  });

  it('the user is cold, or their index is being built from older rows', async () => {
    await stores.index.drop([USER]);
    await addContact(pool, USER, NEW);
    expect(await read([contact(NEW)])).toMatchObject({ ids: [NEW, '120', '119'], source: 'database', reason: 'cold' });

    const gate = Promise.withResolvers<void>();
    const haveRead = Promise.withResolvers<void>();
    const builds = new ColdBuilds({
      build: async (user) => {
        const topContacts: Steps['topContacts'] = async (users) => {
          const top = await stores.steps.topContacts(users);
          haveRead.resolve();
          await gate.promise;
          return top;
        };
        await run(rebuild([user]), { ...stores.steps, topContacts });
        return 'built';
      },
      ...{ concurrency: 1, queue: 1, onError: () => undefined },
    });
    const first = builds.answer(USER);
    await haveRead.promise; // it has NEW
    await removeContact(pool, USER, NEW);
    const second = read([contact(NEW)], { parts: { coldAnswers: (user) => builds.answer(user) } });
    await until(async () => (await stores.index.read(USER, 0, false)).state === 'cold'); // the placeholder is gone
    gate.resolve();
    await first;
    expect(await second).toMatchObject({ ids: TOP, exact: true });
    await builds.drain();
  });
});

describe('the deadline of the request', () => {
  it('bounds the refresh; a refresh that is late is no answer', async () => {
    const never: Steps['nonces'] = () => new Promise(() => undefined);
    const late = read([contact(NEW)], { deadline: new Deadline(50), steps: { nonces: never } });
    await expect(late).rejects.toMatchObject({ name: 'DeadlineExceeded' });
  });

  it('ends it when the client has gone', async () => {
    const deadline = new Deadline(10_000);
    const never: Steps['nonces'] = () => new Promise(() => undefined);
    const read1 = read([contact(NEW)], { deadline, steps: { nonces: never } });
    deadline.cancel();
    await expect(read1).rejects.toMatchObject({ name: 'RequestCancelled' });
  });
});

describe('a replica', () => {
  it('does not answer a read that names a change without a position: the primary does', async () => {
    const limits = { connections: 2, queue: 10, deadlineMs: 5_000 };
    const replica = new ContactsDatabase(stores.url, { ...limits, replicaOf: stores.primary });
    onTestFinished(() => replica.close());
    const recent = recentContactsOn(stores, LIMITS, { database: replica });
    const waits = { after: () => replica };
    const { primary, steps } = stores;
    const kinds = [{ kind: CONTACTS_KIND, steps }];
    const { fresh } = readYourWrites({ kinds, primary, watch: TRUSTED, onFault: nothing }, waits);
    const find = (changes: readonly RelationChange[]) =>
      fresh.read({ changes, gtids: undefined }, ({ of }) =>
        recent.find({ user: USER, relation: 'any', limit: 3, below: undefined, freshness: of(USER) }),
      );
    expect(await find([contact(NEW)])).toMatchObject({ exact: true, replica: false });
    expect(await find([])).toMatchObject({ exact: false, replica: true });
  });
});

describe('time spent on the refresh', () => {
  it('is part of the answer, as time of Redis and of MySQL', async () => {
    await changeRelationship(pool, USER, NEWEST, { friend: true, family: false });
    const slow: Steps['nonces'] = async (users) => {
      const from = performance.now();
      await until(() => performance.now() - from > 100);
      return await stores.steps.nonces(users);
    };
    const { timing } = await read([contact(NEWEST)], { steps: { nonces: slow } });
    expect(timing.index).toBeGreaterThan(100);
    expect(timing.db).toBeGreaterThan(0);
  });
});
