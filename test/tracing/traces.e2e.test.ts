import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadGraph } from '../../src/tools/reference-site/load-graph.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { type CliProcess, type Settings, startProcess } from '../support/cli.ts';
import { Collector, foreignParent, type ReceivedSpan } from '../support/collector.ts';
import { hasKafka, redisUrl, sql } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { until } from '../support/until.ts';

/** No others: an attribute may hold no SQL, no values of rows, no addresses with passwords. */
const ATTRIBUTES = new Set([
  ...['http.request.method', 'http.route', 'http.response.status_code', 'url.scheme', 'error.type'],
  ...['messaging.system', 'messaging.destination.name', 'messaging.operation.name', 'messaging.operation.type'],
  ...['messaging.batch.message_count', 'messaging.message.id', 'messaging.destination.partition.id'],
  ...['messaging.kafka.offset', 'cloudevents.event_type'],
  ...['db.system.name', 'db.namespace', 'db.operation.name', 'db.query.summary', 'db.stored_procedure.name'],
  ...['server.address', 'server.port', 'recency.request_id'],
  ...['recency.answer.source', 'recency.answer.reason', 'recency.answer.exact', 'recency.answer.replica'],
]);

/** Users 2 and 3 are contacts of each other; 3 has a photo. */
async function openSite(transport: 'kafka' | 'streams') {
  const collector = await Collector.open();
  onTestFinished(() => collector[Symbol.asyncDispose]());
  for (const [name, value] of Object.entries(collector.environment)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const settings = await serviceSettings(transport);
  const pool = openSitePool(settings.MYSQL_URL, 1);
  await loadGraph(pool, {
    users: ['2', '3'].map((id) => ({ id })),
    contacts: [
      { user: '2', contact: '3' },
      { user: '3', contact: '2' },
    ],
    photos: [{ owner: '3', audience: 0, uploadedAt: 1_000 }],
  });
  await pool.end();
  return { collector, settings };
}

async function ask(serve: CliProcess, path: string, init: RequestInit = {}): Promise<{ status: number; text: string }> {
  const url = String(/"address":"(http:[^"]+)"/.exec(serve.stdout)?.[1]);
  const response = await fetch(new URL(path, url), init);
  return { status: response.status, text: await response.text() };
}

async function api(serve: CliProcess, path: string, init: RequestInit = {}): Promise<number> {
  return (await ask(serve, path, init)).status;
}

/** Sent whole once on every connection, and then by its digest. */
const APPLY = /^EVAL(SHA)? recency_apply$/;

const RECENT = '/v1/users/2/contacts/recent';

const named = (name: string) => (span: ReceivedSpan) => span.name === name;

async function writeRows(settings: Settings, traceparents: readonly string[]): Promise<void> {
  const rows = traceparents.map((traceparent) => `('recency.contact.changed', 2, 3, '${traceparent}')`);
  const columns = 'type, user_id, other_id, traceparent';
  await sql(String(settings.MYSQL_URL), `INSERT INTO recency_outbox (${columns}) VALUES ${rows.join(',')}`);
}

async function published(settings: Settings): Promise<void> {
  const unpublished = 'SELECT COUNT(*) AS n FROM recency_outbox WHERE published_at IS NULL';
  await until(async () => (await sql(String(settings.MYSQL_URL), unpublished))[0]?.n === 0);
}

describe.each([
  { transport: 'streams', isHere: true },
  { transport: 'kafka', isHere: hasKafka() },
] as const)('a trace over $transport', ({ transport, isHere }) => {
  it.runIf(isHere)('goes from the outbox through the relay and the consumer to the stores', async () => {
    const { collector, settings } = await openSite(transport);
    const [relay, serve] = await Promise.all([startProcess('relay', settings), startProcess('serve', settings)]);
    await until(async () => (await ask(serve, RECENT)).text.includes('"source":"index"')); // the first one builds it
    const [first, second, unsampled] = [foreignParent(1), foreignParent(2), foreignParent(3)];
    const notRecorded = unsampled.traceparent.replace(/01$/, '00');
    await writeRows(settings, [first.traceparent, second.traceparent, notRecorded, 'what is this?']);
    await published(settings);
    const consume = await startProcess('consume', settings);

    const sends = await Promise.all(
      [first, second].map((parent) =>
        collector.has('of the relay', (span) => span.service === 'recency-relay' && span.traceId === parent.traceId),
      ),
    );
    for (const [i, send] of sends.entries()) {
      expect(send).toMatchObject({ name: expect.stringMatching(/^send /), kind: 4 });
      expect(send.parentSpanId).toBe([first, second][i]?.spanId);
    }
    const batch = await collector.has('of the batch', (span) => span.attributes['messaging.batch.message_count'] === 4);
    expect(batch).toMatchObject({ service: 'recency-consume', kind: 5, parentSpanId: sends[0]?.spanId });
    // The second row's trace, the one that is not recorded, and the one that the relay began for the row without any.
    expect(batch.links).toHaveLength(3);
    expect(batch.links.map(({ spanId }) => spanId)).toContain(sends[1]?.spanId);
    const own = await collector.has('of the second task', (span) => span.parentSpanId === sends[1]?.spanId);
    expect(own).toMatchObject({ name: batch.name, traceId: second.traceId });
    expect(own.links.map(({ spanId }) => spanId)).toEqual([batch.spanId]);

    const apply = await collector.hasUnder(batch, APPLY);
    expect(apply).toMatchObject({ kind: 3, attributes: { 'db.system.name': 'redis' } });
    const rows = await collector.has('of the rows', (span) => {
      return span.parentSpanId === batch.spanId && span.attributes['db.system.name'] === 'mysql';
    });
    expect(rows.attributes).toMatchObject({ 'db.operation.name': 'SELECT' });

    const headers = {
      'content-type': 'application/json',
      traceparent: foreignParent(4).traceparent,
      tracestate: 'a=b',
    };
    const body = JSON.stringify({ type: 'recency.contact.changed', user: '2', contact: '3' });
    const unrecorded = { ...headers, traceparent: foreignParent(6).traceparent.replace(/01$/, '00') };
    expect(await api(serve, '/v1/tasks', { method: 'POST', headers: unrecorded, body })).toBe(202);
    expect(await api(serve, '/v1/tasks', { method: 'POST', headers, body })).toBe(202);
    const posted = await collector.has('of the request', named('POST /v1/tasks'));
    expect(posted).toMatchObject({ traceId: foreignParent(4).traceId, parentSpanId: foreignParent(4).spanId });
    const sent = await collector.has('of its tasks', (span) => span.parentSpanId === posted.spanId && span.kind === 4);
    const done = await collector.has('of its batch', (span) => span.parentSpanId === sent.spanId && span.kind === 5);
    expect(done.traceState).toBe('a=b');

    for (const one of [unsampled, foreignParent(6)]) {
      expect(collector.spans.filter(({ traceId }) => traceId === one.traceId)).toEqual([]);
    }
    // Nor has the caller's decision led to a trace that nobody asked for.
    const ofServe = collector.spans.filter(({ service, kind }) => service === 'recency-serve' && kind === 4);
    expect(ofServe.map(({ traceId }) => traceId)).toEqual([foreignParent(4).traceId]);
    if (transport === 'streams') await saysTraceOfDeadLetter(consume, settings);
    for (const one of [relay, serve, consume]) one.signal('SIGTERM');
    for (const one of [relay, serve, consume]) expect(await one.ended).toEqual({ code: 0, signal: null });
    for (const { attributes } of collector.spans) {
      expect(Object.keys(attributes).filter((name) => !ATTRIBUTES.has(name))).toEqual([]);
    }
  });
});

/** Logs carry the ids of the trace. */
async function saysTraceOfDeadLetter(consume: CliProcess, { KEY_PREFIX, TOPIC }: Settings): Promise<void> {
  const { traceparent, traceId } = foreignParent(5);
  const redis = new Redis(redisUrl());
  await redis.xadd(`${KEY_PREFIX}:${TOPIC}`, '*', 'traceparent', traceparent, 'body', 'no task');
  redis.disconnect();
  await consume.says('a task went to the dead letters');
  const line = consume.stdout.split('\n').find((text) => text.includes('went to the dead letters')) ?? '';
  expect(JSON.parse(line)).toMatchObject({
    trace_id: traceId,
    span_id: expect.stringMatching(/^\w{16}$/),
    traceparent,
  });
}

describe('the trace of a read', () => {
  it('has its parts: the index, the narrowed query, the plain query, the refresh', async () => {
    const { collector, settings } = await openSite('streams');
    const serve = await startProcess('serve', settings);
    const read = async (digit: number, path = RECENT, more: Record<string, string> = {}) => {
      const { traceparent, traceId, spanId } = foreignParent(digit);
      expect(await api(serve, path, { headers: { ...more, traceparent } })).toBe(200);
      const span = await collector.has(`of the read ${digit}`, (one) => one.kind === 2 && one.traceId === traceId);
      expect(span).toMatchObject({ parentSpanId: spanId, name: `GET /v1/users/{user}/contacts/recent` });
      return span;
    };
    const cold = await read(1, RECENT, { 'x-request-id': 'of-a-proxy' });
    expect(cold.attributes).toMatchObject({
      'http.response.status_code': 200,
      'recency.request_id': 'of-a-proxy',
      'recency.answer.source': 'database',
      'recency.answer.reason': 'cold',
    });
    await collector.hasUnder(cold, 'recency.index.build');
    const warm = await read(2);
    expect(warm.attributes).toMatchObject({ 'recency.answer.source': 'index' });
    const index = await collector.hasUnder(warm, 'recency.index.read');
    expect(await collector.hasUnder(index, /^EVAL(SHA)? recency_read$/)).toMatchObject({ kind: 3 });
    const narrowed = await collector.hasUnder(warm, 'recency.query.narrowed');
    await collector.has('of its statement', ({ parentSpanId, name }) => {
      return parentSpanId === narrowed.spanId && name.startsWith('SELECT ');
    });
    const plain = await collector.hasUnder(await read(3, `${RECENT}?consistency=strong`), 'recency.query.plain');
    await collector.has('of its statement', ({ parentSpanId, name }) => {
      return parentSpanId === plain.spanId && name.startsWith('SELECT ');
    });
    const refresh = await collector.hasUnder(
      await read(4, RECENT, { 'Recency-Fresh': 'contact=3' }),
      'recency.refresh',
    );
    const parts = ['nonces', 'rows', 'apply'].map((part) => collector.hasUnder(refresh, `recency.refresh.${part}`));
    const [nonces, rows, apply] = await Promise.all(parts);
    await collector.hasUnder(nonces as ReceivedSpan, 'MGET');
    await collector.has('of its rows', ({ parentSpanId }) => parentSpanId === rows?.spanId);
    await collector.hasUnder(apply as ReceivedSpan, APPLY);
    // What a process does for itself begins no trace.
    expect(await api(serve, '/readyz')).toBe(200);
    serve.signal('SIGTERM');
    await serve.ended;
    expect(collector.spans.filter(({ parentSpanId }) => parentSpanId === '')).toEqual([]);
  });
});
