import type { Pool } from 'mysql2/promise';
import { beforeEach, describe, expect, it } from 'vitest';
import { readYourWrites } from '../../src/app/api-queries.ts';
import { CONTACTS as CONTACTS_KIND } from '../../src/contracts/kind.ts';
import { run, type Steps } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { RedisUnavailable } from '../../src/redis/unavailable.ts';
import { addContact, removeContact } from '../../src/tools/reference-site/relationships.ts';
import { post, startTestApi, type TestApi } from '../support/api.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { freshStores, type Stores } from '../support/stores.ts';
import { TRUSTED } from '../support/trust.ts';

const LIMITS = { max: 8, min: 4 };
const [FIRST, SECOND, THIRD] = ['1', '2', '3'];
const USERS = [FIRST, SECOND, THIRD];
const CONTACTS = Array.from({ length: 12 }, (_, i) => String(101 + i));
const NEWEST = '112';

let stores: Stores;
let pool: Pool;
let api: TestApi;

beforeEach(async () => {
  stores = await freshStores(LIMITS);
  pool = freshSitePool(stores.url);
  await writeSite(pool, everybodyKnows(USERS, CONTACTS));
  await run(rebuild(USERS), stores.steps);
  api = await startTestApi(stores, LIMITS);
});

interface Answer {
  readonly contacts: readonly { readonly id: string }[];
  readonly answer: Record<string, unknown>;
}

/** Of each user: the newest two contacts, and where they came from. */
async function recent(fresh: string, of: { readonly url: string } = api, users: readonly string[] = USERS) {
  const { status, body } = await post(of, '/v1/recent', { users, limit: 2 }, { 'Recency-Fresh': fresh });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.answers.map(({ contacts, answer: { source, exact, reason } }: Answer) => ({
    ids: contacts.map(({ id }) => id),
    ...{ source, exact, reason },
  }));
}

const BEFORE = { ids: ['112', '111'], source: 'index', exact: true, reason: undefined };
const AFTER = { ...BEFORE, ids: ['111', '110'] };

/** An API whose steps fail in this way. */
function failing(steps: Partial<Steps>) {
  const kinds = [{ kind: CONTACTS_KIND, steps: { ...stores.steps, ...steps } }];
  return startTestApi(stores, {
    ...readYourWrites({ kinds, primary: stores.primary, watch: TRUSTED, onFault: () => undefined }),
    ...LIMITS,
  });
}

describe('POST /v1/recent with Recency-Fresh', () => {
  it('shows the relation of every user, though no task was processed', async () => {
    for (const user of [FIRST, SECOND]) await removeContact(pool, user, NEWEST);
    expect(await recent(`contact=${NEWEST}`)).toEqual([AFTER, AFTER, BEFORE]);
    const indexed = await stores.index.read(SECOND, 0, false);
    expect(indexed.state === 'warm' && indexed.head.some(({ id }) => id === NEWEST)).toBe(false);
  });

  it('shows what is named of one user, with its version, which says nothing of the others', async () => {
    const version = await removeContact(pool, SECOND, NEWEST);
    expect(await recent(`contact=${SECOND}/${NEWEST}@${version}`)).toEqual([BEFORE, AFTER, BEFORE]);
  });

  it('marks the answers of the users whose version is not committed, whether the index or plain SQL answers, and no others', async () => {
    const early = { ...BEFORE, exact: false, reason: 'version_not_committed' };
    const header = `contact=${SECOND}/${NEWEST}@99`;
    expect(await recent(header)).toEqual([BEFORE, early, BEFORE]);
    await stores.index.drop([SECOND]);
    expect(await recent(header)).toEqual([BEFORE, { ...early, source: 'database' }, BEFORE]);
    expect(await recent(`contact=${NEWEST}@99`, api, [FIRST, FIRST])).toEqual([early, early]);
  });

  it('has plain SQL answer for the users whose index could not be refreshed', async () => {
    await removeContact(pool, SECOND, NEWEST);
    const away = await failing({ nonces: () => Promise.reject(new RedisUnavailable('not there')) });
    const plain = { ...AFTER, source: 'database', reason: 'redis_unavailable' };
    expect(await recent(`contact=${SECOND}/${NEWEST}`, away)).toEqual([BEFORE, plain, BEFORE]);
    const raced = await failing({
      apply: async (_epoch, requests) => requests.map(({ user }) => (user === SECOND ? 'raced' : 'applied')),
    });
    expect(await recent(`contact=${NEWEST}`, raced)).toEqual([BEFORE, { ...plain, reason: 'not_refreshed' }, BEFORE]);
  });

  it('refreshes eight relations of a hundred users', async () => {
    const users = Array.from({ length: 100 }, (_, i) => String(1_000 + i));
    const contacts = CONTACTS.slice(-8);
    await writeSite(pool, everybodyKnows(users, CONTACTS));
    await run(rebuild(users), stores.steps);
    for (const user of [users[0] ?? '', users[99] ?? '']) {
      for (const id of contacts.slice(1)) await removeContact(pool, user, id);
      await addContact(pool, contacts[0] ?? '', user);
    }
    const answers = await recent(contacts.map((id) => `contact=${id}`).join(','), api, users);
    expect(answers[0]).toMatchObject({ ids: ['105', '104'], exact: true });
    expect(answers[99]).toMatchObject({ ids: ['105', '104'], exact: true });
    expect(answers.slice(1, 99)).toEqual(Array.from({ length: 98 }, () => BEFORE));
  });

  it.each(['contact=x', 'contact', 'store=1', 'contact=9/112', 'gtid=now', '1,2,3,4,5,6,7,8,9'])(
    'refuses %s',
    async (fresh) => {
      const header = fresh.startsWith('1,') ? fresh.replace(/\d/g, 'contact=$&') : fresh;
      const { status, body } = await post(api, '/v1/recent', { users: USERS }, { 'Recency-Fresh': header });
      expect({ status, code: body.code, field: body.field }).toEqual({
        ...{ status: 400, code: 'invalid_header', field: 'Recency-Fresh' },
      });
    },
  );
});
