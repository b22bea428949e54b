import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import express from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ClientLimits, startApi } from '../../src/api/listen.ts';
import { until } from '../support/until.ts';

const NEVER = 3_600_000;

/** An API whose every answer is larger than the buffers of a connection, unless its size is given. @returns its port, and how many requests it was given and let go */
async function start(limits: Partial<ClientLimits>, bytes = 16 * 1024 * 1024) {
  const app = express();
  const large = Buffer.alloc(bytes);
  const given = { requests: 0, ended: 0 };
  app.use((request, response) => {
    given.requests += 1;
    response.once('close', () => {
      given.ended += 1;
    });
    request.on('end', () => response.send(large)).resume();
  });
  const all = { headersMs: NEVER, requestMs: NEVER, stalledMs: NEVER, checkMs: 20, ...limits };
  const api = await startApi({ app, host: '127.0.0.1', port: 0, tokens: [], onError: () => undefined, limits: all });
  onTestFinished(async () => void (await api.close(0)));
  return { port: api.port, given };
}

/** A client that does not read, and keeps its end open whatever comes. */
async function client(port: number, text: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

/** Goes on sending until the connection breaks. */
async function trickle(socket: Socket, text: string): Promise<void> {
  const timer = setInterval(() => socket.write(text), 20);
  socket.once('close', () => clearInterval(timer));
  await until(() => socket.destroyed);
}

describe('a client that takes its time', () => {
  it.each([
    ['over its headers', 'GET / HTTP/1.1\r\nHost: x\r\n', 'A: b\r\n', { headersMs: 100 }],
    [
      'over its body',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n',
      ' ',
      { headersMs: 100, requestMs: 200 },
    ],
  ])('%s is told so and cut off, though it goes on', async (_what, begin, more, limits) => {
    const { port } = await start(limits);
    const socket = await client(port, begin);
    const told = once(socket.setEncoding('latin1'), 'data');
    await trickle(socket, more);
    const [text] = await told;
    expect(text.slice(0, 12)).toBe('HTTP/1.1 408');
    expect(text).toContain('"code":"request_timeout"');
  });

  it('over reading its answer is cut off', async () => {
    const { port, given } = await start({ stalledMs: 2_000 });
    await client(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => given.ended === 1);
  });
});

describe('a client that sends requests without reading answers', () => {
  const requests = (count: number) => 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count);

  it('has few of them answered, and is cut off', async () => {
    const { port, given } = await start({});
    const socket = await client(port, requests(1_000));
    socket.resume();
    await until(() => socket.readableEnded || socket.destroyed);
    expect(given.requests).toBe(9);
  });

  it('may send some', async () => {
    const { port, given } = await start({}, 1_000);
    const socket = await client(port, requests(9));
    await until(() => given.requests === 9);
    let bytes = 0;
    socket.on('data', (part: Buffer) => {
      bytes += part.length;
    });
    await until(() => bytes > 9 * 1_000);
  });
});
