import type { Socket } from 'node:net';
import type { AbstractConnector, Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { openRedis, type RedisClient, untilReady } from '../../src/redis/connection.ts';
import { redisUrl } from '../support/servers.ts';
import { until } from '../support/until.ts';

const OPTIONS = { commandTimeoutMs: 20_000, connectTimeoutMs: 20_000, name: 'test' };

const socketOf = (client: RedisClient) => (client as unknown as { stream: Socket }).stream;
const connectorOf = (client: RedisClient) => (client as unknown as { connector: AbstractConnector }).connector;

it('a socket with two errors, as of a refused TLS handshake, is one lost connection', async () => {
  const errors: Error[] = [];
  const client = openRedis(redisUrl(), {
    ...OPTIONS,
    onError: (error) => errors.push(error),
  });
  onTestFinished(() => client.disconnect());
  await untilReady(client, 60_000);
  errors.length = 0;
  const socket = socketOf(client);
  for (const message of ['the first', 'the second']) socket.emit('error', new Error(message));
  expect(errors.map(({ message }) => message)).toEqual(['the first']);
  socket.destroy();
  await until(() => socketOf(client) !== socket && client.status === 'ready');
});

it('a connection that ioredis breaks off while it is made, because Sentinels announce a failover, is made again', async () => {
  const client = openRedis(redisUrl(), OPTIONS) as Redis;
  onTestFinished(() => client.disconnect());
  await untilReady(client, 60_000);
  let attempts = 0;
  client.on('connecting', () => {
    attempts += 1;
    if (attempts === 1) connectorOf(client).disconnect();
  });
  socketOf(client).destroy();
  await until(() => attempts > 0 && client.status === 'ready');
});

it('a client that is closed while it connects stays closed', async () => {
  const client = openRedis(redisUrl(), OPTIONS) as Redis;
  await untilReady(client, 60_000);
  const ended = new Promise<void>((resolve) => client.once('end', resolve));
  client.once('connecting', () => client.disconnect());
  socketOf(client).destroy();
  await ended;
  expect(client.status).toBe('end');
});
