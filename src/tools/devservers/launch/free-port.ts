import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Ports below those that systems give to connections, and to servers that ask for any port (from 32,768 on Linux): nobody but
 * another caller picks one of these by chance.
 */
const PORTS = { from: 20_000, count: 12_000 };

/** A port of 127.0.0.1 on which nobody listens now. Another process may still take it first: be ready to retry. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.from + Math.floor(Math.random() * PORTS.count);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}
