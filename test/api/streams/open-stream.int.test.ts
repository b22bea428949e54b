import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OpenStream } from '../../../src/api/streams/open-stream.ts';
import { until } from '../../support/until.ts';

/** A connected client that reads nothing after the headers, and the response to it. */
async function silentClient(): Promise<{ response: ServerResponse; client: Socket }> {
  const asked = Promise.withResolvers<ServerResponse>();
  const server = createServer((_request, response) => asked.resolve(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  onTestFinished(() => {
    client.destroy();
    server.closeAllConnections();
    server.close();
  });
  client.pause();
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const response = await asked.promise;
  response.flushHeaders();
  return { response, client };
}

const BIG = 'x'.repeat(32_768);

/** Tells heads, as long as each is taken off this process's hands, and as often as it takes. */
async function tellUntil(stream: OpenStream, isEnough: () => boolean, response: ServerResponse): Promise<number> {
  let most = 0;
  for (let i = 1; i < 10_000 && !isEnough(); i++) {
    stream.tell(`tag ${i}`, BIG, i);
    most = Math.max(most, response.writableLength);
    await new Promise(setImmediate);
  }
  return most;
}

describe('a client that does not read', () => {
  it('is disconnected when too much waits for it, which is bounded', async () => {
    const { response } = await silentClient();
    let slow = 0;
    const stream = new OpenStream(response, undefined, () => {
      slow += 1;
    });
    const most = await tellUntil(stream, () => slow > 0, response);
    expect(slow).toBe(1);
    expect(response.destroyed).toBe(true);
    expect(most).toBeLessThan(65_536 + 2 * BIG.length);
    expect(stream.tell('another', BIG, 10_001)).toBe(false);
  });

  it('is disconnected when it has not taken the last heartbeat', async () => {
    const { response } = await silentClient();
    let slow = 0;
    const stream = new OpenStream(response, undefined, () => {
      slow += 1;
    });
    await tellUntil(stream, () => response.writableLength > 0 && response.writableLength < 65_536, response);
    stream.beat();
    expect(slow).toBe(0);
    stream.beat();
    expect(slow).toBe(1);
    expect(response.destroyed).toBe(true);
  });
});

describe('a client that reads', () => {
  it('gets every heartbeat, and stays connected', async () => {
    const { response, client } = await silentClient();
    let text = '';
    client.setEncoding('utf8').on('data', (some: string) => {
      text += some;
    });
    client.resume();
    const stream = new OpenStream(response, 'has', () => undefined);
    for (let beats = 1; beats <= 3; beats++) {
      stream.beat();
      await until(() => text.split(':\n\n').length === beats + 1);
    }
    expect(stream.tell('has', BIG, 1)).toBe(false);
    expect(stream.tell('next', BIG, 2)).toBe(true);
    expect(stream.tell('earlier', BIG, 1)).toBe(false);
    expect(response.destroyed).toBe(false);
  });
});
