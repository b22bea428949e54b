import type { Pool } from 'mysql2/promise';
import { pino } from 'pino';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readYourWrites } from '../../src/app/api-queries.ts';
import { openReplicaWaits } from '../../src/app/open-mysql.ts';
import type { GtidSet } from '../../src/contracts/gtid.ts';
import { CONTACTS as CONTACTS_KIND } from '../../src/contracts/kind.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { migrate } from '../../src/mysql/migrate.ts';
import { RecentBatch } from '../../src/query/recent-batch.ts';
import { RecentPhotos } from '../../src/query/recent-photos.ts';
import { addContact, removeContact } from '../../src/tools/reference-site/relationships.ts';
import { ask, post, startTestApi, type TestApi } from '../support/api.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { ReplicatedMysql } from '../support/replicated-mysql.ts';
import { closeAtEnd, freshName, freshPrefix } from '../support/servers.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { freshRedis, NO_LAG, recentContactsOn, type Stores, storesOn } from '../support/stores.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { TRUSTED } from '../support/trust.ts';
import { until } from '../support/until.ts';

const LIMITS = { max: 8, min: 4 };
const USER = '1';
const CONTACTS = Array.from({ length: 12 }, (_, i) => String(101 + i));
/** A user without contacts and without an index. */
const COLD = '902';
/** Not a contact yet, with the newest photo. */
const NEW = '900';
const BEFORE = ['112', '111', '110'];
const AFTER = [NEW, '112', '111'];

const known = everybodyKnows([USER], CONTACTS);
const SITE = {
  ...known,
  users: [...known.users, NEW],
  photos: [...known.photos, { id: NEW, owner: NEW, audience: 0, at: 5_000 }],
};

/** Longer than any test: a wait that ends by itself fails it. */
const FOREVER_MS = 60_000;
const now = () => performance.now();

const servers = new ReplicatedMysql();

let stores: Stores;
let pool: Pool;
let replicaUrl: string;

beforeAll(async () => {
  const urls = await servers.createDatabase(freshName());
  await migrate({ url: urls.primary });
  const primary = new ContactsDatabase(urls.primary, { connections: 5, queue: 1_000, deadlineMs: 60_000 });
  closeAtEnd(() => primary.close());
  replicaUrl = urls.replica;
  stores = storesOn({ url: urls.primary, prefix: freshPrefix(), primary, redis: await freshRedis() }, LIMITS);
  pool = freshSitePool(urls.primary);
});

beforeEach(async () => {
  await writeSite(pool, SITE);
  await run(rebuild([USER]), stores.steps);
  await servers.catchUp();
  onTestFinished(() => servers.release());
});

interface Given {
  readonly waitMs?: number;
  readonly connections?: number;
  readonly timeoutMs?: number;
  readonly deadlineMs?: number;
  /** Of the replica. */
  readonly url?: string;
}

/** An API that reads the replica. */
async function startApi(given: Given = {}) {
  const { waitMs = FOREVER_MS, connections = 4, timeoutMs = 2 * FOREVER_MS, deadlineMs, url = replicaUrl } = given;
  const { steps, primary } = stores;
  const limits = { connections, queue: 1_000, deadlineMs: timeoutMs };
  const replica = new ContactsDatabase(url, { ...limits, replicaOf: primary });
  onTestFinished(() => replica.close());
  const config = { mysqlReplicaWaitMs: waitMs, mysqlConnections: connections, mysqlTimeoutMs: timeoutMs };
  const logger = pino({ level: 'silent' });
  const replicaWaits = openReplicaWaits({ config, logger } as Parameters<typeof openReplicaWaits>[0], replica);
  const recentContacts = recentContactsOn(stores, LIMITS, { database: replica, primary });
  return await startTestApi(stores, {
    ...LIMITS,
    ...readYourWrites(
      { kinds: [{ kind: CONTACTS_KIND, steps }], primary, watch: TRUSTED, onFault: () => undefined },
      replicaWaits,
    ),
    ...{ replicaWaits, recentContacts },
    recentBatch: new RecentBatch({ index: stores.index, database: replica, recent: recentContacts, now, ...NO_LAG }),
    recentPhotos: new RecentPhotos({ recent: recentContacts, database: replica, primary, now }),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  });
}

const PATH = `/v1/users/${USER}/contacts/recent`;

async function read(api: TestApi, fresh?: string, path = `${PATH}?limit=3`) {
  const headers = fresh === undefined ? {} : { 'Recency-Fresh': fresh };
  const { status, body } = await ask(api, path, { headers });
  const ids = body.contacts?.map(({ id }: { id: string }) => id);
  return { status, ids, replica: body.answer?.replica ?? false, exact: body.answer?.exact, body };
}

const FROM_REPLICA = { status: 200, ids: AFTER, replica: true, exact: false };
const FROM_PRIMARY = { status: 200, ids: AFTER, replica: false, exact: true };

const countsOf = ({ dependencies }: TestApi) => dependencies.replicaWaits?.counts;

/** Adds the contact with the newest photo. @returns what names the change */
async function change(): Promise<string> {
  const version = await addContact(pool, USER, NEW);
  return `contact=${NEW}@${version}, gtid=${await servers.position()}`;
}

/** A position in the future of the primary. */
async function later(): Promise<string> {
  const position = await servers.position();
  return servers.product === 'mariadb'
    ? position.replace(/\d+$/, (sequence) => String(BigInt(sequence) + 1_000n))
    : `${position}:9000000000`;
}

const OF_MYSQL: GtidSet = { product: 'mysql', text: '3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5' };
const OF_MARIADB: GtidSet = { product: 'mariadb', text: '0-1-5' };

describe('a replica that has what the reader names', () => {
  it('answers, without a wait; a reader who names nothing is answered by it anyhow', async () => {
    const api = await startApi({ waitMs: 0 });
    const fresh = await change();
    await servers.catchUp();
    expect(await read(api, fresh)).toMatchObject(FROM_REPLICA);
    expect(await read(api)).toMatchObject(FROM_REPLICA);
    expect(countsOf(api)).toEqual({ reached: 1, behind: 0, busy: 0, fault: 0, away: 0 });
  });

  it('answers for a reader who names a position alone', async () => {
    const api = await startApi({ waitMs: 0 });
    expect(await read(api, `gtid=${await servers.position()}`)).toMatchObject({ ...FROM_REPLICA, ids: BEFORE });
  });
});

describe('a replica that does not have it yet', () => {
  it('answers once it has: the list, and the photos', async () => {
    const api = await startApi();
    await servers.hold();
    const fresh = await change();
    expect((await read(api)).ids, 'a reader who names nothing').toEqual(BEFORE);
    const list = read(api, fresh);
    const photos = read(api, fresh, `${PATH}/photos?contacts=3`);
    await until(async () => (await servers.waiting()) === 2);
    await servers.release();
    expect(await list).toMatchObject(FROM_REPLICA);
    expect(await photos).toMatchObject(FROM_REPLICA);
    expect(countsOf(api)).toEqual({ reached: 3, behind: 0, busy: 0, fault: 0, away: 0 });
  });

  it('answers many users once it has, and otherwise leaves all of them to the primary: from an index, and cold', async () => {
    const fresh = async (api: TestApi, header: string) => {
      const { body } = await post(api, '/v1/recent', { users: [USER, COLD], limit: 3 }, { 'Recency-Fresh': header });
      return body.answers.map(({ contacts, answer }: { contacts: unknown[]; answer: Record<string, unknown> }) => ({
        contacts: contacts.length,
        ...{ source: answer.source, replica: answer.replica ?? false, exact: answer.exact },
      }));
    };
    const [patient, hasty] = [await startApi(), await startApi({ waitMs: 100 })];
    await servers.hold();
    const header = (await change()).replace(`=${NEW}`, `=${USER}/${NEW}`);
    const fromPrimary = { replica: false, exact: true };
    expect(await fresh(hasty, header)).toEqual([
      { contacts: 3, source: 'index', ...fromPrimary },
      { contacts: 0, source: 'database', ...fromPrimary },
    ]);
    const answers = fresh(patient, header);
    await until(async () => (await servers.waiting()) > 0);
    await servers.release();
    const fromReplica = { replica: true, exact: false };
    expect(await answers).toEqual([
      { contacts: 3, source: 'index', ...fromReplica },
      { contacts: 0, source: 'database', ...fromReplica },
    ]);
  });

  it('leaves the answer to the primary when the time is up', async () => {
    const api = await startApi({ waitMs: 100 });
    await servers.hold();
    const fresh = await change();
    const from = now();
    expect(await read(api, fresh)).toMatchObject(FROM_PRIMARY);
    expect(now() - from).toBeGreaterThanOrEqual(100);
    expect(await read(api, fresh, `${PATH}/photos?contacts=3`)).toMatchObject(FROM_PRIMARY);
    expect(countsOf(api)).toEqual({ reached: 0, behind: 2, busy: 0, fault: 0, away: 0 });
    expect((await ask(api, '/metrics')).body).toMatch(/recency_replica_waits_total\{outcome="behind"\} 2/);
  });

  it('leaves it to the primary for a position that never comes', async () => {
    const api = await startApi({ waitMs: 50 });
    await addContact(pool, USER, NEW);
    expect(await read(api, `contact=${NEW}, gtid=${await later()}`)).toMatchObject(FROM_PRIMARY);
    expect(countsOf(api)).toMatchObject({ reached: 0, behind: 1 });
  });

  it('does not keep the primary from answering in time: a wait takes half of what is left of the deadline', async () => {
    const api = await startApi({ deadlineMs: 6_000 });
    await servers.hold();
    expect(await read(api, await change())).toMatchObject(FROM_PRIMARY);
  });

  it('does not keep it from answering where a statement may take less time than a wait', async () => {
    const api = await startApi({ timeoutMs: 2_000 });
    await until(async () => (await read(api)).replica); // connected
    await servers.hold();
    expect(await read(api, await change())).toMatchObject(FROM_PRIMARY);
    expect(countsOf(api)).toMatchObject({ behind: 1 });
  });

  it('is waited for on at most half of the connections; past that the primary answers at once', async () => {
    const api = await startApi({ connections: 2 });
    await servers.hold();
    const fresh = await change();
    const first = read(api, fresh);
    await until(async () => (await servers.waiting()) === 1);
    expect(await read(api, fresh)).toMatchObject(FROM_PRIMARY);
    expect(countsOf(api)).toMatchObject({ busy: 1 });
    await servers.release();
    expect(await first).toMatchObject(FROM_REPLICA);
  });

  it('is no longer waited for when the client has gone', async () => {
    const api = await startApi();
    await servers.hold();
    const client = new AbortController();
    const headers = { 'Recency-Fresh': await change() };
    const gone = ask(api, PATH, { headers, signal: client.signal });
    await until(async () => (await servers.waiting()) === 1);
    client.abort();
    await expect(gone).rejects.toThrow();
    await until(async () => (await servers.waiting()) === 0);
  });
});

describe('a replica that does not answer', () => {
  it('because it is down, leaves the answer to the primary: the list, the photos, and many users', async () => {
    const proxy = await TcpProxy.before(replicaUrl);
    const { url } = proxy;
    await proxy[Symbol.asyncDispose]();
    const api = await startApi({ url });
    const fresh = await change();
    expect(await read(api, fresh)).toMatchObject(FROM_PRIMARY);
    expect(await read(api, fresh, `${PATH}/photos?contacts=3`)).toMatchObject(FROM_PRIMARY);
    const header = { 'Recency-Fresh': fresh.replace(`=${NEW}`, `=${USER}/${NEW}`) };
    const { body } = await post(api, '/v1/recent', { users: [USER], limit: 3 }, header);
    expect(body.answers[0]).toMatchObject({ contacts: [{ id: NEW }, {}, {}], answer: { exact: true } });
    expect(countsOf(api)).toMatchObject({ reached: 0, away: expect.any(Number) });
    expect((await ask(api, '/metrics')).body).toMatch(/recency_replica_waits_total\{outcome="away"\} [1-9]/);
    expect(await read(api), 'a reader who names no position').toMatchObject({ status: 503 });
  });

  it('because it hangs, leaves it to the primary in time, and is left alone for a moment', async () => {
    await using proxy = await TcpProxy.before(replicaUrl);
    // Closing waits for a connection that stays silent, no longer than this timeout.
    const api = await startApi({ url: proxy.url, waitMs: 5_000, timeoutMs: 10_000, deadlineMs: 8_000 });
    const fresh = await change();
    await servers.catchUp();
    expect(await read(api, fresh)).toMatchObject(FROM_REPLICA);
    proxy.silence({ alsoNew: true });
    expect(await read(api, fresh)).toMatchObject(FROM_PRIMARY);
    await until(async () => {
      const from = now();
      expect(await read(api, fresh)).toMatchObject(FROM_PRIMARY);
      return now() - from < 3_000; // one that is asked takes 6 s, after which it is left alone
    });
    proxy.restore();
    await until(async () => (await read(api, fresh)).replica);
  });
});

describe('a change without a position', () => {
  it('is shown by the primary', async () => {
    const api = await startApi();
    await servers.hold();
    const version = await addContact(pool, USER, NEW);
    expect(await read(api, `contact=${NEW}@${version}`)).toMatchObject(FROM_PRIMARY);
    const removed = await removeContact(pool, USER, NEW);
    expect(await read(api, `contact=${NEW}@${removed}`)).toMatchObject({ ...FROM_PRIMARY, ids: BEFORE });
    expect(countsOf(api)).toEqual({ reached: 0, behind: 0, busy: 0, fault: 0, away: 0 });
  });
});

describe('a position that the replica cannot understand', () => {
  it('of another product leaves the answer to the primary', async () => {
    const api = await startApi();
    const other = servers.product === 'mariadb' ? OF_MYSQL : OF_MARIADB;
    await addContact(pool, USER, NEW);
    expect(await read(api, `contact=${NEW}, gtid=${other.text}`)).toMatchObject(FROM_PRIMARY);
    expect(countsOf(api)).toEqual({ reached: 0, behind: 0, busy: 0, fault: 1, away: 0 });
  });

  it('and no product understands, is refused', async () => {
    const api = await startApi();
    expect(await read(api, 'gtid=0-1')).toMatchObject({ status: 400, body: { code: 'invalid_header' } });
  });
});
