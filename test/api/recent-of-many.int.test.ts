import { beforeAll, describe, expect, it } from 'vitest';
import { HeavyQueriesBusy } from '../../src/mysql/database.ts';
import { ask, post, startTestApi, type TestApi } from '../support/api.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { freshStores, type Stores } from '../support/stores.ts';

const USERS = ['1', '9007199254740993', '18446744073709551615'];
const CONTACTS = ['2', '3', '4', '5', '6', '7', '8'];

let stores: Stores;
let api: TestApi;

beforeAll(async () => {
  stores = await freshStores();
  await writeSite(freshSitePool(stores.url), everybodyKnows(USERS, CONTACTS));
  api = await startTestApi(stores, { max: 4 });
});

const recent = (body: unknown, of = api) => post(of, '/v1/recent', body);

describe('POST /v1/recent', () => {
  it('has the same answers as the route of each user, in order, also for a user who comes twice', async () => {
    for (const user of USERS) await post(api, `/v1/users/${user}/index/rebuild`, '');
    const users = [...USERS, '1', '4711'];
    const { status, body, headers } = await recent({ users, limit: 2, relation: 'any', since: 1_001, max_lag: 0 });
    expect(status).toBe(200);
    expect(headers.get('server-timing')).toMatch(/^index;dur=.*, db;dur=/);
    expect(body.answers.map(({ user }: { user: string }) => user)).toEqual(users);
    for (const answer of body.answers) {
      const single = await ask(api, `/v1/users/${answer.user}/contacts/recent?limit=2&since=1001&max_lag=0`);
      const at = { as_of: expect.any(String) };
      expect(answer).toEqual({ ...single.body, answer: { ...single.body.answer, ...at } });
    }
  });

  it('has a problem in the place of a user who cannot be answered', async () => {
    const failing = await startTestApi(stores, {
      recentBatch: {
        find: async (users) => ({
          outcomes: new Map(users.map((user) => [user, { error: new HeavyQueriesBusy('busy') }])),
          timing: { index: 0, db: 0 },
        }),
      },
    });
    const { status, body, headers } = await recent({ users: ['1', '1'] }, failing);
    const requestId = headers.get('x-request-id');
    const problem = { type: 'about:blank', status: 503, code: 'plain_query_limit', request_id: requestId };
    expect({ status, answers: body.answers }).toMatchObject({ status: 200, answers: [problem, problem] });
  });

  it('takes a hundred users', async () => {
    const users = Array.from({ length: 100 }, (_, i) => String(1_000 + i));
    const { status, body } = await recent({ users });
    expect({ status, answers: body.answers.length }).toEqual({ status: 200, answers: 100 });
  });

  const many = Array.from({ length: 101 }, () => '1');
  it.each([
    [{}, 'users'],
    [{ users: [] }, 'users'],
    [{ users: many }, 'users'],
    [{ users: '1' }, 'users'],
    [{ users: [1] }, 'users[0]'],
    [{ users: ['1', '01'] }, 'users[1]'],
    [{ users: ['1'], kind: 'friends' }, 'kind'],
    [{ users: ['1'], limit: 0 }, 'limit'],
    [{ users: ['1'], limit: '3' }, 'limit'],
    [{ users: ['1'], limit: 101 }, 'limit'],
    [{ users: ['1'], relation: 'x' }, 'relation'],
    [{ users: ['1'], since: 'yesterday' }, 'since'],
    [{ users: ['1'], since: -1 }, 'since'],
    [{ users: ['1'], max_lag: -1 }, 'max_lag'],
    [{ users: ['1'], consistency: 'weak' }, 'consistency'],
    [{ users: ['1'], after: 'x' }, 'after'],
  ])('refuses %j', async (body, field) => {
    const answer = await recent(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'invalid_body', field, errors: [{ field, in: 'body' }] });
  });

  it.each(['null', '[]', '7', '{'])('refuses the body %s', async (body) => {
    expect((await recent(body)).status).toBe(400);
  });
});
