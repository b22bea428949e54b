import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Notification } from '../../src/push/channel.ts';
import { publicLookup } from '../../src/push/public-address.ts';
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

/** Takes requests and never answers. */
const silent = () => endpoint(() => undefined);

function channel(options: Partial<WebhookChannelOptions> = {}): WebhookChannel {
  const opened = new WebhookChannel({ allowPrivate: true, version: '1', clock: () => NOW, ...options });
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

  it('that does not end its reply in time has failed', async () => {
    const { url } = await endpoint((_, response) => response.writeHead(200).flushHeaders());
    expect(await deliver(channel({ timeoutMs: 50 }), url)).toMatchObject({ is: 'failed' });
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
});

describe('an address that is not public', () => {
  const refused = {
    is: 'failed',
    why: expect.stringMatching(/is not a public address; RECENCY_WEBHOOK_ALLOW_PRIVATE allows it/),
  };

  it.each([
    ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '224.0.0.1'],
    ...['2130706433', '0x7f.1', '[::1]', '[::]', '[fd00::1]', '[fe80::1]', '[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]'],
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
    const resolve = ((_host: string, _options: object, callback: (error: null, found: object[]) => void) => {
      lookups++;
      callback(null, addresses);
    }) as unknown as Parameters<typeof publicLookup>[0];
    const to = channel({ allowPrivate: false, lookup: publicLookup(resolve) });
    expect(await deliver(to, `http://rebound.example:${port}/`)).toMatchObject(refused);
    expect([lookups, asked]).toEqual([1, []]); // the address that was checked is the one that would be connected to
  });
});
