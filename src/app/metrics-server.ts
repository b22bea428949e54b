import { createServer, type IncomingMessage, type Server } from 'node:http';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { Connections } from '../api/connections.ts';
import { isLoopback, isLoopbackHeader } from '../api/listen.ts';
import { type Check, type CheckResult, Readiness } from '../api/readiness.ts';
import { json, type Reply, text } from '../api/reply.ts';
import { readyReply } from '../api/routes/health.ts';
import type { ProcessContext } from './run-process.ts';
import { StartError } from './start-error.ts';

export interface MetricsServerOptions {
  readonly registry: Registry;
  readonly readiness: Readiness;
  readonly host: string;
  readonly port: number;
  /** Called when a connection cannot be accepted (no file descriptors left, for example); listening goes on. */
  readonly onError: (error: Error) => void;
}

export interface RunningMetricsServer {
  readonly server: Server;
  /** Takes no new request, lets those under way finish, and cuts off what takes longer than a second. */
  close(): Promise<void>;
}

/** Nothing here takes longer, and a client that hangs is not to hold up the end of the process, ms. */
const CLOSE_MS = 1_000;

/** Readiness asks MySQL, Redis and the transport; nobody limits how often it is asked for here, ms. */
const KEPT_MS = 1_000;

/** Another program listens on the port. */
export class PortTaken extends Error {
  override readonly name = 'PortTaken';
}

/**
 * A small server for a process without an API: GET /metrics, /livez and /readyz, which answers as the API's does.
 * @throws PortTaken; StartError when the address cannot be used
 */
export async function startMetricsServer(options: MetricsServerOptions): Promise<RunningMetricsServer> {
  const { host, port, onError } = options;
  const parts: Parts = {
    ...{ host, contentType: options.registry.contentType },
    metrics: keptFor(0, () => options.registry.metrics()), // counters are those of now; only scrapes at once share them
    readiness: keptFor(KEPT_MS, () => options.readiness.check()),
  };
  const server = createServer((request, response) => {
    answer(request, parts).then(
      ({ status, headers, content }) => response.writeHead(status, { ...headers }).end(content),
      () => response.writeHead(500).end(),
    );
  });
  const connections = new Connections(server);
  await listen(server, host, port);
  server.on('error', onError);
  return { server, close: async () => void (await connections.close(CLOSE_MS)) };
}

interface Parts {
  readonly host: string;
  readonly contentType: string;
  readonly metrics: () => Promise<string>;
  readonly readiness: () => Promise<readonly CheckResult[]>;
}

/** What is under way or was done just before is given to whoever asks, so that asking often costs nothing; not so a failure. */
function keptFor<T>(ms: number, work: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  let until = 0;
  return () => {
    if (kept !== undefined && performance.now() < until) return kept;
    const result = work();
    [kept, until] = [result, Number.POSITIVE_INFINITY];
    result.then(
      () => {
        until = performance.now() + ms;
      },
      () => {
        kept = undefined;
      },
    );
    return result;
  };
}

async function answer(
  { method, url = '', headers }: IncomingMessage,
  { contentType, metrics, readiness, host }: Parts,
): Promise<Reply> {
  // A web page can point a name of its own here (DNS rebinding), which then stands in the header.
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
      return readyReply(await readiness(), searchParams.has('verbose'));
    default:
      return text(404, 'text/plain; charset=utf-8', 'There are /metrics, /livez and /readyz.\n');
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

/** Metrics of one process, with those of Node itself. @param process as a label on every metric */
export function openRegistry(process: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** ms that each check of the readiness may take. */
const CHECK_DEADLINE_MS = 2_000;

export interface MetricsOptions {
  readonly registry: Registry;
  /** What must be there for the process to do its work, by name. */
  readonly checks: Readonly<Record<string, Check>>;
  /** Used when METRICS_PORT is not set, on loopback. */
  readonly port: number;
}

/**
 * Serves the metrics and the readiness of a process without an API, unless METRICS_PORT is 0. A port that somebody else has is
 * a warning: a second consumer of the same machine does its work without.
 * @throws StartError when the address cannot be used
 */
export async function serveMetrics(
  { config, logger, resources }: Pick<ProcessContext, 'config' | 'logger' | 'resources'>,
  { registry, checks, port: fallback }: MetricsOptions,
): Promise<void> {
  const { metricsPort } = config;
  const [host, port] = metricsPort === undefined ? ['127.0.0.1', fallback] : [config.host, metricsPort];
  if (port === 0) return;
  const onFailure = (check: string, err: unknown) => logger.warn({ check, err }, 'not ready');
  const readiness = new Readiness({
    ...{ checks, deadlineMs: CHECK_DEADLINE_MS, onFailure },
    now: () => performance.now(),
  });
  try {
    const onError = (err: Error) => logger.error({ err }, 'a connection could not be accepted');
    const running = await startMetricsServer({ registry, readiness, host, port, onError });
    resources.defer(() => running.close());
    logger.info({ host, port }, 'metrics at /metrics, readiness at /readyz');
  } catch (error) {
    if (!(error instanceof PortTaken)) throw error;
    const text = 'another process has this port: no metrics here. Set RECENCY_METRICS_PORT to another one, or to 0';
    logger.warn({ host, port }, text);
  }
}
