import { pino } from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { Access } from '../../src/api/authorize.ts';
import { RedisContactIndex } from '../../src/index/redis/redis-contact-index.ts';
import type { RecentContacts } from '../../src/query/recent-contacts.ts';
import { openRedis } from '../../src/redis/connection.ts';
import { ask, post, startTestApi, type TestApi } from '../support/api.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { sql } from '../support/servers.ts';
import { freshNonce, freshStores, recentContactsOn, type Stores } from '../support/stores.ts';
import { until } from '../support/until.ts';

const NOBODY = 'redis://127.0.0.1:1';
/** Of no other number that the metrics may show. */
const ID = '9876543219876543210';
const RECENT = '/v1/users/1/contacts/recent';

let stores: Stores;
let api: TestApi;

beforeAll(async () => {
  stores = await freshStores();
  api = await startTestApi(stores);
});

describe('tokens', () => {
  let guarded: TestApi;
  beforeAll(async () => {
    const tokens = [
      { token: 'reader-0123', scopes: ['read'] },
      { token: 'writer-0123', scopes: ['write'] },
      { token: 'keeper-0123', scopes: ['admin'] },
    ] as const;
    guarded = await startTestApi(stores, { access: new Access(tokens) });
  });

  const statusOf = async (method: string, path: string, token?: string) => {
    const headers = { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) };
    const body = path === '/v1/tasks' ? '{"type":"recency.user.deleted","user":"1"}' : null;
    return (await ask(guarded, path, { method, headers, body })).status;
  };

  it.each([
    ['GET', RECENT, 'reader-0123'],
    ['GET', `${RECENT}/photos`, 'reader-0123'],
    ['GET', '/v1/users/1/contacts/2/explain', 'reader-0123'],
    ['POST', '/v1/tasks', 'writer-0123'],
    ['GET', '/v1/users/1/index', 'keeper-0123'],
    ['POST', '/v1/users/1/index/rebuild', 'keeper-0123'],
    ['GET', '/v1/fan-outs', 'keeper-0123'],
    ['DELETE', '/v1/users/1/index', 'keeper-0123'],
  ])('%s %s wants one, known, and of its scope', async (method, path, right) => {
    expect(await statusOf(method, path)).toBe(401);
    expect(await statusOf(method, path, 'stranger-0123')).toBe(401);
    for (const token of ['reader-0123', 'writer-0123', 'keeper-0123']) {
      const status = await statusOf(method, path, token);
      if (token === right) expect([200, 202, 204]).toContain(status);
      else expect(status).toBe(403);
    }
  });

  it.each(['/livez', '/readyz', '/startupz', '/metrics', '/openapi.json', '/docs', '/docs/start.js'])(
    '%s wants none',
    async (path) => expect(await statusOf('GET', path)).toBe(200),
  );

  it('are checked before anything else', async () => {
    const answer = await post(guarded, '/v1/tasks', 'x'.repeat(100_000));
    expect({ status: answer.status, challenge: answer.headers.get('www-authenticate') }).toEqual({
      status: 401,
      challenge: 'Bearer realm="recency"',
    });
  });
});

describe('the id of a request', () => {
  it('is the given one when it is safe, fresh otherwise, and is in the header and the problem', async () => {
    const given = await ask(api, '/v1/users/0/contacts/recent', { headers: { 'x-request-id': 'abc-1' } });
    expect([given.headers.get('x-request-id'), given.body.request_id]).toEqual(['abc-1', 'abc-1']);
    const made = await ask(api, RECENT, { headers: { 'x-request-id': 'a b' } });
    expect(made.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('failures', () => {
  it('inside are logged with the request id, and not exposed', async () => {
    const broken = await startTestApi(stores, { inspect: () => Promise.reject(new Error('secret table x')) });
    const { status, body } = await ask(broken, '/v1/users/1/index', { headers: { 'x-request-id': 'abc-2' } });
    expect({ status, code: body.code }).toEqual({ status: 500, code: 'internal' });
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(broken.log).toMatchObject([
      { level: 50, requestId: 'abc-2', route: '/v1/users/{user}/index', err: { message: 'secret table x' } },
    ]);
  });

  it('a row that MySQL cannot read, or a view that is gone: 500, which names neither', async () => {
    const { url, ...own } = await freshStores();
    const refusing = await startTestApi({ url, ...own });
    const refused = async (error: string) => {
      const { status, body } = await ask(refusing, RECENT);
      expect({ status, code: body.code }).toEqual({ status: 500, code: 'database_refused' });
      expect(JSON.stringify(body)).not.toContain('recency_');
      expect(refusing.log.at(-1)).toMatchObject({ level: 50, err: { code: error } });
    };
    await sql(
      url,
      'INSERT INTO users (id, last_public_at) VALUES (1, 5), (2, 5)',
      'INSERT INTO contacts (user_id, contact_id, version) VALUES (1, 2, 3)',
      'RENAME TABLE recency_contacts TO readable_contacts',
      `CREATE VIEW recency_contacts AS
       SELECT user_id, contact_id, related, CAST(last_upload_at AS UNSIGNED) - 9 AS last_upload_at, sees, is_friend, is_family, since, version
       FROM readable_contacts`,
    );
    await refused('ER_DATA_OUT_OF_RANGE');
    await sql(
      url,
      `CREATE FUNCTION refuse() RETURNS BIGINT DETERMINISTIC
       BEGIN SIGNAL SQLSTATE 'AB123' SET MYSQL_ERRNO = 1105, MESSAGE_TEXT = 'not this row'; RETURN 0; END`,
      `CREATE OR REPLACE VIEW recency_contacts AS
       SELECT user_id, contact_id, related, last_upload_at + refuse() AS last_upload_at, sees, is_friend, is_family, since, version
       FROM readable_contacts`,
    );
    await refused('ER_UNKNOWN_ERROR');
    await sql(url, 'DROP VIEW recency_contacts');
    await refused('ER_NO_SUCH_TABLE');
  });

  const recentOn = (parts: Partial<ConstructorParameters<typeof RecentContacts>[0]>) =>
    recentContactsOn(stores, { max: 4, min: 2 }, parts);

  const expectRetry = async (broken: TestApi, code: string, path = RECENT) => {
    const { status, body, headers } = await ask(broken, path);
    expect({ status, code: body.code, retry: headers.get('retry-after') }).toEqual({ status: 503, code, retry: '1' });
    expect(broken.log.at(-1)).toMatchObject({ level: 40, code, requestId: body.request_id });
  };

  it('MySQL away: 503', async () => {
    const database = new ContactsDatabase('mysql://root@127.0.0.1:1/x', {
      connections: 1,
      queue: 1,
      deadlineMs: 1_000,
    });
    await expectRetry(await startTestApi(stores, { recentContacts: recentOn({ database }) }), 'database_unavailable');
    await database.close();
  });

  it('every connection in use: 503', async () => {
    const database = new ContactsDatabase(stores.url, { connections: 1, queue: 1, deadlineMs: 5_000 });
    const end = Promise.withResolvers<void>();
    const held = database.transaction(() => end.promise);
    const waiting = database.rows('SELECT 1', []);
    await expectRetry(await startTestApi(stores, { recentContacts: recentOn({ database }) }), 'database_busy');
    end.resolve();
    await Promise.all([held, waiting]);
    await database.close();
  });

  it('too many plain queries: 503, and it is counted', async () => {
    await stores.index.drop(['1']);
    const heavy = { concurrency: 1, queue: 0 };
    const database = new ContactsDatabase(stores.url, { connections: 2, queue: 10, deadlineMs: 5_000, heavy });
    const plainQueries = database.heavy;
    const end = Promise.withResolvers<void>();
    const held = plainQueries.run(() => end.promise);
    const recentContacts = recentOn({ database });
    const full = await startTestApi(stores, { plainQueries, recentContacts });
    await expectRetry(full, 'plain_query_limit');
    const { body } = await ask(full, '/metrics');
    expect(body).toContain('recency_plain_queries{state="running"} 1');
    expect(body).toContain('recency_plain_queries_refused_total 1');
    end.resolve();
    await held;
    await database.close();
  });

  it('Redis away: the database answers; what is of the index itself does not', async () => {
    const redis = openRedis(NOBODY, { commandTimeoutMs: 500, connectTimeoutMs: 500, name: 'test' });
    const options = { max: 4, min: 2, prefix: stores.prefix, freshNonce };
    const index = new RedisContactIndex(redis, options);
    const away = await startTestApi(stores, {
      recentContacts: recentOn({ index }),
      inspect: (user) => index.read(user, 0, false) as never,
    });
    const { status, body } = await ask(away, RECENT);
    expect({ status, answer: body.answer }).toMatchObject({
      status: 200,
      answer: { source: 'database', exact: true, complete: true, floor: null, reason: 'redis_unavailable', lag_ms: 0 },
    });
    await expectRetry(away, 'redis_unavailable', '/v1/users/1/index');
    redis.disconnect();
  });

  it('slow requests are logged', async () => {
    const slow = await startTestApi(stores, { slowMs: 0 });
    await ask(slow, RECENT);
    expect(slow.log).toMatchObject([{ level: 40, msg: 'slow request', route: '/v1/users/{user}/contacts/recent' }]);
    await ask(api, RECENT);
    expect(api.log).toEqual([]);
  });
});

describe('the limit of requests', () => {
  it('applies per address, over all of /v1, and says when to retry', async () => {
    const limited = await startTestApi(stores, { rateLimit: 2 });
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask(limited, RECENT)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThanOrEqual(28);
    for (const { body, headers } of refused) {
      expect([body.code, headers.get('retry-after')]).toEqual(['rate_limited', '1']);
    }
    expect((await ask(limited, '/livez')).status).toBe(200);
  });

  it('does not trust a claimed origin', async () => {
    const limited = await startTestApi(stores, { rateLimit: 2 });
    const from = (i: number) => ask(limited, RECENT, { headers: { 'x-forwarded-for': `10.0.0.${i}` } });
    const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => from(i)));
    expect(answers.some(({ status }) => status === 429)).toBe(true);
  });
});

describe('health', () => {
  it('/livez answers', async () => {
    expect(await ask(api, '/livez')).toMatchObject({ status: 200, body: { status: 'alive' } });
  });

  it('/startupz answers for the start', async () => {
    let started = false;
    const starting = await startTestApi(stores, { hasStarted: () => started });
    expect(await ask(starting, '/startupz')).toMatchObject({ status: 503, body: { status: 'starting' } });
    started = true;
    expect(await ask(starting, '/startupz')).toMatchObject({ status: 200, body: { status: 'started' } });
  });

  it('/readyz names what fails, and with verbose lists every check, but not why, because it is public', async () => {
    const checks = {
      mysql: async () => 'lag 0 ms',
      redis: () => Promise.reject(new RangeError('10.0.0.7 is away')),
      broker: () => new Promise<undefined>(() => undefined),
    };
    const unready = await startTestApi(stores, { checks, checkDeadlineMs: 50 });
    const short = await ask(unready, '/readyz');
    expect(short).toMatchObject({ status: 503, body: { status: 'unready', failing: ['redis', 'broker'] } });
    expect(short.body).not.toHaveProperty('checks');
    const { body } = await ask(unready, '/readyz?verbose');
    expect(body.checks).toEqual({
      mysql: { ok: true, detail: 'lag 0 ms', ms: expect.any(Number) },
      redis: { ok: false, detail: 'RangeError', ms: expect.any(Number) },
      broker: { ok: false, detail: 'NoAnswer', ms: expect.any(Number) },
    });
    expect(unready.log.map(({ check }) => check)).toEqual(['redis', 'broker']);
  });

  it('/readyz?verbose lists reports too, which are ok when they say something good, and change no status', async () => {
    let asked = 0;
    const reports = {
      outbox: async () => ({ state: 'problem', detail: '9 rows wait, the oldest for 3600.0 s' }) as const,
      epoch: async () => ({ state: 'warning', detail: 'suspended' }) as const,
      stream: async () => ({ state: 'fine', detail: `asked ${++asked}` }) as const,
      rechecks: () => Promise.reject(new RangeError('10.0.0.7 is away')),
      delay_queue: () => new Promise<never>(() => undefined),
    };
    const checks = { mysql: async () => undefined };
    const reporting = await startTestApi(stores, { checks, reports, checkDeadlineMs: 50 });
    const short = { status: 200, body: { status: 'ready', failing: [] } };
    expect(await ask(reporting, '/readyz')).toMatchObject(short);
    expect(asked, 'a balancer asks for no report').toBe(0);
    const verbose = await ask(reporting, '/readyz?verbose');
    expect(verbose).toMatchObject(short);
    const ms = expect.any(Number);
    expect(verbose.body.checks).toEqual({
      mysql: { ok: true, ms },
      outbox: { ok: false, state: 'problem', detail: '9 rows wait, the oldest for 3600.0 s', ms },
      epoch: { ok: false, state: 'warning', detail: 'suspended', ms },
      stream: { ok: true, state: 'fine', detail: 'asked 1', ms },
      rechecks: { ok: false, state: 'problem', detail: 'not known: RangeError', ms },
      delay_queue: { ok: false, state: 'problem', detail: 'not known: NoAnswer', ms },
    });
    expect(reporting.log.map(({ check }) => check)).toEqual(['rechecks', 'delay_queue']);
  });

  it('/readyz is degraded, but 200, while only dispensable checks fail', async () => {
    const away = () => Promise.reject(new Error('away'));
    const degraded = await startTestApi(stores, {
      checks: { mysql: async () => undefined, redis: away, transport: away },
    });
    const answer = await ask(degraded, '/readyz');
    expect(answer).toMatchObject({ status: 200, body: { status: 'degraded', failing: ['redis', 'transport'] } });
  });

  it('/v1 says so until the service has started', async () => {
    const starting = await startTestApi(stores, { isAnswering: () => false });
    const answer = await ask(starting, RECENT);
    expect(answer).toMatchObject({ status: 503, body: { code: 'starting' } });
    expect(answer.headers.get('retry-after')).toBe('1');
  });

  it('/readyz is ready when all checks pass, and runs them once for concurrent requests', async () => {
    let asked = 0;
    let gone = false;
    const end = Promise.withResolvers<string>();
    const checks = {
      mysql: () => {
        asked += 1;
        return gone ? Promise.reject(new Error('gone')) : end.promise;
      },
    };
    const ready = await startTestApi(stores, { checks });
    const answers = Array.from({ length: 5 }, () => ask(ready, '/readyz'));
    await until(() => asked === 1);
    await ask(ready, '/livez');
    end.resolve('fine');
    for (const answer of await Promise.all(answers)) expect(answer.status).toBe(200);
    expect(asked).toBeLessThan(5);
    gone = true;
    expect((await ask(ready, '/readyz')).status).toBe(503);
  });
});

describe('/metrics', () => {
  it('counts requests by route pattern and status, and answers by where they came from; never an id', async () => {
    const counted = await startTestApi(stores);
    for (const path of [RECENT, `${RECENT}/photos`, `/v1/users/${ID}/contacts/recent?limit=0`, `/nowhere/${ID}`]) {
      await ask(counted, path);
    }
    await ask(counted, RECENT, { method: 'PUT' });
    const { body, headers } = await ask(counted, '/metrics');
    expect(headers.get('content-type')).toContain('text/plain');
    const requests = (labels: string) => `recency_http_request_duration_seconds_count{${labels}} 1`;
    expect(body).toContain(requests('route="/v1/users/{user}/contacts/recent",method="GET",status="200"'));
    expect(body).toContain(requests('route="/v1/users/{user}/contacts/recent",method="GET",status="400"'));
    expect(body).toContain(requests('route="/v1/users/{user}/contacts/recent",method="PUT",status="405"'));
    expect(body).toContain(requests('route="none",method="GET",status="404"'));
    expect(body).toMatch(/recency_answers_total\{list="contacts",source="\w+",exact="true",reason="\w+"\} 1/);
    expect(body).toMatch(/recency_answers_total\{list="photos",source="\w+",exact="true",reason="\w+"\} 1/);
    expect(body).toMatch(/recency_cold_builds_total\{outcome="built"\} \d/);
    expect(body).not.toContain(ID);
  });
});

describe('/docs', () => {
  it('is a self-contained page with only the permissions it needs', async () => {
    const { status, headers, body } = await ask(api, '/docs');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;connect-src 'self';base-uri 'none';form-action 'none';frame-ancestors 'none'",
    );
    const links = [...String(body).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => String(link));
    expect(links).toHaveLength(4);
    for (const link of links) {
      expect(link).toMatch(/^\/docs\//);
      const part = await ask(api, link);
      expect(part.status).toBe(200);
      expect(part.headers.get('x-content-type-options')).toBe('nosniff');
      // A browser asks each time, so that after an upgrade no page meets a script of the version before.
      expect(part.headers.get('cache-control')).toBe('no-cache');
      const again = await ask(api, link, { headers: { 'if-none-match': String(part.headers.get('etag')) } });
      expect([again.status, again.body]).toEqual([304, '']);
    }
    expect(body).not.toMatch(/<script>|<style|\sstyle=|\son\w+=/);
  });

  it('shows the document, and uses no validator on the Internet', async () => {
    const { body, headers } = await ask(api, '/docs/start.js');
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(body).toContain("url: '/openapi.json'");
    expect(body).toContain('validatorUrl: null');
  });
});

describe('answers in data', () => {
  it('are never sniffed, framed or kept by others, and reveal nothing about the server', async () => {
    const answer = await ask(api, RECENT); // its tag is tested in entity-tags.int.test.ts
    expect(answer.headers.get('cache-control')).toBe('private, no-cache');
    for (const path of [RECENT, '/v1/users/0/contacts/recent', '/nowhere', '/livez', '/metrics']) {
      const { headers } = path === RECENT ? answer : await ask(api, path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
      if (path !== RECENT) expect([headers.get('cache-control'), headers.has('etag')]).toEqual(['no-store', false]);
      for (const name of ['x-powered-by', 'server', 'access-control-allow-origin']) {
        expect(headers.has(name)).toBe(false);
      }
    }
  });
});

it('a logger that says nothing is fine', async () => {
  const silent = await startTestApi(stores, { logger: pino({ level: 'silent' }), slowMs: 0 });
  expect((await ask(silent, RECENT)).status).toBe(200);
});
