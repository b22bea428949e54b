import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openConsole } from '../../src/app/console.ts';
import { consoleRoutes } from '../../src/console/routes.ts';
import { Sessions } from '../../src/console/sessions.ts';
import type { ConsoleSources } from '../../src/console/sources.ts';
import { backlogChecks } from '../../src/health/backlog-checks.ts';
import { FanOutProgress } from '../../src/index/redis/fan-out-progress.ts';
import { readEpochState } from '../../src/mysql/losses.ts';
import { DelayQueue } from '../../src/redis/delay-queue.ts';
import { SamplerReports } from '../../src/repair/sampler/report.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { freshTopic, hasKafka, kafkaBrokers, redisUrl } from '../support/servers.ts';
import { freshStores, type Stores } from '../support/stores.ts';
import { open, type Place } from '../transport/place.ts';

let stores: Stores;

beforeAll(async () => {
  stores = await freshStores();
});

const failure = { errorClass: 'InvalidTask', message: 'type: <b> is not known', attempts: 1 };

async function started(place: Place, more: { readonly hasStarted?: () => boolean } = {}) {
  const { primary, redis, prefix } = stores;
  const { deadLetters, close } = await open(place);
  onTestFinished(close);
  const unknown = () => Promise.resolve(undefined);
  const delayQueues = [new DelayQueue(redis, prefix)];
  const watermark = { lagMs: () => undefined };
  const sources: Omit<ConsoleSources, 'checks'> = {
    version: '0.0.0',
    ...watermark,
    backlog: backlogChecks({
      ...{ watermark, primary, delayQueues, fill: undefined },
      ...{ transportLag: unknown, bulkLag: unknown },
    }),
    consistency: {},
    epoch: () => readEpochState(primary),
    fanOuts: () => new FanOutProgress(redis, prefix).list(Date.now()),
    firstLetters: () => deadLetters.list({ limit: 100 }),
    deadLetters,
    runs: () => Promise.resolve([]),
    sampler: new SamplerReports(redis, prefix),
    kinds: [],
    max: 24,
  };
  const { hasStarted = () => true } = more;
  const api = await startTestApi(stores, {
    hasStarted,
    pages: (readiness) =>
      consoleRoutes(
        { ...sources, checks: () => readiness.check() },
        { sessions: new Sessions({ tokens: [], clock: Date.now }), hasStarted, logger: LOGGER, clock: Date.now },
      ),
  });
  return { api, deadLetters };
}

const LOGGER = { info: () => undefined, error: (facts: object) => expect(facts).toBeUndefined() };

const streams = (): Place => ({ kind: 'streams', url: redisUrl(), stream: `${stores.prefix}:{tasks}:stream` });

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

  it('shows the overview before the start is over, and nothing else', async () => {
    const { api } = await started(streams(), { hasStarted: () => false });
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
