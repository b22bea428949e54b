import type { Connection } from 'mysql2/promise';
import { beforeAll, describe, expect, it } from 'vitest';
import { everybodyKnows } from '../../../test/support/small-site.ts';
import { until } from '../../../test/support/until.ts';
import { RecencyClient } from '../src/client.ts';
import { writeTask } from '../src/outbox/mysql2.ts';
import { runningApi } from './support/running-api.ts';

const PATH = '/v1/users/{user}/contacts/recent';
const GREATEST = '18446744073709551615';
const TOKEN = 'everything-0123';

let baseUrl: string;
let connection: Connection;
let client: RecencyClient;

/** Readers 1 to 9 know 21, 22 and the greatest id; all the contacts have a photo, and so has 30, whom nobody knows. */
beforeAll(async () => {
  const readers = Array.from({ length: 9 }, (_, i) => String(i + 1));
  const site = everybodyKnows(readers, ['21', '22', GREATEST, '30']);
  const ties = site.ties.filter(({ contact }) => contact !== '30');
  ({ baseUrl, connection } = await runningApi(
    { ...site, ties },
    { TOKENS: `${TOKEN}:read,write,admin only-reads:read` },
  ));
  client = new RecencyClient({ baseUrl, token: TOKEN });
});

const of = (user: string) => ({ params: { path: { user } } });

async function contactsOf(reader: RecencyClient, user: string): Promise<string[]> {
  const { data } = await reader.GET(PATH, of(user));
  return data.contacts.map(({ id }) => id);
}

/** Rebuilds the user's index, so that answers come from it and show nothing whose task has not been applied. */
async function warm(user: string): Promise<void> {
  await client.POST('/v1/users/{user}/index/rebuild', of(user));
  await until(async () => (await client.GET(PATH, of(user))).data.answer.source === 'index');
}

/** The user adds 30, with the task in the same transaction. Returns the token. */
async function add30(user: string): Promise<string> {
  await connection.beginTransaction();
  await connection.execute('INSERT INTO contacts (user_id, contact_id) VALUES (?, 30)', [user]);
  const token = await writeTask(connection, { type: 'recency.contact.added', user, contact: '30', version: 1 });
  await connection.commit();
  return token;
}

describe('the client and a running API', () => {
  it('answer with ids as text, page by page', async () => {
    const first = await client.GET(PATH, { params: { path: { user: '1' }, query: { limit: 2 } } });
    expect(first.data.contacts.map(({ id }) => id)).toEqual([GREATEST, '22']);
    const after = first.data.next ?? '';
    const second = await client.GET(PATH, { params: { path: { user: '1' }, query: { limit: 2, after } } });
    expect(second.data).toMatchObject({ user: '1', contacts: [{ id: '21' }], next: null });
  });

  it('refuse with problems', async () => {
    const limit = 101;
    await expect(client.GET(PATH, { params: { path: { user: '1' }, query: { limit } } })).rejects.toMatchObject({
      ...{ name: 'RecencyProblem', code: 'invalid_parameter', status: 400, field: 'limit' },
      requestId: expect.stringMatching(/./),
    });
    const stranger = new RecencyClient({ baseUrl, token: 'unknown' });
    await expect(stranger.GET(PATH, of('1'))).rejects.toMatchObject({ code: 'token_unknown' });
    const reader = new RecencyClient({ baseUrl, token: 'only-reads' });
    const body = { type: 'recency.user.changed', user: '1' } as const;
    await expect(reader.POST('/v1/tasks', { body })).rejects.toMatchObject({ code: 'scope_missing' });
  });

  it('say that the caller has the answer already', async () => {
    await warm('2');
    const { response } = await client.GET(PATH, of('2'));
    const headers = { 'If-None-Match': response.headers.get('etag') ?? '' };
    await expect(client.GET(PATH, { ...of('2'), headers })).rejects.toMatchObject({ name: 'RecencyNotModified' });
  });

  it('post tasks, drop an index and explain', async () => {
    const { data } = await client.POST('/v1/tasks', { body: [{ type: 'recency.photo.uploaded', owner: '21' }] });
    expect(data).toEqual({ accepted: 1, ids: [expect.any(String)] });
    expect((await client.DELETE('/v1/users/{user}/index', of('3'))).response.status).toBe(204);
    const params = { path: { user: '3', contact: '21' } };
    const explained = await client.GET('/v1/users/{user}/contacts/{contact}/explain', { params });
    expect(explained.data.mysql?.related).toBe(true);
  });
});

/** No consumer runs: what an answer shows of a change, it shows because the client named it. */
describe('a change of one’s own', () => {
  it('is shown by the next read, although its task is not applied', async () => {
    await warm('4');
    const token = await add30('4');
    expect(await contactsOf(new RecencyClient({ baseUrl, token: TOKEN }), '4')).not.toContain('30');
    client.changed('4', token);
    expect(await contactsOf(client, '4')).toContain('30');
  });

  it('is shown to another process that is handed it', async () => {
    await warm('5');
    client.changed('5', await add30('5'));
    const other = new RecencyClient({ baseUrl, token: TOKEN });
    other.changed('5', client.fresh('5') ?? '');
    expect(await contactsOf(other, '5')).toContain('30');
  });

  it('is shown by one read that is given it', async () => {
    await warm('6');
    const fresh = await add30('6');
    const { data } = await client.GET(PATH, { ...of('6'), fresh });
    expect(data.contacts.map(({ id }) => id)).toContain('30');
  });

  it('is shown after it was posted as a task', async () => {
    await warm('7');
    await add30('7');
    await client.POST('/v1/tasks', { body: { type: 'recency.contact.added', user: '7', contact: '30', version: 1 } });
    expect(await contactsOf(client, '7')).toContain('30');
  });
});
