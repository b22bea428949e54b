import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ServerConnections } from '../../src/api/connections.ts';
import type { LentSocket } from '../../src/api/lent-socket.ts';
import { cases } from '../support/cases.ts';
import { until } from '../support/until.ts';

async function serve(app: RequestListener, more: Partial<Server> = {}): Promise<number> {
  const server = Object.assign(createServer(app), more);
  new ServerConnections(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => void open.add(socket));
  onTestFinished(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

interface Client {
  readonly socket: Socket;
  text: string;
  isClosed: boolean;
}

function client(port: number): Client {
  const one: Client = { socket: connect(port, '127.0.0.1'), text: '', isClosed: false };
  one.socket.setEncoding('latin1').on('data', (text: string) => {
    one.text += text;
  });
  one.socket.on('error', () => undefined);
  one.socket.on('close', () => {
    one.isClosed = true;
  });
  onTestFinished(() => void one.socket.destroy());
  return one;
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

describe('a lent connection', () => {
  test.prop([fc.array(fc.nat({ max: 300_000 }), { minLength: 1, maxLength: 6 })], { numRuns: cases(10) })(
    'carries requests and answers of any size, several at once, in their order',
    async (sizes) => {
      const port = await serve((request, response) => {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => response.end(Buffer.concat(chunks)));
      });
      const { socket, ...rest } = client(port);
      const received: Buffer[] = [];
      socket.setEncoding('latin1');
      socket.on('data', (text: string) => received.push(Buffer.from(text, 'latin1')));
      const bodies = sizes.map((size, i) => Buffer.alloc(size, 97 + i));
      for (const body of bodies) {
        socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`);
        socket.write(body);
      }
      const all = () => Buffer.concat(received).toString('latin1');
      const expected = bodies.map(String).join('');
      const letters = () => all().replaceAll(/HTTP\/1\.1 200[\s\S]*?\r\n\r\n/g, '');
      await until(() => letters().length >= expected.length);
      expect(letters()).toBe(expected);
      expect(rest.isClosed).toBe(false);
    },
  );

  it('tells the server when the client has gone, and when it is idle', async () => {
    let come = 0;
    let gone = 0;
    const port = await serve(
      (request, response) => {
        if (request.url === '/answer') return response.end('answer');
        come++;
        response.on('close', () => gone++);
      },
      { keepAliveTimeout: 50 },
    );
    const leaving = client(port);
    leaving.socket.write(get('/'));
    await until(() => come === 1);
    leaving.socket.destroy();
    await until(() => gone === 1);
    const idle = client(port);
    idle.socket.write(get('/answer'));
    await until(() => idle.isClosed);
    expect(idle.text).toContain('answer');
  });

  it('can be taken back: what the server kept for it is freed, and the connection goes on', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const taken: Socket[] = [];
    let kept: WeakRef<object>[] = [];
    const port = await serve((request, response) => {
      response.removeHeader('Transfer-Encoding');
      response.writeHead(200).flushHeaders();
      kept = [new WeakRef(request), new WeakRef(response), new WeakRef(request.socket)];
      taken.push((request.socket as unknown as LentSocket).takeBack() as Socket);
    });
    const one = client(port);
    one.socket.write(get('/'));
    await until(() => taken.length === 1);
    await until(() => {
      collect();
      return kept.every((ref) => ref.deref() === undefined);
    });
    taken[0]?.write('later');
    one.socket.write('whatever');
    await until(() => one.text.endsWith('\r\n\r\nlater'));
    expect(one.text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(one.text).not.toMatch(/chunked/i);
    taken[0]?.end('last');
    await until(() => one.isClosed);
    expect(one.text.endsWith('laterlast')).toBe(true);
    expect(taken[0]?.destroyed).toBe(true);
  });

  it('closes when the client of one that was taken back leaves', async () => {
    const taken: Socket[] = [];
    const port = await serve((request, response) => {
      response.writeHead(200).flushHeaders();
      taken.push((request.socket as unknown as LentSocket).takeBack() as Socket);
    });
    for (const leave of ['end', 'destroy', 'resetAndDestroy'] as const) {
      const one = client(port);
      one.socket.write(get('/'));
      await until(() => one.text !== '');
      one.socket[leave]();
      await until(() => taken.every(({ destroyed }) => destroyed));
    }
    expect(taken.length).toBe(3);
  });

  it('cannot be taken while some of what was written waits', async () => {
    const attempts: (Socket | undefined)[] = [];
    const port = await serve((request, response) => {
      response.writeHead(200).write(Buffer.alloc(20_000_000));
      attempts.push((request.socket as unknown as LentSocket).takeBack());
      response.end('end');
    });
    const one = client(port);
    one.socket.write(get('/'));
    await until(() => one.text.includes('end'));
    expect(attempts).toEqual([undefined]);
    expect(one.text.length).toBeGreaterThan(20_000_000);
  });

  it('is not idle while the operating system has not taken all of an answer that is over for the server', async () => {
    const sockets: Socket[] = [];
    let isOver = false;
    const server = createServer((_request, response) => {
      response.on('close', () => {
        isOver = true;
      });
      const fill = () => {
        if (sockets[0]?.writableLength !== 0) return response.end('end'); // too little waits to ask for a pause
        response.write('x'.repeat(1_000), () => setImmediate(fill));
      };
      fill();
    });
    const connections = new ServerConnections(server);
    server.on('connection', (socket: Socket) => sockets.push(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const one = client((server.address() as AddressInfo).port);
    one.socket.pause();
    one.socket.write(get('/'));
    await until(() => isOver);
    const closed = connections.close(60_000); // looks at once
    expect(sockets[0]?.destroyed).toBe(false);
    one.socket.resume();
    expect(await closed).toBe(0);
    await until(() => one.isClosed);
    expect(one.text).toContain('end');
  });
});
