import { beforeAll, describe, expect, it } from 'vitest';
import { readWatch } from '../../src/push/watch-table.ts';
import { createUsers } from '../../src/tools/reference-site/users.ts';
import { ask, post, startTestApi, type TestApi } from '../support/api.ts';
import { freshSitePool } from '../support/small-site.ts';
import { freshStores, type Stores } from '../support/stores.ts';

const LIMITS = { max: 8, min: 4 };
const HOOK = 'https://example.com/hook?of=recency';

let stores: Stores;
let api: TestApi;

beforeAll(async () => {
  stores = await freshStores(LIMITS);
  await createUsers(freshSitePool(stores.url), ['1', '2']);
  api = await startTestApi(stores, { ...LIMITS, allowPrivateWebhooks: false });
});

const create = (body: object) => post(api, '/v1/watches', body);
const show = (id: string) => ask(api, `/v1/watches/${id}`);
const change = (id: string, body: unknown) =>
  ask(api, `/v1/watches/${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

async function created(body: object = {}): Promise<{ id: string; secret: string }> {
  const { status, body: made } = await create({ user: '1', channel: 'webhook', url: HOOK, ...body });
  expect(status).toBe(201);
  return made;
}

describe('a watch', () => {
  it('is created with a secret that is shown once, shown, listed, and removed, also twice', async () => {
    const { id, secret } = await created({ user: '2', muted: ['7'], interval_ms: 5, relation: 'family' });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    const { status, body } = await show(id);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...{ id, user: '2', kinds: ['contacts'], channel: 'webhook', url: HOOK, relation: 'family' },
      ...{ muted: ['7'], interval_ms: 5, state: 'waiting' },
    });
    expect((await ask(api, '/v1/watches?user=2')).body).toEqual({ watches: [body] });
    for (const _ of ['once', 'twice']) {
      expect((await ask(api, `/v1/watches/${id}`, { method: 'DELETE' })).status).toBe(204);
    }
    expect(await show(id)).toMatchObject({ status: 404, body: { code: 'watch_unknown' } });
    expect((await ask(api, '/v1/watches?user=2')).body).toEqual({ watches: [] });
  });

  it('keeps what a change leaves out, and the secret that was replaced until the next rotation', async () => {
    const { id, secret } = await created({ muted: ['7'] });
    expect((await change(id, { interval_ms: 60_000 })).body).toEqual({ id });
    expect((await show(id)).body).toMatchObject({ muted: ['7'], interval_ms: 60_000, url: HOOK });
    const [second, third] = [await change(id, { rotate_secret: true }), await change(id, { rotate_secret: true })];
    const secrets = async () => (await readWatch(stores.primary, id))?.secrets;
    expect(await secrets()).toEqual([third.body.secret, second.body.secret]);
    expect(new Set([secret, second.body.secret, third.body.secret]).size).toBe(3);
  });

  it('of a topic has no secret', async () => {
    const { body } = await create({ user: '1', channel: 'kafka' });
    expect(body).toEqual({ id: expect.any(String) });
  });

  it('is tested once at a time', async () => {
    const { id } = await created();
    expect(await post(api, `/v1/watches/${id}/test`, {})).toMatchObject({
      status: 202,
      body: { notification: expect.stringMatching(/^test_/) },
    });
    expect((await show(id)).body).toMatchObject({ state: 'delivering', attempts: 0 });
    expect(await post(api, `/v1/watches/${id}/test`, {})).toMatchObject({
      status: 409,
      body: { code: 'watch_busy' },
    });
  });
});

describe('a watch that is not understood', () => {
  const WEBHOOK = { user: '1', channel: 'webhook', url: HOOK };
  const KAFKA = { user: '1', channel: 'kafka' };

  it.each([
    ['nothing', {}, 'user'],
    ['no channel', { user: '1' }, 'channel'],
    ['another channel', { user: '1', channel: 'pigeon' }, 'channel'],
    ['a user that is no id', { ...KAFKA, user: 'me' }, 'user'],
    ['an unknown field', { ...KAFKA, usr: '1' }, 'usr'],
    ['no kind', { ...KAFKA, kinds: [] }, 'kinds'],
    ['the same kind twice', { ...KAFKA, kinds: ['contacts', 'contacts'] }, 'kinds'],
    ['a kind that does not exist', { ...KAFKA, kinds: ['pets'] }, 'kinds[0]'],
    ['a kind that is not in use', { ...KAFKA, kinds: ['groups'] }, 'kinds'],
    ['another relation', { ...KAFKA, relation: 'foes' }, 'relation'],
    ['a muted one that is no id', { ...KAFKA, muted: ['x'] }, 'muted[0]'],
    ['too many muted ones', { ...KAFKA, muted: Array.from({ length: 1_001 }, (_, i) => String(i + 1)) }, 'muted'],
    ['a negative interval', { ...KAFKA, interval_ms: -1 }, 'interval_ms'],
    ['an interval longer than a week', { ...KAFKA, interval_ms: 604_800_001 }, 'interval_ms'],
    ['a webhook without a URL', { user: '1', channel: 'webhook' }, 'url'],
    ['a topic with a URL', { ...KAFKA, url: HOOK }, 'url'],
    ['a URL that is none', { ...WEBHOOK, url: 'example.com' }, 'url'],
    ['a file', { ...WEBHOOK, url: 'file:///etc/passwd' }, 'url'],
    ['a URL without TLS', { ...WEBHOOK, url: 'http://example.com/' }, 'url'],
    ['a URL with a password', { ...WEBHOOK, url: 'https://me:secret@example.com/' }, 'url'],
    ['a loopback address', { ...WEBHOOK, url: 'https://127.0.0.1/' }, 'url'],
    ['the address of cloud metadata', { ...WEBHOOK, url: 'https://169.254.169.254/latest' }, 'url'],
    ['a private address as one number', { ...WEBHOOK, url: 'https://167772161/' }, 'url'],
    ['a loopback address of IPv6', { ...WEBHOOK, url: 'https://[::1]/' }, 'url'],
    ['a URL that is too long', { ...WEBHOOK, url: `${HOOK}${'x'.repeat(2_048)}` }, 'url'],
  ])('is refused: %s', async (_, body, field) => {
    const { status, body: problem } = await create(body);
    expect({ status, code: problem.code }).toEqual({ status: 400, code: 'invalid_body' });
    expect(problem.errors.map((one: { field: string }) => one.field)).toContain(field);
    expect(JSON.stringify(problem)).not.toContain('secret@');
  });

  it.each([
    ['an unknown field', { user: '2' }],
    ['another channel', { channel: 'kafka' }],
    ['a secret of their own', { secret: 'whsec_AAAA' }],
    ['no rotation', { rotate_secret: false }],
    ['a private address', { url: 'https://10.0.0.1/' }],
  ])('is not changed: %s', async (_, body) => {
    const { id } = await created();
    const before = (await show(id)).body;
    expect(await change(id, body)).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
    expect((await show(id)).body).toEqual(before);
  });

  it('is not found under another id, and no id is no question', async () => {
    const unknown = { status: 404, body: { code: 'watch_unknown' } };
    expect(await show('999999')).toMatchObject(unknown);
    expect(await post(api, '/v1/watches/999999/test', {})).toMatchObject(unknown);
    expect((await change('999999', { interval_ms: 1 })).status).toBe(404);
    expect((await show('x')).status).toBe(400);
    expect((await ask(api, '/v1/watches')).status).toBe(400);
  });
});
