import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { loadTracing } from '../../src/config/tracing.ts';
import { openTracing } from '../../src/tracing/open-telemetry.ts';
import { activeParent, beginSpan, inSpan, isTracing, traceLogFields } from '../../src/tracing/tracing.ts';
import { Collector } from '../support/collector.ts';

const IDENTITY = { service: 'recency-test', version: '0' };

async function open(environment: Readonly<Record<string, string>>) {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const config = loadTracing();
  if (config === undefined) throw new Error('tracing is off');
  const problems: string[] = [];
  return { problems, tracing: await openTracing(config, IDENTITY, (problem) => problems.push(problem)) };
}

it('sends what was recorded when it closes, names failures without their messages, and is off then', async () => {
  await using collector = await Collector.open();
  const { tracing, problems } = await open({ ...collector.environment, OTEL_BSP_SCHEDULE_DELAY: '100000' });
  const failing = inSpan(
    'outer',
    () =>
      inSpan('inner', async () => {
        expect(traceLogFields()).toMatchObject({ requestId: '5', trace_flags: '01' });
        throw new TypeError('hunter2');
      }),
    { logFields: { requestId: '5' } },
  );
  await expect(failing).rejects.toThrow('hunter2');
  expect(traceLogFields()).toEqual({});
  await tracing.close(10_000);
  expect(problems).toEqual([]);
  const [inner, outer] = collector.spans;
  expect(outer).toMatchObject({ name: 'outer', parentSpanId: '', service: 'recency-test', isFailed: true });
  expect(inner).toMatchObject({
    name: 'inner',
    parentSpanId: outer?.spanId,
    attributes: { 'error.type': 'TypeError' },
  });
  expect(JSON.stringify(collector.spans)).not.toContain('hunter2');
  expect(isTracing()).toBe(false);
  expect(beginSpan('none')).toBeUndefined();
  expect(activeParent()).toBeUndefined();
});

it.each(['http/json', 'http/protobuf'])(
  'drops spans while the collector does not answer, and closes all the same (%s)',
  async (protocol) => {
    const silent = createServer(() => undefined); // takes requests and never answers
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const { port } = silent.address() as AddressInfo;
    const { tracing, problems } = await open({
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_BSP_MAX_QUEUE_SIZE: '50',
      OTEL_BSP_SCHEDULE_DELAY: '1',
    });
    for (let i = 0; i < 10_000; i++) await inSpan('work', async () => undefined);
    await tracing.close(1);
    expect(problems).toContain('not everything was sent within 1 ms');
  },
);
