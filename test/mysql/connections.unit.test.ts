import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { ConnectionPool } from '../../src/mysql/connections.ts';
import { Deadline, DeadlineExceeded } from '../../src/timing/deadline.ts';

it('ends a wait for a connection with the request whose time is over, whatever the server does', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const options = { connections: 1, queue: 10, deadlineMs: 60_000, tls: undefined };
  const pool = new ConnectionPool(`mysql://root@127.0.0.1:${port}/x`, options);
  silent.on('connection', (socket) => onTestFinished(() => void socket.destroy()));
  onTestFinished(() => void silent.close());
  const connecting = pool.use(async () => undefined, { deadline: new Deadline(50) });
  const queued = pool.use(async () => undefined, { deadline: new Deadline(50) });
  await expect(connecting).rejects.toThrow(DeadlineExceeded);
  await expect(queued).rejects.toThrow(DeadlineExceeded);
});
