import { createServer, type IncomingMessage, type Server } from 'node:http';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { ServerConnections } from '../api/connections.ts';
import { isLoopback, isLoopbackHeader } from '../api/listen.ts';
import { type Check, Readiness, type Report } from '../api/readiness.ts';
import { json, type Reply, text } from '../api/reply.ts';
import { readyReply } from '../api/routes/health.ts';
import { StartError } from '../config/start-error.ts';
import { shared } from './metrics.ts';
import { measureRenewal } from './renewal.ts';
import type { ProcessContext } from './run-process.ts';

interface MetricsServerOptions {
  readonly registry: Registry;
  readonly readiness: Readiness;
  readonly host: string;
  readonly port: number;
  /** Called when a connection cannot be accepted, for example because no file descriptors are left; the server goes on. */
  readonly onError: (error: Error) => void;
}

interface RunningMetricsServer {
  readonly server: Server;
  /** Accepts no new requests, waits for running ones, and cuts off those that take longer than a second. */
  close(): Promise<void>;
}

/** Time for running requests when the process ends, ms. A client that hangs must not hold it up. */
const CLOSE_MS = 1_000;

/** How long the readiness is kept, ms: it asks MySQL, Redis and the transport, and this server has no rate limit. */
const READINESS_KEPT_MS = 1_000;

/** Another program listens on the port. */
class PortTaken extends Error {
  override readonly name = 'PortTaken';
}

/**
 * Starts an HTTP server for a process without an API: GET /metrics, /livez and /readyz, as the API has them.
 * @throws PortTaken; StartError when the address cannot be used
 */
export async function startMetricsServer(options: MetricsServerOptions): Promise<RunningMetricsServer> {
  const { host, port, onError } = options;
  const served: Served = {
    host,
    contentType: options.registry.contentType,
    metrics: shared(() => options.registry.metrics()), // never kept: counters must be current
    readiness: {
      check: shared(() => options.readiness.check(), READINESS_KEPT_MS),
      report: shared(() => options.readiness.report(), READINESS_KEPT_MS),
    },
  };
  const server = createServer((request, response) => {
    answer(request, served).then(
      ({ status, headers, content }) => response.writeHead(status, { ...headers }).end(content),
      () => response.writeHead(500).end(),
    );
  });
  const connections = new ServerConnections(server);
  await listen(server, host, port);
  server.on('error', onError);
  return { server, close: async () => void (await connections.close(CLOSE_MS)) };
}

interface Served {
  readonly host: string;
  readonly contentType: string;
  readonly metrics: () => Promise<string>;
  readonly readiness: Pick<Readiness, 'check' | 'report'>;
}

async function answer(
  { method, url = '', headers }: IncomingMessage,
  { contentType, metrics, readiness, host }: Served,
): Promise<Reply> {
  // A web page can resolve a name of its own to this address (DNS rebinding); the Host header then has that name.
  if (isLoopback(host) && headers.host !== undefined && !isLoopbackHeader(headers.host)) {
    return text(421, 'text/plain; charset=utf-8', 'Only requests to localhost, 127.0.0.1 or [::1] are answered.\n');
  }
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  switch (`${method} ${pathname}`) {
    case 'GET /metrics':
      return text(200, contentType, await metrics());
    case 'GET /livez':
      return json(200, { status: 'alive' });
    case 'GET /readyz':
      return await readyReply(readiness, searchParams.has('verbose'));
    default:
      return text(404, 'text/plain; charset=utf-8', 'Not found. Try /metrics, /livez or /readyz.\n');
  }
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const failed = (error: Error) => reject(listenError(error, host, port));
  server.once('error', failed);
  server.listen({ host, port }, resolve);
  await promise;
  server.off('error', failed);
}

/** Says what is wrong with the address, if that is why the server could not listen. */
function listenError(error: NodeJS.ErrnoException, host: string, port: number): unknown {
  if (error.code === 'EADDRINUSE') return new PortTaken(`${host}:${port} is in use`, { cause: error });
  const reason = REASONS[error.code ?? ''];
  if (reason === undefined) return error;
  const message = `Cannot listen on ${host}:${port}: ${reason}, or set RECENCY_METRICS_PORT.`;
  return new StartError(message, { cause: error });
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not use the port. Use one above 1023',
  EADDRNOTAVAIL: 'this machine has no such address. Fix RECENCY_HOST',
  ENOTFOUND: 'this host name is unknown. Fix RECENCY_HOST',
};

/** Creates the metrics of one process, including those of Node.js. @param process label of every metric */
export function createRegistry(process: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  // Looking at the event loop every 10 ms, its default, takes half a percent of a core from a process that does nothing.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  return registry;
}

/** Maximum time of a readiness check, ms. */
const CHECK_DEADLINE_MS = 2_000;

interface MetricsOptions {
  readonly registry: Registry;
  /** What the process needs to do its work, by name. */
  readonly checks: Readonly<Record<string, Check>>;
  /** What else is worth saying of it. */
  readonly reports?: Readonly<Record<string, Report>>;
  /** Port on loopback when METRICS_PORT is not set. */
  readonly port: number;
}

/**
 * Serves the metrics and the readiness of a process without an API, unless METRICS_PORT is 0. If the port is taken, it only
 * warns: a second consumer on the same machine works without.
 * @throws StartError when the address cannot be used
 */
export async function serveMetrics(
  { config, logger, renewal, resources }: Pick<ProcessContext, 'config' | 'logger' | 'renewal' | 'resources'>,
  { registry, checks, reports: others = {}, port: fallback }: MetricsOptions,
): Promise<void> {
  const { metricsPort } = config;
  const [host, port] = metricsPort === undefined ? ['127.0.0.1', fallback] : [config.host, metricsPort];
  if (port === 0) return;
  measureRenewal(registry, renewal);
  const reports = { ...others, secrets: () => renewal.report() };
  const onFailure = (check: string, err: unknown) => logger.warn({ check, err }, 'a check for /readyz fails');
  const now = () => performance.now();
  const readiness = new Readiness({ checks, reports, deadlineMs: CHECK_DEADLINE_MS, onFailure, now });
  try {
    const onError = (err: Error) => logger.error({ err }, 'a connection could not be accepted');
    const running = await startMetricsServer({ registry, readiness, host, port, onError });
    resources.defer(() => running.close());
    logger.info({ host, port }, 'metrics at /metrics, readiness at /readyz');
  } catch (error) {
    if (!(error instanceof PortTaken)) throw error;
    const text =
      'another process uses this port: metrics and readiness are not served. Set RECENCY_METRICS_PORT to another port, or to 0';
    logger.warn({ host, port }, text);
  }
}
