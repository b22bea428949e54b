import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { freePort } from '../../../src/tools/devservers/launch/free-port.ts';

it('gives a port to one caller only, as long as its process lives, and a server may listen there', async () => {
  const port = await freePort();
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.close();
  const other = createSocket('udp4').bind(port, '127.0.0.1');
  await expect(once(other, 'listening')).rejects.toThrow('EADDRINUSE');
  other.close();
});
