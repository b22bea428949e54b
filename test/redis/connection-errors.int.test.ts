import type { Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { openRedis, type RedisClient, untilReady } from '../../src/redis/connection.ts';
import { redisUrl } from '../support/servers.ts';
import { until } from '../support/until.ts';

const socketOf = (client: RedisClient) => (client as unknown as { stream: Socket }).stream;

it('a socket with two errors, as of a refused TLS handshake, is one lost connection', async () => {
  const errors: Error[] = [];
  const client = openRedis(redisUrl(), {
    ...{ commandTimeoutMs: 1_000, connectTimeoutMs: 5_000, name: 'test' },
    onError: (error) => errors.push(error),
  });
  onTestFinished(() => client.disconnect());
  await untilReady(client, 10_000);
  const socket = socketOf(client);
  for (const message of ['the first', 'the second']) socket.emit('error', new Error(message));
  expect(errors.map(({ message }) => message)).toEqual(['the first']);
  socket.destroy();
  await until(() => socketOf(client) !== socket && client.status === 'ready');
});
