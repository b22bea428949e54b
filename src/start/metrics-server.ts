import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Registry } from 'prom-client';
import type { Readiness } from '../api/readiness.ts';
import { json, type Reply, text } from '../api/reply.ts';
import { readyReply } from '../api/routes/health.ts';
import { StartError } from './start-error.ts';

export interface MetricsServerOptions {
  readonly registry: Registry;
  readonly readiness: Readiness;
  readonly host: string;
  readonly port: number;
}

/** Another program listens on the port. */
export class PortTaken extends Error {
  override readonly name = 'PortTaken';
}

/**
 * A small server for a process without an API: GET /metrics, /livez and /readyz, which answers as the API's does.
 * @throws PortTaken; StartError when the address cannot be used
 */
export async function startMetricsServer(options: MetricsServerOptions): Promise<Server> {
  const { host, port } = options;
  const server = createServer((request, response) => {
    answer(request, options).then(
      ({ status, headers, content }) => response.writeHead(status, { ...headers }).end(content),
      () => response.writeHead(500).end(),
    );
  });
  await listen(server, host, port);
  return server;
}

async function answer(
  { method, url = '' }: IncomingMessage,
  { registry, readiness }: MetricsServerOptions,
): Promise<Reply> {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  switch (`${method} ${pathname}`) {
    case 'GET /metrics':
      return text(200, registry.contentType, await registry.metrics());
    case 'GET /livez':
      return json(200, { status: 'alive' });
    case 'GET /readyz':
      return readyReply(await readiness.check(), searchParams.has('verbose'));
    default:
      return text(404, 'text/plain; charset=utf-8', 'There are /metrics, /livez and /readyz.\n');
  }
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', (error) => reject(listenError(error, host, port)));
  server.listen({ host, port }, resolve);
  await promise;
}

/** Says what is wrong with the address, when that is why a server could not listen. */
function listenError(error: NodeJS.ErrnoException, host: string, port: number): unknown {
  if (error.code === 'EADDRINUSE') return new PortTaken(`${host}:${port} is in use`, { cause: error });
  const reason = REASONS[error.code ?? ''];
  if (reason === undefined) return error;
  const message = `Cannot listen on ${host}:${port}: ${reason}, or set RECENCY_METRICS_PORT.`;
  return new StartError(message, { cause: error });
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not use the port. Take one above 1023',
  EADDRNOTAVAIL: 'this machine has no such address. Fix RECENCY_HOST',
  ENOTFOUND: 'this host name is not known. Fix RECENCY_HOST',
};

/** Takes no new request and lets those under way finish. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  await closed;
}
