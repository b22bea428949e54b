import { once } from 'node:events';
import { connect } from 'node:net';
import { Registry } from 'prom-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Check, Readiness } from '../../src/api/readiness.ts';
import { startMetricsServer } from '../../src/app/metrics-server.ts';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { until } from '../support/until.ts';

async function started(checks: Readonly<Record<string, Check>> = {}) {
  const errors: Error[] = [];
  const readiness = new Readiness({
    ...{ checks, deadlineMs: 1_000, onFailure: () => undefined },
    now: () => performance.now(),
  });
  const [host, port] = ['127.0.0.1', await freePort()];
  const onError = (error: Error) => void errors.push(error);
  return { ...(await startMetricsServer({ registry: new Registry(), readiness, host, port, onError })), port, errors };
}

describe('the server for metrics', () => {
  it.each(['', 'GET /livez HTTP/1.1\r\n'])(
    'closes although a connection has sent no complete request: "%s"',
    async (sent) => {
      const { port, close } = await started();
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
      if (sent !== '') socket.write(sent);
      await fetch(`http://127.0.0.1:${port}/livez`); // by now it has the other one as well
      const from = performance.now();
      await close();
      expect(performance.now() - from).toBeLessThan(20_000);
    },
  );

  it('checks the servers once for all requests within a second', async () => {
    let asked = 0;
    const { port, close } = await started({ mysql: async () => String(++asked) });
    onTestFinished(close);
    for (let times = 0; times < 5; times++) {
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    }
    expect(asked).toBe(1);
    await until(async () => {
      await fetch(`http://127.0.0.1:${port}/readyz`);
      return asked === 2;
    });
  });

  it('continues if connections cannot be accepted, and reports each failure', async () => {
    const { port, server, close, errors } = await started();
    onTestFinished(close);
    for (let times = 0; times < 2; times++) server.emit('error', new Error('too many open files'));
    expect(errors).toHaveLength(2);
    expect((await fetch(`http://127.0.0.1:${port}/livez`)).status).toBe(200);
  });
});
