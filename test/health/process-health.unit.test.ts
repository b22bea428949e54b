import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Check, NotReady, Readiness } from '../../src/api/readiness.ts';
import { startMetricsServer } from '../../src/app/metrics-server.ts';
import { processHealth } from '../../src/health/process-health.ts';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';

const DEGRADING = ['redis'];

async function consumer(checks: Readonly<Record<string, Check>>): Promise<number> {
  const readiness = new Readiness({
    ...{ checks, degrading: DEGRADING, deadlineMs: 1_000, onFailure: () => undefined },
    now: () => performance.now(),
  });
  const [host, port] = ['127.0.0.1', await freePort()];
  const onError = () => expect.fail('a connection was not accepted');
  const { close } = await startMetricsServer({ registry: new Registry(), readiness, host, port, onError });
  onTestFinished(close);
  return port;
}

async function otherProgram(answer: RequestListener): Promise<number> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const healthAt = (port: number, limitMs = 5_000) =>
  processHealth(limitMs, ['recency', 'consume'], { RECENCY_METRICS_PORT: String(port) });

const fine: Check = async () => undefined;
const failing =
  (error: Error): Check =>
  () =>
    Promise.reject(error);

describe('the health of a process, in one line', () => {
  it.each([
    [{ mysql: fine, redis: fine }, true, 'ready'],
    [{ mysql: fine, redis: failing(new RangeError('10.0.0.7')) }, true, 'degraded: redis'],
    [
      { mysql: failing(new NotReady('it accepts\nno writes')), redis: fine, tasks: failing(new RangeError('')) },
      ...([false, 'unready: mysql (it accepts no writes), tasks (RangeError)'] as const),
    ],
  ])('is what it says about itself: %#', async (checks, isHealthy, text) => {
    expect(await healthAt(await consumer(checks))).toEqual({ isHealthy, text });
  });

  it('is bad when nobody answers, or too late, or another program', async () => {
    const free = await freePort();
    const nobody = `http://127.0.0.1:${free}/readyz does not answer: connect ECONNREFUSED 127.0.0.1:${free}`;
    expect(await healthAt(free)).toEqual({ isHealthy: false, text: nobody });
    expect((await healthAt(6000)).text, 'a port that fetch refuses').not.toContain('bad port');

    const other = await otherProgram((_request, response) => response.writeHead(404).end('not\r\n  here\n'));
    const wrong = `http://127.0.0.1:${other}/readyz answers 404: not here`;
    expect(await healthAt(other)).toEqual({ isHealthy: false, text: wrong });

    for (const begin of ['', '{']) {
      const slow = await otherProgram((_request, response) => void (begin && response.write(begin)));
      const late = `http://127.0.0.1:${slow}/readyz does not answer: not within 200 ms`;
      expect(await healthAt(slow, 200)).toEqual({ isHealthy: false, text: late });
    }
  });

  it('is good where there is nothing to ask, and bad where nobody can know the address', async () => {
    expect(await processHealth(1_000, ['recency', 'migrate'], {})).toMatchObject({ isHealthy: true });
    const anyPort = await processHealth(1_000, ['recency', 'serve'], { RECENCY_PORT: '0' });
    expect(anyPort).toEqual({ isHealthy: false, text: expect.stringMatching(/^RECENCY_PORT is 0.*$/) });
    const noPort = await processHealth(1_000, ['recency', 'serve'], { RECENCY_PORT: '80a' });
    expect(noPort).toEqual({
      isHealthy: false,
      text: expect.stringMatching(/^RECENCY_HOST or the port is wrong: .*:80a .*$/),
    });
  });
});
