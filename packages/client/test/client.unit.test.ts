import { describe, expect, it } from 'vitest';
import { RecencyClient, RecencyProblem } from '../src/client.ts';
import { empty, json, problem, ScriptedServer } from './support/scripted-server.ts';

const PATH = '/v1/users/{user}/contacts/recent';
const of = (user: string) => ({ params: { path: { user } } });

describe('a request', () => {
  it('has its parameters, its token and more headers', async () => {
    const server = await ScriptedServer.start(empty);
    const client = new RecencyClient({ baseUrl: `${server.url}/`, token: 'secret' });
    const params = { path: { user: '42' }, query: { limit: 2, relation: 'friends' } } as const;
    await client.GET(PATH, { params, headers: { traceparent: '00-1' } });
    expect(server.received).toMatchObject([
      { path: '/v1/users/42/contacts/recent?limit=2&relation=friends', headers: { traceparent: '00-1' } },
    ]);
    expect(server.received[0]?.headers.authorization).toBe('Bearer secret');
  });

  it('says that it is JSON where it is a POST without a body, too', async () => {
    const server = await ScriptedServer.start(empty);
    await new RecencyClient({ baseUrl: server.url }).POST('/v1/users/{user}/index/rebuild', of('42'));
    expect(server.received[0]).toMatchObject({ body: '', headers: { 'content-type': 'application/json' } });
  });

  it.each(['', '.', '..'])('is not sent to another path by the id %j', async (user) => {
    const server = await ScriptedServer.start(empty);
    const client = new RecencyClient({ baseUrl: server.url });
    await expect(client.GET(PATH, of(user))).rejects.toMatchObject({ name: 'InvalidArgument', field: 'user' });
    expect(server.received).toEqual([]);
  });

  it.each([
    [{ baseUrl: 'ftp://x' }, 'baseUrl'],
    [{ baseUrl: '/api' }, 'baseUrl'],
    [{ deadlineMs: 0 }, 'deadlineMs'],
    [{ deadlineMs: 2 ** 31 }, 'deadlineMs'],
    [{ attempts: 0 }, 'attempts'],
    [{ freshMs: Number.NaN }, 'freshMs'],
  ])('is refused with the setting %j', (setting, field) => {
    const create = () => new RecencyClient({ baseUrl: 'http://127.0.0.1:1', ...setting });
    expect(create).toThrow(expect.objectContaining({ name: 'InvalidArgument', field }));
  });
});

describe('an error', () => {
  it('is the problem, with its code, field and request', async () => {
    const errors = [{ field: 'limit', in: 'query', detail: 'must be less' }];
    const body = { type: 'about:blank', title: 'Bad Request', status: 400, detail: 'limit: must be less', errors };
    const whole = { ...body, code: 'invalid_parameter', request_id: 'r7', field: 'limit' };
    const server = await ScriptedServer.start(json(400, whole, { 'content-type': 'application/problem+json' }));
    const failed = new RecencyClient({ baseUrl: server.url }).GET(PATH, of('42'));
    await expect(failed).rejects.toBeInstanceOf(RecencyProblem);
    await expect(failed).rejects.toMatchObject({
      ...{ code: 'invalid_parameter', status: 400, field: 'limit', requestId: 'r7', problem: whole },
      message: '400 invalid_parameter: limit: must be less',
    });
  });

  it.each([
    [
      'the page of a proxy',
      403,
      '<html>no</html>',
      'text/html',
      'its type is text/html, and it begins with "<html>no</html>"',
    ],
    ['a redirect', 302, '', 'text/html', 'its type is text/html'],
    ['success that is not JSON', 200, '<html>', 'text/html', 'its body is not JSON'],
    ['success without a body', 200, '', 'application/json', 'it has no body'],
  ])('says that it is not the API that answers: %s', async (_what, status, text, type, message) => {
    const server = await ScriptedServer.start((response) => {
      response.writeHead(status, { 'content-type': type, location: '/login' }).end(text);
    });
    const failed = new RecencyClient({ baseUrl: server.url }).GET(PATH, of('42'));
    await expect(failed).rejects.toMatchObject({ name: 'RecencyUnexpectedReply', status });
    await expect(failed).rejects.toThrow(message);
  });

  it('says that the answer is the one that the caller has', async () => {
    const server = await ScriptedServer.start((response) => void response.writeHead(304, { etag: '"a"' }).end());
    const headers = { 'If-None-Match': '"a"' };
    const failed = new RecencyClient({ baseUrl: server.url }).GET(PATH, { ...of('42'), headers });
    await expect(failed).rejects.toMatchObject({ name: 'RecencyNotModified' });
  });

  it('says who does not answer, and why', async () => {
    const client = new RecencyClient({ baseUrl: 'http://127.0.0.1:1', attempts: 1 });
    await expect(client.GET(PATH, of('42'))).rejects.toMatchObject({ name: 'RecencyUnreachable' });
    await expect(client.GET(PATH, of('42'))).rejects.toThrow('no answer from http://127.0.0.1:1: ');
  });
});

describe('Recency-Fresh', () => {
  async function headerOf(use: (client: RecencyClient) => Promise<unknown>) {
    const server = await ScriptedServer.start(empty);
    await use(new RecencyClient({ baseUrl: server.url }));
    return server.received.map(({ headers }) => headers['recency-fresh']);
  }

  it("is carried by the reads of the user, and by nobody else's", async () => {
    const seen = await headerOf(async (client) => {
      client.changed('42', { contact: '7', version: '3' });
      client.changed('42', 'group=12');
      await client.GET(PATH, of('42'));
      await client.GET(PATH, of('42'));
      await client.GET(PATH, of('43'));
      await client.DELETE('/v1/users/{user}/index', of('42')).catch(() => undefined);
    });
    expect(seen).toEqual(['group=12,contact=7@3', 'group=12,contact=7@3', undefined, undefined]);
  });

  it('has what one read is given, too', async () => {
    const seen = await headerOf(async (client) => {
      client.changed('42', 'contact=7@3');
      await client.GET(PATH, { ...of('42'), fresh: 'contact=9' });
      await client.GET(PATH, { ...of('43'), fresh: 'contact=9' });
    });
    expect(seen).toEqual(['contact=9,contact=7@3', 'contact=9']);
  });

  it('is carried by a read of several users, each change with its user', async () => {
    const seen = await headerOf(async (client) => {
      client.changed('42', { contact: '7', version: '3' });
      client.changed('44', 'contact=7');
      await client.POST('/v1/recent', { body: { users: ['42', '43', '42'] } });
      await client.POST('/v1/recent', { body: { users: ['43'] } });
      await client.POST('/v1/recent', { body: { users: ['43', '42'] }, fresh: 'contact=9' });
    });
    expect(seen).toEqual(['contact=42/7@3', undefined, 'contact=9,contact=42/7@3']);
  });

  it('follows from the relationship tasks that are posted', async () => {
    const seen = await headerOf(async (client) => {
      const contact = { type: 'recency.contact.added', user: '42', contact: '7', version: 3 } as const;
      const photo = { type: 'recency.photo.uploaded', owner: '42' } as const;
      await client.POST('/v1/tasks', { body: [contact, photo] });
      await client.GET(PATH, of('42'));
    });
    expect(seen).toEqual([undefined, 'contact=7@3']);
  });

  it('does not follow from tasks that were not accepted', async () => {
    const server = await ScriptedServer.start(problem(400, 'invalid_body'), empty);
    const client = new RecencyClient({ baseUrl: server.url });
    const body = { type: 'recency.contact.added', user: '42', contact: '7' } as const;
    await expect(client.POST('/v1/tasks', { body })).rejects.toThrow(RecencyProblem);
    expect(client.fresh('42')).toBeUndefined();
  });

  it('is handed to another process', () => {
    const [here, there] = [1, 2].map(() => new RecencyClient({ baseUrl: 'http://127.0.0.1:1' }));
    here?.changed('42', { contact: '7', version: '3' });
    here?.changed('42', { contact: '8' });
    there?.changed('42', here?.fresh('42') ?? '');
    expect(there?.fresh('42')?.split(',').sort()).toEqual(['contact=7@3', 'contact=8']);
  });
});
