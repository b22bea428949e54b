import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Ports below those that systems give to connections, and to servers that ask for any port (from 32,768 on Linux): nobody but
 * another caller picks one of these by chance.
 */
const PORTS = { from: 20_000, count: 12_000 };

/** A port of 127.0.0.1 on which nobody listens now, and which no other caller is given while this process lives. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.from + Math.floor(Math.random() * PORTS.count);
    if ((await isReserved(port)) && (await isFree(port))) return port;
  }
}

/** Marks the port as given away by a UDP socket: servers, which listen for TCP, do not meet it, and it ends with this process. */
async function isReserved(port: number): Promise<boolean> {
  const mark = createSocket('udp4');
  mark.bind(port, '127.0.0.1');
  const isMarked = await begins(mark);
  if (isMarked) mark.unref();
  else mark.close();
  return isMarked;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  if (!(await begins(server))) return false;
  server.close();
  await once(server, 'close');
  return true;
}

/** Whether nobody else has the address on which this begins to listen. */
async function begins(socket: NodeJS.EventEmitter): Promise<boolean> {
  try {
    await once(socket, 'listening');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
}
