import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { ListenError, type RunningApi, startApi } from '../../src/api/listen.ts';
import { until } from '../support/until.ts';

const TOKENS = [{ token: 'a-token-0123', scopes: ['read'] }] as const;

function start(app = express(), host = '127.0.0.1', port = 0, tokens: Parameters<typeof startApi>[0]['tokens'] = []) {
  return startApi({ app, host, port, tokens, onError: () => undefined });
}

async function failure(...args: Parameters<typeof start>): Promise<ListenError> {
  const error = await start(...args).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(error instanceof ListenError)) throw new Error('it listens', { cause: error });
  return error;
}

describe('listening', () => {
  it('says where', async () => {
    const running = await start();
    expect(running.url).toBe(`http://127.0.0.1:${running.port}`);
    expect((await fetch(running.url)).status).toBe(404);
    await running.close(0);
  });

  it('says how to fix a port in use', async () => {
    const running = await start();
    const { message } = await failure(express(), '127.0.0.1', running.port);
    expect(message).toBe(
      `port ${running.port} on 127.0.0.1 is in use. Stop the program that uses it, or choose another port with RECENCY_PORT.`,
    );
    await running.close(0);
  });

  it('says how to fix an address of another machine, or an unknown host name', async () => {
    expect((await failure(express(), '192.0.2.1', 0, TOKENS)).message).toContain('RECENCY_HOST');
    expect((await failure(express(), 'nowhere.invalid', 0, TOKENS)).message).toContain('nowhere.invalid');
  });

  it('without tokens is limited to loopback', async () => {
    expect((await failure(express(), '0.0.0.0')).message).toMatch(/^Without tokens, .* RECENCY_TOKENS/);
    expect((await failure(express(), '::')).message).toContain('RECENCY_TOKENS');
    const localhost = await start(express(), 'localhost');
    expect(['127.0.0.1', '::1']).toContain(localhost.host);
    await localhost.close(0);
  });

  it('with tokens is allowed on any address', async () => {
    const running = await start(express(), '0.0.0.0', 0, TOKENS);
    expect(running.host).toBe('0.0.0.0');
    await running.close(0);
  });
});

/** What a request gets that is sent once the server closes, on a connection that was opened before; '' if it was closed as idle. */
async function answerOnNewConnection(): Promise<string> {
  const running = await start(waitingApp().app);
  const socket = connect(running.port, running.host).on('error', () => undefined);
  await once(socket, 'connect');
  await fetch(`${running.url}/now`); // the connection has been accepted by now
  const closed = running.close(10_000);
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  socket.write('GET /now HTTP/1.1\r\nHost: localhost\r\n\r\n');
  expect(await closed).toBe(0);
  if (!socket.closed) await once(socket, 'close');
  return text;
}

/** An app whose requests wait until they are told to go on. */
function waitingApp() {
  const waiting: (() => void)[] = [];
  const app = express();
  app.get('/now', (_request, response) => void response.send('now'));
  app.get('/later', (_request, response) => void waiting.push(() => response.send('later')));
  return { app, waiting };
}

function request(running: RunningApi, path: string, agent: Agent): Promise<IncomingMessage & { text: string }> {
  return new Promise((resolve, reject) => {
    get({ host: running.host, port: running.port, path, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve(Object.assign(response, { text }))).on('error', reject);
    }).on('error', reject);
  });
}

describe('closing', () => {
  it('stops accepting, finishes running requests, and closes idle connections', async () => {
    const { app, waiting } = waitingApp();
    const running = await start(app);
    const agent = new Agent({ keepAlive: true });
    expect((await request(running, '/now', agent)).text).toBe('now');
    const inWork = request(running, '/later', new Agent({ keepAlive: true }));
    await until(() => waiting.length === 1);
    const closed = running.close(10_000);
    await expect(fetch(`${running.url}/now`)).rejects.toThrow();
    for (const goOn of waiting) goOn();
    const answer = await inWork;
    expect(answer.text).toBe('later');
    expect(await closed).toBe(0);
    agent.destroy();
  });

  it('closes no connection whose answer has been ended and is still being sent', async () => {
    const body = Buffer.alloc(30_000_000, 'x'); // more than the operating system takes
    const app = express();
    app.get('/large', (_request, response) => void response.end(body));
    const running = await start(app);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      get({ host: running.host, port: running.port, path: '/large' }, resolve).on('error', reject);
    });
    const closed = running.close(60_000);
    await expect(fetch(running.url)).rejects.toThrow();
    let received = 0;
    for await (const chunk of answer) received += (chunk as Buffer).length;
    expect(received).toBe(body.length);
    expect(await closed).toBe(0);
  });

  it('answers the second one of two requests that a client has sent together', async () => {
    const { app, waiting } = waitingApp();
    const running = await start(app);
    const socket = connect(running.port, running.host);
    let text = '';
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    socket.write('GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(2));
    await until(() => waiting.length === 2);
    waiting[0]?.();
    await until(() => text.endsWith('later'));
    const closed = running.close(10_000);
    waiting[1]?.();
    expect(await closed).toBe(0);
    await until(() => text.split('\r\n\r\nlater').length === 3);
    socket.destroy();
  });

  it('before it, each answer is the last of its connection, also of one that was open', async () => {
    const { app } = waitingApp();
    const running = await start(app);
    const agent = new Agent({ keepAlive: true });
    expect((await request(running, '/now', agent)).headers.connection).toBe('keep-alive');
    running.drain();
    for (const each of [agent, new Agent({ keepAlive: true })]) {
      const { headers, text } = await request(running, '/now', each);
      expect({ connection: headers.connection, text }).toEqual({ connection: 'close', text: 'now' });
      await until(() => Object.keys(each.freeSockets).length + Object.keys(each.sockets).length === 0);
    }
    expect(await running.close(10_000)).toBe(0);
  });

  it('answers a request that comes just after, on a connection that had just been opened', async () => {
    // Such a connection is new for 250 ms: where this machine has stood still for longer, once more.
    const text = await until(async () => {
      const found = await answerOnNewConnection();
      return found !== '' && found;
    });
    expect(text).toContain('Connection: close');
    expect(text.endsWith('now')).toBe(true);
  });

  it('cuts off what does not finish in time, and returns how many', async () => {
    const { app, waiting } = waitingApp();
    const running = await start(app);
    const cut = ['a', 'b'].map(() => request(running, '/later', new Agent()).catch((error: Error) => error.message));
    await until(() => waiting.length === 2);
    expect(await running.close(20)).toBe(2);
    expect(await Promise.all(cut)).toEqual(['socket hang up', 'socket hang up']);
  });

  it('does not wait for a client that never sends its request', async () => {
    const running = await start();
    const socket = connect(running.port, running.host);
    await new Promise((resolve) => socket.once('connect', resolve));
    const from = performance.now();
    await running.close(60_000);
    expect(performance.now() - from).toBeLessThan(50_000);
    socket.destroy();
  });
});
