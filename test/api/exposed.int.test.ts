import { request } from 'node:http';
import { connect } from 'node:net';
import { zstdCompressSync } from 'node:zlib';
import { Registry } from 'prom-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { Access } from '../../src/api/authorize.ts';
import { measureOutboxLag } from '../../src/app/metrics.ts';
import { DatabaseBusy } from '../../src/mysql/database.ts';
import { readOutboxLag } from '../../src/mysql/outbox.ts';
import { readRecheckBacklog } from '../../src/mysql/rechecks.ts';
import { ask, post, startTestApi, type TestApi } from '../support/api.ts';
import { freshStores } from '../support/stores.ts';

const TOKENS = [{ token: 'all-0123', scopes: ['read', 'write', 'admin'] }] as const;
const RECENT = '/v1/users/1/contacts/recent';
const REBUILD = '/v1/users/1/index/rebuild';
const TASK = { type: 'recency.user.deleted', user: '7' };

let stores: Awaited<ReturnType<typeof freshStores>>;
let open: TestApi;
let guarded: TestApi;

beforeAll(async () => {
  stores = await freshStores();
  open = await startTestApi(stores);
  guarded = await startTestApi(stores, { access: new Access(TOKENS), registry: new Registry() });
});

/** fetch sets Host by itself. */
function get(api: TestApi, path: string, headers: Record<string, string>): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: api.host, port: api.port, path, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        body += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    sent.on('error', reject).end();
  });
}

function send(api: TestApi, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(api.port, api.host, () => socket.end(text));
    socket.setEncoding('utf8').on('data', (part: string) => {
      answer += part;
    });
    socket.on('close', () => resolve(answer)).on('error', reject);
  });
}

describe('the header Host, where no token is needed', () => {
  it.each(['localhost', 'LOCALHOST:8470', '127.0.0.1:1', '127.0.0.1', '[::1]:8470', '[::1]'])(
    'may be %s',
    async (host) => {
      expect((await get(open, RECENT, { host })).status).toBe(200);
    },
  );

  it.each(['evil.example:8470', 'localhost.evil.example', '10.0.0.1', '127.0.0.1.evil.example', 'localhost:x'])(
    'may not be %j, on any route: a web page could have made that name point here',
    async (host) => {
      for (const path of [RECENT, '/metrics', '/readyz', '/docs', '/openapi.json', '/nothing']) {
        const { status, body } = await get(open, path, { host });
        expect([path, status, JSON.parse(body).code]).toEqual([path, 421, 'host_not_allowed']);
      }
    },
  );

  it('may be anything when tokens are configured', async () => {
    const headers = { host: 'recency.example', authorization: 'Bearer all-0123' };
    expect((await get(guarded, RECENT, headers)).status).toBe(200);
  });

  it.each(['open', 'guarded'])('missing from HTTP/1.1 is answered with a problem: %s', async (which) => {
    const answer = await send(which === 'open' ? open : guarded, `GET ${RECENT} HTTP/1.1\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain('application/problem+json');
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      status: 400,
      code: 'malformed_request',
      detail: 'The Host header is missing.',
    });
  });
});

describe('a POST without a body, where no token is needed', () => {
  it.each([{}, { 'content-type': 'text/plain' }, { 'content-type': 'text/plain; application/json' }])(
    'is refused as any web page can send it: %j',
    async (headers) => {
      const { status, body } = await ask(open, REBUILD, { method: 'POST', headers });
      expect({ status, code: body.code }).toEqual({ status: 415, code: 'unsupported_media_type' });
      expect(body.detail).toContain('Content-Type: application/json');
    },
  );

  it('is accepted with a type that triggers a preflight, which is not granted', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    expect((await ask(open, REBUILD, { method: 'POST', headers })).status).toBe(200);
    const preflight = await ask(open, REBUILD, { method: 'OPTIONS', headers: { origin: 'https://evil.example' } });
    expect([...preflight.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('needs no type when there is a token', async () => {
    const headers = { authorization: 'Bearer all-0123' };
    expect((await ask(guarded, REBUILD, { method: 'POST', headers })).status).toBe(200);
  });

  it('is documented that way', async () => {
    const { body } = await ask(open, '/openapi.json');
    const operation = body.paths['/v1/users/{user}/index/rebuild'].post;
    expect(operation.requestBody).toMatchObject({ required: false, content: { 'application/json': {} } });
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['415', '421']));
  });
});

describe('the limit of requests', () => {
  const statuses = async (ask: (i: number) => Promise<{ status: number }>) =>
    (await Promise.all(Array.from({ length: 30 }, (_, i) => ask(i)))).map(({ status }) => status);

  it('also covers /metrics and /readyz, counted separately, but not /livez', async () => {
    const limited = await startTestApi(stores, { rateLimit: 2 });
    expect(await statuses(() => ask(limited, RECENT))).toContain(429);
    expect((await ask(limited, '/readyz')).status).toBe(200);
    expect(await statuses(() => ask(limited, '/metrics'))).toContain(429);
    expect(await statuses(() => ask(limited, '/readyz'))).toContain(429);
    expect(await statuses(() => ask(limited, '/livez'))).not.toContain(429);
  });

  const through = (api: TestApi, forwarded: string) => ask(api, RECENT, { headers: { 'x-forwarded-for': forwarded } });

  it.each([1, ['loopback'], ['127.0.0.0/8']])(
    'is for each client of a proxy that is trusted: %j',
    async (trustProxy) => {
      const limited = await startTestApi(stores, { rateLimit: 2, trustProxy });
      expect(await statuses((i) => through(limited, `10.0.0.${i}`))).not.toContain(429);
      // What the proxy adds comes last; before it stands what the client itself says.
      expect(await statuses((i) => through(limited, `10.9.9.${i}, 10.1.1.1`))).toContain(429);
    },
  );

  it('trusts X-Forwarded-For only from trusted proxies', async () => {
    const limited = await startTestApi(stores, { rateLimit: 2, trustProxy: ['10.0.0.0/8'] });
    expect(await statuses((i) => through(limited, `10.0.0.${i}`))).toContain(429);
  });
});

describe('what every scrape queries', () => {
  it('counts no more than 10,000 rows', async () => {
    const { primary } = stores;
    const rows = JSON.stringify(Array.from({ length: 10_050 }, (_, i) => i + 1));
    const insert = (isRecheck: number) =>
      primary.write(
        `INSERT INTO recency_outbox (type, user_id, other_id, version, attempt, is_recheck, due_at)
         SELECT 'recency.contact.changed', n.id, 1, 1, 0, ${isRecheck}, 0
         FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) AS n`,
        [rows],
      );
    await insert(0);
    await insert(1);
    expect((await readOutboxLag(primary)).rows).toBe(10_000);
    expect((await readRecheckBacklog(primary, 1_000_000)).rows).toBe(10_050); // what is counted is the caller's bound
    const registry = new Registry();
    measureOutboxLag(registry, primary);
    const text = await registry.metrics();
    expect(text).toContain('recency_outbox_unpublished_rows 10000\n');
    expect(text).toContain('counted up to 10,000');
  });
});

describe('503 in the log', () => {
  it('is one line per second and kind, without a stack, with the number left out', async () => {
    let now = 0;
    const cause = new Error('too many threads');
    const inspect = () => Promise.reject(new DatabaseBusy('every connection to MySQL is in use', { cause }));
    const broken = await startTestApi(stores, { inspect, now: () => now, slowMs: -1 });
    const ask20 = () => Promise.all(Array.from({ length: 20 }, () => ask(broken, '/v1/users/1/index')));
    expect((await ask20()).map(({ status }) => status)).toEqual(Array(20).fill(503));
    expect(broken.log).toHaveLength(1);
    now = 1_001;
    await ask20();
    expect(broken.log).toHaveLength(2);
    expect(broken.log[1]).toMatchObject({ level: 40, code: 'database_busy', leftOut: 19 });
    expect(broken.log[0]).toMatchObject({ msg: 'request failed', ms: 0 });
    expect(broken.log[0]?.reason).toContain('every connection to MySQL is in use (too many threads)');
    expect(JSON.stringify(broken.log)).not.toMatch(/stack|\bat /);
  });
});

describe('POST /v1/tasks', () => {
  it.each(['null', '7', '"text"', 'true'])('says that %s is JSON but not a task', async (text) => {
    const { status, body } = await post(open, '/v1/tasks', text);
    expect({ status, code: body.code, detail: body.detail }).toEqual({
      status: 400,
      code: 'invalid_body',
      detail: 'body: must be a task, or an array of up to 500',
    });
  });

  it.each([
    ['charset utf-7', { 'content-type': 'application/json; charset=utf-7' }, JSON.stringify(TASK)],
    ['charset utf-16', { 'content-type': 'application/json; charset="utf-16"' }, JSON.stringify(TASK)],
    ['encoding zstd', { 'content-encoding': 'zstd' }, zstdCompressSync(JSON.stringify(TASK))],
    ['encoding zstd and no zstd', { 'content-encoding': 'zstd' }, JSON.stringify(TASK)],
  ])('refuses %s as a type that it does not take', async (_what, headers, body) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body };
    const answer = await ask(open, '/v1/tasks', init as RequestInit);
    expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type']);
  });

  it.each(['application/json', 'application/json; charset=UTF-8', 'application/json;charset="utf-8"'])(
    'takes %s',
    async (type) => {
      expect((await post(open, '/v1/tasks', TASK, { 'content-type': type })).status).toBe(202);
    },
  );
});
