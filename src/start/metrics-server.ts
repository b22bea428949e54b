import { createServer, type Server } from 'node:http';
import type { Registry } from 'prom-client';
import { StartError } from './start-error.ts';

export interface MetricsServerOptions {
  readonly registry: Registry;
  readonly host: string;
  readonly port: number;
}

/** A small server for a process without an API: GET /metrics and /livez. @throws StartError when the port is taken */
export async function startMetricsServer({ registry, host, port }: MetricsServerOptions): Promise<Server> {
  const server = createServer((request, response) => {
    const answer = ANSWERS[`${request.method} ${request.url}`];
    if (answer === undefined) {
      response.writeHead(404).end();
      return;
    }
    answer(registry).then(
      ({ type, body }) => response.writeHead(200, { 'content-type': type }).end(body),
      () => response.writeHead(500).end(),
    );
  });
  await listen(server, host, port, 'RECENCY_METRICS_PORT');
  return server;
}

const ANSWERS: Readonly<Record<string, (registry: Registry) => Promise<{ type: string; body: string }>>> = {
  'GET /metrics': async (registry) => ({ type: registry.contentType, body: await registry.metrics() }),
  'GET /livez': async () => ({ type: 'application/json', body: '{"status":"alive"}' }),
};

/** @param setting that gives the port, for the message @throws StartError when the port is taken or not allowed */
export async function listen(server: Server, host: string, port: number, setting: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', (error) => reject(listenError(error, host, port, setting)));
  server.listen({ host, port }, resolve);
  await promise;
}

/** Says what is wrong with the address, when that is why a server could not listen. */
export function listenError(error: unknown, host: string, port: number, setting: string): unknown {
  const reason = REASONS[error instanceof Error && 'code' in error ? String(error.code) : ''];
  if (reason === undefined) return error;
  return new StartError(`Cannot listen on ${host}:${port}: ${reason}, or set ${setting}.`, { cause: error });
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process has this port. Stop it',
  EACCES: 'this user may not use the port. Take one above 1023',
  EADDRNOTAVAIL: 'this machine has no such address. Mend RECENCY_HOST',
  ENOTFOUND: 'this host name is not known. Mend RECENCY_HOST',
};

/** Takes no new request and lets those under way finish. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  await closed;
}
