import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { MAX_TASK_BYTES } from '../../src/contracts/task.ts';
import { ask, post, startTestApi, type TestApi } from '../support/api.ts';
import { freshStores } from '../support/stores.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi(await freshStores());
});

/** A problem as the contract has it, whatever else is asked of it. */
function expectProblem({ status, headers, body }: Awaited<ReturnType<typeof ask>>, wanted: number, code: string) {
  expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  expect(body).toMatchObject({ type: 'about:blank', status: wanted, code, request_id: headers.get('x-request-id') });
  expect(status).toBe(wanted);
}

const PAST_64_BITS = String(2n ** 64n);

const BAD_IDS = [
  '0',
  '-1',
  '01',
  '1e3',
  '0x10',
  '４２',
  PAST_64_BITS,
  '1,2',
  '[1]',
  '__proto__',
  'constructor',
  '\u0000',
  '1\u0000',
  ' 1',
  '1.0',
  '+1',
  'abc',
  '1'.repeat(21),
];

describe('an id in the path', () => {
  it.each(BAD_IDS)('%j is refused with the name of the field', async (id) => {
    const word = encodeURIComponent(id);
    for (const [method, path, field] of [
      ['GET', `/v1/users/${word}/contacts/recent`, 'user'],
      ['GET', `/v1/users/${word}/contacts/recent/photos`, 'user'],
      ['GET', `/v1/users/${word}/contacts/1/explain`, 'user'],
      ['GET', `/v1/users/1/contacts/${word}/explain`, 'contact'],
      ['GET', `/v1/users/${word}/index`, 'user'],
      ['DELETE', `/v1/users/${word}/index`, 'user'],
      ['POST', `/v1/users/${word}/index/rebuild`, 'user'],
    ] as const) {
      const answer = await ask(api, path, { method, headers: { 'content-type': 'application/json' } });
      expectProblem(answer, 400, 'invalid_parameter');
      expect(answer.body).toMatchObject({ field, errors: [{ field, in: 'path' }] });
    }
  });

  it.each(['1', '9007199254740993', String(2n ** 64n - 1n)])('%s comes back as it went in', async (id) => {
    const { status, body } = await ask(api, `/v1/users/${id}/contacts/recent`);
    expect({ status, user: body.user }).toEqual({ status: 200, user: id });
  });

  it('that cannot be decoded is refused', async () => {
    expectProblem(await ask(api, '/v1/users/%zz/contacts/recent'), 400, 'malformed_request');
  });
});

const BAD_NUMBERS = [
  '0',
  '-1',
  '1e9',
  '1000000000',
  'NaN',
  'Infinity',
  '01',
  '1.5',
  '0x1',
  '',
  ' 1',
  '+1',
  '１',
  'ten',
  '\u0000',
];

describe('the query', () => {
  const recent = '/v1/users/1/contacts/recent';
  const photos = '/v1/users/1/contacts/recent/photos';

  const expectFault = async (path: string, field: string) => {
    const answer = await ask(api, path);
    expectProblem(answer, 400, 'invalid_parameter');
    expect(answer.body).toMatchObject({ field, errors: [{ field, in: 'query' }] });
  };

  it.each([...BAD_NUMBERS, '101'])('limit %j is refused', (limit) =>
    expectFault(`${recent}?limit=${encodeURIComponent(limit)}`, 'limit'),
  );

  it.each([...BAD_NUMBERS, '21'])('contacts %j is refused', (contacts) =>
    expectFault(`${photos}?contacts=${encodeURIComponent(contacts)}`, 'contacts'),
  );

  it.each([...BAD_NUMBERS, '51'])('photos %j is refused', (count) =>
    expectFault(`${photos}?photos=${encodeURIComponent(count)}`, 'photos'),
  );

  it.each(['1', '100'])('limit %s is accepted', async (limit) => {
    expect((await ask(api, `${recent}?limit=${limit}`)).status).toBe(200);
  });

  it.each([
    ['limit=1&limit=2', 'limit'],
    ['limit=1&limit=1', 'limit'],
    ['relation=any&relation=any', 'relation'],
    ['after=a&after=b', 'after'],
  ])('%s is given more than once', async (query, field) => {
    await expectFault(`${recent}?${query}`, field);
    expect((await ask(api, `${recent}?${query}`)).body.detail).toContain('more than once');
  });

  it.each([
    ...['since=', 'since=yesterday', 'since=-1', 'since=2004-02-31T00:00:00Z', 'since=2004-05-01T12:00:00+02:00'],
    ...['since=1&since=1', 'since=9007199254740992', 'consistency=', 'consistency=STRONG', 'consistency=index,strong'],
    ...[
      'consistency=index&consistency=index',
      'max_lag=',
      'max_lag=-1',
      'max_lag=1.5',
      'max_lag=01',
      'max_lag=86400001',
    ],
    ...['max_lag=1&max_lag=1', 'max_lag=1e3'],
  ])('%s is refused', async (given) => {
    for (const path of [recent, photos]) await expectFault(`${path}?${given}`, given.slice(0, given.indexOf('=')));
  });

  it.each(['since=0', 'since=2004-05-01T12:00:00%2B02:00', 'consistency=strong', 'max_lag=0', 'max_lag=86400000'])(
    '%s is accepted',
    async (given) => {
      for (const path of [recent, photos]) expect((await ask(api, `${path}?${given}`)).status).toBe(200);
    },
  );

  it.each(['friend', 'FRIENDS', '', 'any,friends', '__proto__', 'toString'])(
    'relation %j is refused',
    async (relation) => {
      for (const path of [recent, photos]) await expectFault(`${path}?relation=${relation}`, 'relation');
    },
  );

  it.each(['', 'x', '!!', 'AAAA', '__proto__', 'a'.repeat(1_000), Buffer.from('0:7').toString('base64url')])(
    'after %j is refused',
    (after) => expectFault(`${recent}?after=${after}`, 'after'),
  );

  it.each([
    ['foo', 'foo'],
    ['Limit', 'Limit'],
    ['limit[]', 'limit[]'],
    ['limit[a]', 'limit[a]'],
    ['__proto__', '__proto__'],
    ['__proto__[x]', '__proto__[x]'],
    ['constructor', 'constructor'],
  ])('a parameter that is not known is refused: %j', async (name, field) => {
    await expectFault(`${recent}?${name}=1`, field);
    for (const path of [photos, '/v1/users/1/index', '/v1/users/1/contacts/2/explain']) {
      await expectFault(`${path}?${name}=1`, field);
    }
  });

  it('names every invalid field', async () => {
    const { body } = await ask(api, `${recent}?limit=0&relation=x&foo=1`);
    expect(body.errors.map(({ field }: { field: string }) => field).sort()).toEqual(['foo', 'limit', 'relation']);
  });
});

const TASK = { type: 'recency.contact.added', user: '42', contact: '7' };

describe('POST /v1/tasks', () => {
  it.each([
    ['a number as an id', { ...TASK, user: 42 }, 'user'],
    ['an array as an id', { ...TASK, user: ['42'] }, 'user'],
    ['a bad id', { ...TASK, contact: '007' }, 'contact'],
    ['no contact', { type: TASK.type, user: '42' }, 'contact'],
    ['an unknown type', { ...TASK, type: 'recency.contact.liked' }, 'type'],
    ['no type', { user: '42', contact: '7' }, 'type'],
    ['a field too many', { ...TASK, at: 1 }, 'at'],
    ['__proto__', '{"type":"recency.user.deleted","user":"1","__proto__":{"admin":true}}', '__proto__'],
    ['a user as their own contact', { ...TASK, contact: '42' }, 'contact'],
    ['version 0', { ...TASK, version: 0 }, 'version'],
    ['a version with a fraction', { ...TASK, version: 1.5 }, 'version'],
    ['a negative time', { type: 'recency.photo.uploaded', owner: '1', at: -1 }, 'at'],
    ['a kind that is not in use', { type: 'recency.group.joined', user: '1', group: '2' }, 'type'],
    ['one in an array', [TASK, { type: 'recency.group_photo.added', group: '2' }], '[1].type'],
    ['nothing in it', {}, 'type'],
    ['an empty array', [], 'body'],
    ['more than 500', Array(501).fill({ type: 'recency.user.deleted', user: '1' }), 'body'],
    ['null in an array', [TASK, null], '[1]'],
    ['an array in an array', [[TASK]], '[0]'],
    ['a fault in an array, with its place', [TASK, TASK, { ...TASK, contact: 7 }], '[2].contact'],
  ])('refuses %s, naming the field', async (_what, body, field) => {
    const before = api.accepted.length;
    const answer = await post(api, '/v1/tasks', body);
    expectProblem(answer, 400, 'invalid_body');
    expect(answer.body).toMatchObject({ field, errors: [{ field, in: 'body' }] });
    expect(api.accepted).toHaveLength(before);
  });

  it('names a limited number of errors', async () => {
    const { body } = await post(api, '/v1/tasks', Array(500).fill({}));
    expect(body.errors).toHaveLength(20);
  });

  it('echoes only field names, cut off when long', async () => {
    const long = 'x'.repeat(5_000);
    const { body } = await post(api, '/v1/tasks', { ...TASK, user: `secret-${long}`, [long]: 'secret' });
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(JSON.stringify(body).length).toBeLessThan(1_500);
  });

  it.each(['', '{', '{"type":', 'undefined', '"text"', '7', 'null', '\u0000', "{'type': 1}"])(
    'refuses %j, which is no JSON object or array',
    async (body) => {
      const answer = await post(api, '/v1/tasks', body);
      expect(['malformed_json', 'invalid_body']).toContain(answer.body.code);
      expect(answer.status).toBe(400);
    },
  );

  it('refuses a body nested 10,000 levels deep', async () => {
    const answer = await post(api, '/v1/tasks', '['.repeat(10_000) + ']'.repeat(10_000));
    expectProblem(answer, 400, 'invalid_body');
  });

  it('accepts 64 KiB and not a byte more', async () => {
    const body = JSON.stringify(TASK);
    const padded = (size: number) => body + ' '.repeat(size - body.length);
    expect((await post(api, '/v1/tasks', padded(MAX_TASK_BYTES))).status).toBe(202);
    expectProblem(await post(api, '/v1/tasks', padded(MAX_TASK_BYTES + 1)), 413, 'body_too_large');
  });

  it('counts the bytes of a compressed body after decompression', async () => {
    const { gzipSync } = await import('node:zlib');
    const bomb = gzipSync(`"${'a'.repeat(10_000_000)}"`);
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expectProblem(await ask(api, '/v1/tasks', { method: 'POST', headers, body: bomb }), 413, 'body_too_large');
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/json; charset=latin1',
    'nonsense',
  ])('refuses the type %s', async (type) => {
    expectProblem(await post(api, '/v1/tasks', TASK, { 'content-type': type }), 415, 'unsupported_media_type');
  });

  it('refuses an unknown encoding', async () => {
    expectProblem(await post(api, '/v1/tasks', TASK, { 'content-encoding': 'x' }), 415, 'unsupported_media_type');
  });

  it('refuses a body without a type, and a missing body', async () => {
    const body = new Blob([JSON.stringify(TASK)]);
    expectProblem(await ask(api, '/v1/tasks', { method: 'POST', body }), 415, 'unsupported_media_type');
    expect((await ask(api, '/v1/tasks', { method: 'POST' })).status).toBe(415);
  });
});

describe('a route', () => {
  it.each([
    ['POST', '/v1/users/1/contacts/recent', 'GET, HEAD, OPTIONS'],
    ['PUT', '/v1/users/1/contacts/recent/photos', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/v1/users/1/contacts/2/explain', 'GET, HEAD, OPTIONS'],
    ['PATCH', '/v1/users/1/index', 'GET, DELETE, HEAD, OPTIONS'],
    ['GET', '/v1/users/1/index/rebuild', 'POST, OPTIONS'],
    ['GET', '/v1/tasks', 'POST, OPTIONS'],
    ['DELETE', '/livez', 'GET, HEAD, OPTIONS'],
    ['POST', '/metrics', 'GET, HEAD, OPTIONS'],
  ])('does not know %s %s, and says what it knows', async (method, path, allow) => {
    const answer = await ask(api, path, { method });
    expectProblem(answer, 405, 'method_not_allowed');
    expect(answer.headers.get('allow')).toBe(allow);
    const options = await ask(api, path, { method: 'OPTIONS' });
    expect({ status: options.status, allow: options.headers.get('allow') }).toEqual({ status: 204, allow });
  });

  it.each([
    '/',
    '/v1',
    '/v1/users/1',
    '/v1/users/1/contacts',
    '/v1/users/1/contacts/recent/',
    '/V1/users/1/contacts/recent',
    '/v1//users/1/contacts/recent',
    '/v2/users/1/contacts/recent',
    '/docs/../package.json',
    '/docs/package.json',
    '/docs/..%2fpackage.json',
    '/docs/constructor',
    '/metrics/',
  ])('that is not there: %s', async (path) => {
    expectProblem(await ask(api, path), 404, 'not_found');
  });

  it('that answers GET also answers HEAD, without a body', async () => {
    const get = await ask(api, '/v1/users/1/contacts/recent');
    const head = await ask(api, '/v1/users/1/contacts/recent', { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
  });
});

describe('input that is not HTTP', () => {
  const send = (text: string) =>
    new Promise<string>((resolve, reject) => {
      let answer = '';
      const socket = connect(api.port, api.host, () => socket.write(text));
      socket.setEncoding('utf8').on('data', (part: string) => {
        answer += part;
      });
      socket.on('close', () => resolve(answer)).on('error', reject);
    });

  it.each([
    ['nonsense', 'hello\r\n\r\n', 400, 'malformed_request'],
    ['NUL in the path', 'GET /v1/\u0000 HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'malformed_request'],
    ['headers without end', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, 431, 'headers_too_large'],
  ])('is refused in the same words: %s', async (_what, text, status, code) => {
    const [head = '', body = ''] = (await send(text)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toContain('application/problem+json');
    expect(JSON.parse(body)).toMatchObject({ status, code });
  });
});
