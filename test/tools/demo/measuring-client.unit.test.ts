import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { MeasuringClient } from '../../../src/tools/harness/measuring-client.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function clientOf(listener: RequestListener): Promise<MeasuringClient> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = new MeasuringClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  ends.push(() => {
    client.close();
    server.closeAllConnections();
    server.close();
  });
  return client;
}

const answerWith =
  (status: number, body: string): RequestListener =>
  (request, response) => {
    const content = `${request.method} ${request.url} ${request.headers.host?.split(':')[0]} ${body}`;
    response.writeHead(status, { 'Content-Length': Buffer.byteLength(content) }).end(content);
  };

describe('the measuring client', () => {
  test('reads one answer after the other over one connection', async () => {
    let connections = 0;
    const client = await clientOf((request, response) => {
      if (!('counted' in request.socket)) connections++;
      Object.assign(request.socket, { counted: true });
      answerWith(200, 'ä'.repeat(200_000))(request, response);
    });
    for (const path of ['/a?b=1', '/c']) {
      expect(await client.get(path)).toMatchObject({
        status: 200,
        body: `GET ${path} 127.0.0.1 ${'ä'.repeat(200_000)}`,
      });
    }
    expect(connections).toBe(1);
  });

  test('tells the status', async () => {
    const client = await clientOf(answerWith(503, 'busy'));
    expect(await client.get('/')).toMatchObject({ status: 503 });
  });

  test('refuses a second question before the first is answered', async () => {
    const client = await clientOf(answerWith(200, ''));
    const first = client.get('/');
    await expect(client.get('/')).rejects.toThrow('one question at a time');
    expect((await first).status).toBe(200);
  });

  test.each<[string, RequestListener]>([
    ['the connection is cut', (request) => request.socket.destroy()],
    ['an answer does not tell its length', (_request, response) => response.write('part')],
  ])('fails when %s, and at every question after', async (_what, listener) => {
    const client = await clientOf(listener);
    await expect(client.get('/')).rejects.toThrow();
    await expect(client.get('/')).rejects.toThrow('closed');
  });
});
