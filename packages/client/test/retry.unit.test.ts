import { describe, expect, it } from 'vitest';
import { RecencyClient, type RecencyClientOptions } from '../src/client.ts';
import { retryAfterOf } from '../src/retry.ts';
import { type Answering, breaks, empty, hangs, json, problem, ScriptedServer } from './support/scripted-server.ts';

const PATH = '/v1/users/{user}/contacts/recent';
const init = { params: { path: { user: '42' } } };
const TASK = { type: 'recency.user.changed', user: '42' } as const;

async function served(answers: [Answering, ...Answering[]], options: Partial<RecencyClientOptions> = {}) {
  const server = await ScriptedServer.start(...answers);
  return { server, client: new RecencyClient({ baseUrl: server.url, ...options }) };
}

/** Against real HTTP: what is waited for is at least the time that was asked for; how long the machine takes is not asserted. */
describe('retries', () => {
  it.each([
    ['a broken connection', breaks],
    ['429', problem(429, 'rate_limited')],
    ['503', problem(503, 'starting')],
    ['502 of a proxy', json(502, 'Bad Gateway', { 'content-type': 'text/html' })],
    ['a body that is cut off', cutOff],
  ])('repeat a GET after %s', async (_what, failure) => {
    const { server, client } = await served([failure, failure, empty]);
    const { data } = await client.GET(PATH, init);
    expect(data.contacts).toEqual([]);
    expect(server.received).toHaveLength(3);
  });

  it('wait for as long as Retry-After says, in seconds', async () => {
    const { server, client } = await served([problem(503, 'starting', { 'retry-after': '1' }), empty]);
    await client.GET(PATH, init);
    expect(server.waits[0]).toBeGreaterThanOrEqual(999);
  });

  it('wait until the date of Retry-After', async () => {
    const later = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 1_000);
    const headers = { 'retry-after': later.toUTCString() };
    const { server, client } = await served([problem(503, 'starting', headers), empty]);
    await client.GET(PATH, init);
    expect(server.received).toHaveLength(2);
    expect(Date.now()).toBeGreaterThanOrEqual(later.getTime() - 1);
  });

  it('do not come before Retry-After where the deadline does: the problem comes at once', async () => {
    const failure = problem(503, 'database_busy', { 'retry-after': '3600' });
    const { server, client } = await served([failure]);
    await expect(client.GET(PATH, init)).rejects.toMatchObject({ code: 'database_busy', retryAfterMs: 3_600_000 });
    expect(server.received).toHaveLength(1);
  });

  it('end with the last failure once the attempts are used up', async () => {
    const { server, client } = await served([breaks, breaks, problem(503, 'redis_unavailable')], { attempts: 3 });
    await expect(client.GET(PATH, init)).rejects.toMatchObject({ name: 'RecencyProblem', code: 'redis_unavailable' });
    expect(server.received).toHaveLength(3);
  });

  it.each([
    [400, 'invalid_parameter'],
    [401, 'token_unknown'],
    [404, 'not_found'],
    [409, 'key_in_the_way'],
    [500, 'internal'],
  ])('do not repeat what fails with %d', async (status, code) => {
    const { server, client } = await served([problem(status, code), empty]);
    await expect(client.GET(PATH, init)).rejects.toMatchObject({ status, code });
    expect(server.received).toHaveLength(1);
  });

  it('repeat a DELETE, and a POST that has the same effect twice, with its body', async () => {
    const deleted: Answering = (response) => void response.writeHead(204).end();
    const { server, client } = await served([breaks, json(202, { accepted: 1, ids: ['a'] }), breaks, deleted]);
    expect((await client.POST('/v1/tasks', { body: TASK })).data).toEqual({ accepted: 1, ids: ['a'] });
    expect((await client.DELETE('/v1/users/{user}/index', init)).data).toBeUndefined();
    expect(server.received.map(({ method }) => method)).toEqual(['POST', 'POST', 'DELETE', 'DELETE']);
    expect(JSON.parse(server.received[1]?.body ?? '')).toEqual(TASK);
  });

  it('are left out with attempts: 1', async () => {
    const { server, client } = await served([breaks, empty]);
    await expect(client.GET(PATH, { ...init, attempts: 1 })).rejects.toMatchObject({ name: 'RecencyUnreachable' });
    expect(server.received).toHaveLength(1);
  });
});

describe('the end of a call', () => {
  it('comes with its deadline, which says what failed before', async () => {
    const { client } = await served([breaks, hangs], { deadlineMs: 500 });
    await expect(client.GET(PATH, init)).rejects.toMatchObject({
      name: 'RecencyDeadlineExceeded',
      message: 'no answer within 500 ms',
      cause: { name: 'RecencyUnreachable' },
    });
  });

  it('comes with its deadline while a body is being read', async () => {
    const stalled: Answering = (response) => void response.writeHead(200).write('{');
    const { client } = await served([stalled], { deadlineMs: 500 });
    await expect(client.GET(PATH, init)).rejects.toMatchObject({ name: 'RecencyDeadlineExceeded' });
  });

  it.each([
    ['an attempt', hangs],
    ['a wait', problem(503, 'starting', { 'retry-after': '5' })],
  ])('comes with the signal of the caller during %s', async (_what, answer) => {
    const controller = new AbortController();
    const reason = new Error('the page was left');
    const abort: Answering = (response, request) => {
      answer(response, request);
      setImmediate(() => controller.abort(reason));
    };
    const { server, client } = await served([abort]);
    await expect(client.GET(PATH, { ...init, signal: controller.signal })).rejects.toBe(reason);
    expect(server.received).toHaveLength(1);
  });

  it('comes before the first attempt where the signal has been given already', async () => {
    const { server, client } = await served([empty]);
    await expect(client.GET(PATH, { ...init, signal: AbortSignal.abort('no') })).rejects.toBe('no');
    expect(server.received).toEqual([]);
  });
});

it.each([
  ['120', 120_000],
  ['0', 0],
  ['Thu, 01 Jan 1970 00:00:03 GMT', 2_000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['soon', undefined],
  ['-1', undefined],
])('Retry-After: %s is %s ms', (text, ms) => {
  expect(retryAfterOf(new Headers({ 'retry-after': text }), 1_000)).toBe(ms);
});

function cutOff(...[response]: Parameters<Answering>): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"contacts":');
  setImmediate(() => response.destroy());
}
