import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Access } from '../../src/api/authorize.ts';
import { openConsole } from '../../src/app/console.ts';
import { consoleRoutes } from '../../src/console/routes.ts';
import { Sessions } from '../../src/console/sessions.ts';
import type { ConsoleSources } from '../../src/console/sources.ts';
import { backlogChecks } from '../../src/health/backlog-checks.ts';
import { examine } from '../../src/health/finding.ts';
import { bumpEpoch } from '../../src/index/epoch.ts';
import { FanOutProgress } from '../../src/index/redis/fan-out-progress.ts';
import { WatchedUsers } from '../../src/index/redis/watched-users.ts';
import { readEpochState } from '../../src/mysql/losses.ts';
import { DelayQueue } from '../../src/redis/delay-queue.ts';
import { SamplerReports } from '../../src/repair/sampler/report.ts';
import { SettledDeadLetters } from '../../src/transport/settled-dead-letters.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { freshName, freshTopic, hasKafka, kafkaBrokers, redisUrl } from '../support/servers.ts';
import { freshStores, type Stores } from '../support/stores.ts';
import { open, type Place } from '../transport/place.ts';

let stores: Stores;

beforeAll(async () => {
  stores = await freshStores();
});

const failure = { errorClass: 'InvalidTask', message: 'type: <b> is not known', attempts: 1 };

async function started(place: Place, more: { readonly isAnswering?: () => boolean } = {}) {
  const { primary, redis, prefix } = stores;
  const { deadLetters: letters, close } = await open(place);
  onTestFinished(close);
  const deadLetters = new SettledDeadLetters({ letters, database: primary, place: freshName() });
  const unknown = () => Promise.resolve(undefined);
  const lane = { lag: unknown, consumers: unknown };
  const delayQueues = [new DelayQueue(redis, prefix)];
  const watermark = { lagShownMs: () => undefined };
  const checks = backlogChecks({
    ...{ watermark, primary, delayQueues, watched: new WatchedUsers(redis, prefix).queue },
    transport: { small: lane, bulk: lane },
  });
  const sources: Omit<ConsoleSources, 'checks'> = {
    version: '0.0.0',
    lagMs: watermark.lagShownMs,
    backlog: async () => ({ findings: await examine('backlog', checks), at: Date.now() }),
    consistency: () => Promise.resolve({ findings: [], at: Date.now() }),
    history: () => Promise.resolve({ at: [], series: {} }),
    epoch: () => readEpochState(primary),
    bumpEpoch: (why) => bumpEpoch(primary, why),
    fanOuts: () => new FanOutProgress(redis, prefix).list(Date.now()),
    firstLetters: () => deadLetters.list({ limit: 100 }),
    deadLetters,
    runs: () => Promise.resolve([]),
    sampler: new SamplerReports(redis, prefix),
    kinds: [],
    max: 24,
  };
  const { isAnswering = () => true } = more;
  const api = await startTestApi(stores, {
    isAnswering,
    pages: (readiness) =>
      consoleRoutes(
        { ...sources, checks: () => readiness.check() },
        {
          sessions: new Sessions({ access: new Access([]), clock: Date.now }),
          isAnswering,
          logger: LOGGER,
          clock: Date.now,
        },
      ),
  });
  return { api, deadLetters };
}

const LOGGER = {
  info: () => undefined,
  warn: () => undefined,
  error: (facts: object) => expect(facts).toBeUndefined(),
};

const streams = (name = 'tasks'): Place => {
  return { kind: 'streams', url: redisUrl(), stream: `${stores.prefix}:{${name}}:stream` };
};

const read = async (api: TestApi, path: string, cookie = '') => {
  const response = await fetch(api.url + path, { headers: { cookie } });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

describe('the console without tokens', () => {
  it('lets everybody in, and still does nothing that another site asks for', async () => {
    const { api, deadLetters } = await started(streams());
    await deadLetters.put([
      { delivery: { position: 'x', body: Buffer.from('<i>'), headers: {}, timestamp: 1 }, failure },
    ]);
    const first = await read(api, '/console/dead-letters');
    const cookie = String(first.headers.get('set-cookie')).split(';')[0];
    expect(first.text).toContain('type: &lt;b&gt; is not known');
    const id = String(/name="id" value="([^"]+)"/.exec(first.text)?.[1]);
    expect((await read(api, `/console/dead-letters/${id}`, cookie)).text).toContain('&lt;i&gt;</pre>');
    const confirm = await read(api, `/console/dead-letters/replay?id=${id}`, cookie);
    expect(confirm.headers.has('set-cookie')).toBe(false);
    const form = String(/name="form" value="([^"]+)"/.exec(confirm.text)?.[1]);
    const replay = async (fields: Record<string, string>, headers: Record<string, string>) => {
      const body = new URLSearchParams(fields);
      const response = await fetch(`${api.url}/console/dead-letters/replay`, { method: 'POST', body, headers });
      return { status: response.status, text: await response.text() };
    };
    expect(await replay({ id }, { cookie: String(cookie) })).toMatchObject({ status: 400 });
    expect(await replay({ id, form }, {})).toMatchObject({ status: 400 });
    expect(await replay({ id, form }, { cookie: String(cookie), 'sec-fetch-site': 'same-site' })).toMatchObject({
      status: 400,
    });
    const done = await replay({ id, form }, { cookie: String(cookie) });
    expect(done).toMatchObject({ status: 200, text: expect.stringContaining('1 of 1 were published again.') });
  });

  it('discards letters with a reason, and lists them no longer', async () => {
    const { api, deadLetters } = await started(streams());
    await deadLetters.put([{ delivery: { position: 'x', body: null, headers: {}, timestamp: 1 }, failure }]);
    const first = await read(api, '/console/dead-letters');
    const cookie = String(String(first.headers.get('set-cookie')).split(';')[0]);
    const id = String(/name="id" value="([^"]+)"/.exec(first.text)?.[1]);
    const confirm = await read(api, `/console/dead-letters/discard?id=${id}`, cookie);
    const form = String(/name="form" value="([^"]+)"/.exec(confirm.text)?.[1]);
    const discard = async (why: string) => {
      const body = new URLSearchParams({ id, form, why });
      const response = await fetch(`${api.url}/console/dead-letters/discard`, {
        method: 'POST',
        body,
        headers: { cookie },
      });
      return { status: response.status, text: await response.text() };
    };
    expect(await discard(' ')).toMatchObject({ status: 400, text: expect.stringContaining('say why') });
    expect(await discard('of a <test>')).toMatchObject({
      status: 200,
      text: expect.stringContaining('1 of 1 were discarded: of a &lt;test&gt;'),
    });
    expect((await read(api, '/console/dead-letters')).text).not.toContain(id);
  });

  it('replays and discards all letters that match, and says what became of each type', async () => {
    const { api, deadLetters } = await started(streams('of its own'));
    const letter = (
      type: string,
      user: string,
      i: number,
      body = JSON.stringify({ type, user, contact: String(1_000 + i) }),
    ) => ({
      delivery: { position: 'x', body: Buffer.from(body), headers: { ce_type: type }, timestamp: i },
      failure: { ...failure, message: `odd ${i % 2 === 0 ? 'even' : 'uneven'}` },
    });
    const [ADDED, REMOVED] = ['recency.contact.added', 'recency.contact.removed'];
    await deadLetters.put([
      ...Array.from({ length: 120 }, (_, i) => letter(ADDED, '7', i)),
      ...Array.from({ length: 30 }, (_, i) => letter(REMOVED, '8', i)),
      letter(REMOVED, '7', 1, ' '.repeat(70_000)), // too long to be kept whole
    ]);
    const list = (query: string) => read(api, `/console/dead-letters?${query}`);
    const first = await list('');
    const cookie = String(String(first.headers.get('set-cookie')).split(';')[0]);
    expect((await list('type=removed')).text).toContain('Messages that match (31)');
    expect((await list('user=8')).text).toContain('Messages that match (30)');
    expect((await list('user=8&reason=UNEVEN')).text).toContain('Messages that match (15)');
    expect((await list('reason=nothing')).text).toContain('No dead letter matches.');
    expect((await list('user=x')).status).toBe(400);
    const act = async (action: string, query: string, more: Record<string, string> = {}, agreed?: string) => {
      const confirm = await read(api, `/console/dead-letters/${action}?${query}`, cookie);
      const names = [...confirm.text.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)];
      const fields = { ...Object.fromEntries(names.map(([, name, value]) => [name, value])), ...more };
      const body = new URLSearchParams(agreed === undefined ? fields : { ...fields, count: agreed });
      const path = `${api.url}/console/dead-letters/${action}`;
      const done = await fetch(path, { method: 'POST', body, headers: { cookie } });
      return { asked: confirm.text, status: done.status, text: (await done.text()).replaceAll(/<[^>]+>\s*/g, ' ') };
    };
    const few = await act('replay', 'all=yes&type=removed', {}, '30');
    expect(few).toMatchObject({ status: 400, text: expect.stringContaining('31 letters match by now, and not 30.') });
    const replayed = await act('replay', 'all=yes&type=removed');
    expect(replayed.asked).toContain('<p>31 of the dead letters will be published again');
    expect(replayed.text).toContain('30 of 31 were published again.');
    expect(replayed.text).toContain('its body is truncated');
    expect(replayed.text).toMatch(/recency\.contact\.removed\s+31\s+30\s+0\s+1/);
    const discarded = await act('discard', 'all=yes', { why: 'of a test' });
    expect(discarded.text).toContain('121 of 121 were discarded: of a test');
    expect(discarded.text).toMatch(/recency\.contact\.added\s+120\s+120\s+0\s+0/);
    expect((await list('')).text).toContain('There are no dead letters');
  });

  it('begins a new epoch with a reason, and not without one', async () => {
    const { api } = await started(streams());
    const asked = await read(api, '/console/epoch/bump');
    const cookie = String(String(asked.headers.get('set-cookie')).split(';')[0]);
    const form = String(/name="form" value="([^"]+)"/.exec(asked.text)?.[1]);
    const begin = async (why: string) => {
      const body = new URLSearchParams({ form, why });
      return (await fetch(`${api.url}/console/epoch/bump`, { method: 'POST', body, headers: { cookie } })).status;
    };
    const { epoch: before } = await readEpochState(stores.primary);
    expect(await begin(' ')).toBe(400);
    expect((await readEpochState(stores.primary)).epoch).toEqual(before);
    expect(await begin('a backup was <restored>')).toBe(200);
    const { epoch } = await readEpochState(stores.primary);
    expect(epoch).toMatchObject({ why: 'a backup was <restored>' });
    expect(epoch.token).not.toBe(before.token);
    expect((await read(api, '/console/epoch')).text).toContain('a backup was &lt;restored&gt;');
  });

  it('shows the overview before the start is over, and nothing else', async () => {
    const { api } = await started(streams(), { isAnswering: () => false });
    expect((await read(api, '/console')).text).toContain('<h1>Overview</h1>');
    const early = await read(api, '/console/runs');
    expect(early).toMatchObject({ status: 503, text: expect.stringContaining('waiting for MySQL') });
    expect(early.headers.get('retry-after')).toBe('1');
  });

  it('says that there is nothing, where there is nothing', async () => {
    const { api } = await started(streams());
    expect((await read(api, '/console/fan-outs')).text).toContain('No large fan-out is in progress.');
    expect((await read(api, '/console/runs')).text).toContain('There was no run yet.');
    expect((await read(api, '/console/drift')).text).toContain('There was no repair yet.');
    expect((await read(api, '/console/files/nothing.css')).status).toBe(404);
    const script = await read(api, '/console/files/console.js');
    expect(script.headers.get('cache-control')).toBe('no-cache');
    expect(script.headers.get('etag')).toMatch(/^W\/"/);
    const { headers } = await read(api, '/console');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none';script-src 'self';style-src 'self';img-src 'self';connect-src 'self';base-uri 'none';form-action 'self';frame-ancestors 'none'",
    );
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('is not there where it is off', async () => {
    expect(openConsole({ config: { console: 'off' } } as never, {} as never)).toBeUndefined();
    const api = await startTestApi(stores);
    expect(await read(api, '/console')).toMatchObject({ status: 404 });
  });

  it.runIf(hasKafka())('shows dead letters on Kafka', async () => {
    const place = { kind: 'kafka' as const, brokers: kafkaBrokers(), topic: await freshTopic() };
    const { api, deadLetters } = await started(place);
    expect((await read(api, '/console/dead-letters')).text).toContain('There are no dead letters');
    await deadLetters.put([{ delivery: { position: 'x', body: null, headers: {}, timestamp: 1 }, failure }]);
    const { text } = await read(api, '/console/dead-letters');
    const id = String(/name="id" value="([^"]+)"/.exec(text)?.[1]);
    expect((await read(api, `/console/dead-letters/${id}`)).text).toContain('(no body)');
  });
});
