import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Notification } from '../../src/push/channel.ts';
import type { ResolveAll } from '../../src/push/public-address.ts';
import { WebhookChannel, type WebhookChannelOptions } from '../../src/push/webhook-channel.ts';
import { until } from '../support/until.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');

interface Endpoint {
  readonly port: number;
  readonly url: string;
  /** Requests so far. */
  readonly asked: IncomingMessage[];
}

async function endpoint(answer: RequestListener): Promise<Endpoint> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    request.resume().once('end', () => answer(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}/hook`, asked };
}

const answering = (status: number, headers: Record<string, string> = {}) =>
  endpoint((_, response) => response.writeHead(status, headers).end());

/** Does something to each connection once its request has begun. */
async function rawEndpoint(does: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined).once('data', () => does(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, sockets };
}

/** Takes requests and never answers. */
const silent = () => endpoint(() => undefined);

function channel(options: Partial<WebhookChannelOptions> = {}): WebhookChannel {
  const opened = new WebhookChannel({
    allowPrivate: true,
    version: '1',
    inFlight: 1_000,
    clock: () => NOW,
    ...options,
  });
  onTestFinished(() => opened.close());
  return opened;
}

function notification(url: string, id = 'n1'): Notification {
  const target = { channel: 'webhook', url, secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] } as const;
  return { id, watch: '1', user: '1', timestamp: NOW, sources: [], more: false, isTest: false, target };
}

const deliver = async (to: WebhookChannel, url: string) => await to.deliver([notification(url)])[0];

describe('a reply', () => {
  it.each([200, 204])('of %i is a delivery', async (status) => {
    expect(await deliver(channel(), (await answering(status)).url)).toEqual({ is: 'delivered' });
  });

  it('of 410 ends the watch', async () => {
    expect(await deliver(channel(), (await answering(410)).url)).toMatchObject({
      is: 'gone',
      why: expect.stringMatching(/410/),
    });
  });

  it.each([301, 302, 307, 308])('of %i is a failure, and is not followed', async (status) => {
    const other = await answering(204);
    const outcome = await deliver(channel(), (await answering(status, { location: other.url })).url);
    expect(outcome).toEqual({ is: 'failed', why: `the endpoint answered ${status}` });
    expect(other.asked).toEqual([]);
  });

  it.each([
    { status: 429, after: '7', afterMs: 7_000 },
    { status: 503, after: '120', afterMs: 120_000 },
    { status: 503, after: 'Fri, 02 Jan 2026 03:05:05 GMT', afterMs: 60_000 },
    { status: 503, after: 'Fri, 02 Jan 2026 03:00:00 GMT', afterMs: 0 },
    { status: 429, after: '999999999', afterMs: 86_400_000 },
    { status: 429, after: 'soon', afterMs: undefined },
    { status: 500, after: '7', afterMs: undefined },
  ])('of $status with Retry-After: $after is tried again no sooner than that', async ({ status, after, afterMs }) => {
    const outcome = await deliver(channel(), (await answering(status, { 'retry-after': after })).url);
    expect(outcome).toEqual({
      is: 'failed',
      why: `the endpoint answered ${status}`,
      ...(afterMs === undefined ? {} : { afterMs }),
    });
  });

  it('that is long is cut off, and its status counts', async () => {
    const { url } = await endpoint((_, response) => void response.writeHead(200).end('x'.repeat(1_000_000)));
    expect(await deliver(channel(), url)).toEqual({ is: 'delivered' });
  });
});

describe('an endpoint', () => {
  it('that does not answer in time has failed', async () => {
    const outcome = await deliver(channel({ timeoutMs: 50 }), (await silent()).url);
    expect(outcome).toEqual({ is: 'failed', why: 'the endpoint did not answer in time' });
  });

  it('that nobody listens at has failed', async () => {
    const { url, port } = await answering(204);
    const free = url.replace(String(port), '1');
    expect(await deliver(channel(), free)).toMatchObject({ is: 'failed', why: expect.stringMatching(/ECONNREFUSED/) });
  });

  it('that is dead delays no other, and is not flooded', async () => {
    const [dead, other] = [await silent(), await answering(204)];
    const both = channel({ atOnce: 4 });
    const waiting = both.deliver(Array.from({ length: 100 }, (_, i) => notification(dead.url, `n${i}`)));
    await until(() => dead.asked.length === 4);
    const outcomes = both.deliver(Array.from({ length: 50 }, (_, i) => notification(other.url, `n${i}`)));
    expect(new Set((await Promise.all(outcomes)).map(({ is }) => is))).toEqual(new Set(['delivered']));
    expect(dead.asked).toHaveLength(4);
    await both.close();
    expect(new Set((await Promise.all(waiting)).map(({ is }) => is))).toEqual(new Set(['failed']));
  });

  it('that is silent is given up sooner while too many deliveries are on their way, and one that answers is not', async () => {
    const to = channel({ inFlight: 10, timeoutMs: 120_000 });
    const endpoints = await Promise.all(Array.from({ length: 6 }, silent));
    const outcomes = endpoints.map(({ url }) => deliver(to, url));
    const slow = Promise.withResolvers<void>();
    const answers = await endpoint((_, response) => void slow.promise.then(() => response.writeHead(204).end()));
    const answered = deliver(to, answers.url);
    const first = await Promise.all(outcomes.slice(0, 2));
    expect(first.map((outcome) => outcome?.is)).toEqual(['failed', 'failed']);
    slow.resolve();
    expect(await answered).toEqual({ is: 'delivered' });
    await to.close();
    await Promise.all(outcomes);
  });

  it('that is known to be slow is left alone while it has enough to do', async () => {
    const slow = await silent();
    const to = channel({ atOnce: 2, timeoutMs: 300, waitMs: 200 });
    const why = /the endpoint is slow/;
    // Its speed is learned from what it does: from some time on a delivery without a turn has failed at once.
    await until(async () => {
      const some = to.deliver([1, 2, 3].map((i) => notification(slow.url, `n${i}`)));
      const third = await Promise.race([some[2], Promise.any(some.slice(0, 2))]);
      await Promise.all(some);
      return third?.is === 'failed' && why.test(third.why);
    });
  });

  it('has the deliveries of its connections one after the other on few connections', async () => {
    const { url, asked } = await answering(204);
    await Promise.all(channel({ atOnce: 3 }).deliver(Array.from({ length: 30 }, (_, i) => notification(url, `n${i}`))));
    expect(asked).toHaveLength(30);
    expect(new Set(asked.map(({ socket }) => socket)).size).toBeLessThanOrEqual(3);
  });

  it('is disconnected when there is nothing to deliver', async () => {
    const { url, asked } = await answering(204);
    await deliver(channel({ idleMs: 50 }), url);
    await until(() => asked[0]?.socket.destroyed);
  });
});

describe('whatever an endpoint does, a delivery settles within its limit', () => {
  const FAILED = { is: 'failed', why: expect.any(String) };

  const head = (status: string, ...fields: string[]) => [`HTTP/1.1 ${status}`, ...fields, '', ''].join('\r\n');

  const forEver = (socket: Socket, text: string) => {
    const timer = setInterval(() => socket.write(text), 5);
    socket.once('close', () => clearInterval(timer));
  };

  const BODY = 'content-length: 1000000';

  it.each<{ it: string; does: (socket: Socket) => void; outcome: object }>([
    { it: 'says nothing', does: () => undefined, outcome: FAILED },
    { it: 'closes', does: (socket) => socket.end(), outcome: FAILED },
    { it: 'resets', does: (socket) => socket.resetAndDestroy(), outcome: FAILED },
    { it: 'talks nonsense', does: (socket) => socket.write('220 mail.example ESMTP\r\n'), outcome: FAILED },
    { it: 'answers 101', does: (socket) => socket.write(head('101 Switching Protocols')), outcome: FAILED },
    {
      it: 'answers 101 as for a WebSocket',
      does: (socket) => socket.write(head('101 Switching Protocols', 'upgrade: websocket', 'connection: upgrade')),
      outcome: FAILED,
    },
    { it: 'answers 100 again and again', does: (socket) => forEver(socket, head('100 Continue')), outcome: FAILED },
    { it: 'answers 103 once', does: (socket) => socket.write(head('103 Early Hints')), outcome: FAILED },
    { it: 'never ends its status line', does: (socket) => forEver(socket, 'HTTP/1.1 2'), outcome: FAILED },
    {
      it: 'never ends its headers',
      does: (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        forEver(socket, 'a: b\r\n');
      },
      outcome: FAILED,
    },
    {
      it: 'never begins the body of its 200',
      does: (socket) => socket.write(head('200 OK', BODY)),
      outcome: { is: 'delivered' },
    },
    {
      it: 'never ends the body of its 200',
      does: (socket) => {
        socket.write(head('200 OK'));
        forEver(socket, 'x');
      },
      outcome: { is: 'delivered' },
    },
    {
      it: 'resets in the body of its 200',
      does: (socket) => socket.write(head('200 OK', BODY), () => setImmediate(() => socket.resetAndDestroy())),
      outcome: { is: 'delivered' },
    },
    {
      it: 'breaks the chunks of its 200',
      does: (socket) => socket.write(`${head('200 OK', 'transfer-encoding: chunked')}no chunk\r\n`),
      outcome: { is: 'delivered' },
    },
    {
      it: 'never ends the body of its 410',
      does: (socket) => socket.write(head('410 Gone', BODY)),
      outcome: { is: 'gone' },
    },
    {
      it: 'never ends the body of its 503',
      does: (socket) => socket.write(head('503 Busy', BODY, 'retry-after: 7')),
      outcome: { is: 'failed', afterMs: 7_000 },
    },
  ])('$it', async ({ does, outcome }) => {
    const { url, sockets } = await rawEndpoint(does);
    const to = channel({ timeoutMs: 1_000, atOnce: 1 });
    expect(await deliver(to, url)).toMatchObject(outcome);
    // Its turn is over: the next one has its own, on another connection.
    await deliver(to, url);
    expect(sockets.length).toBeGreaterThanOrEqual(2);
    await until(() => sockets.every(({ destroyed }) => destroyed));
  });
});

describe('an address that is not public', () => {
  const refused = {
    is: 'failed',
    why: expect.stringMatching(/is not a public address; RECENCY_WEBHOOK_ALLOW_PRIVATE allows it/),
  };

  it.each([
    ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '224.0.0.1'],
    ...['2130706433', '0x7f.1', '[::1]', '[::]', '[fd00::1]', '[fe80::1]', '[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]'],
    ...['[::127.0.0.1]', '[2002:7f00:1::]', '[2001:db8::1]', '[3fff::1]', '[4000::1]', '[2001::1]'],
  ])('is refused: %s', async (host) => {
    const { port, asked } = await answering(204);
    expect(await deliver(channel({ allowPrivate: false }), `http://${host}:${port}/`)).toMatchObject(refused);
    expect(asked).toEqual([]);
  });

  it('is refused when a name resolves to it: localhost', async () => {
    const { port, asked } = await answering(204);
    expect(await deliver(channel({ allowPrivate: false }), `http://localhost:${port}/`)).toMatchObject(refused);
    expect(asked).toEqual([]);
  });

  it.each([
    { what: 'alone', addresses: [{ address: '127.0.0.1', family: 4 }] },
    {
      what: 'beside a public one',
      addresses: [
        { address: '93.184.215.14', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ],
    },
  ])('is refused when a name resolves to it only now, $what (DNS rebinding)', async ({ addresses }) => {
    const { port, asked } = await answering(204);
    let lookups = 0;
    const resolve: ResolveAll = (_host, _options, callback) => {
      lookups++;
      callback(null, addresses);
    };
    const to = channel({ allowPrivate: false, resolve });
    expect(await deliver(to, `http://rebound.example:${port}/`)).toMatchObject(refused);
    expect([lookups, asked]).toEqual([1, []]); // the address that was checked is the one that would be connected to
  });
});
