import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import { type AddressInfo, BlockList, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AccessToken } from '../config/access-tokens.ts';
import type { ProblemCode } from '../contracts/problem.ts';
import { UserError } from '../contracts/user-error.ts';
import type { Access } from './authorize.ts';
import { lentSocketOf, ServerConnections } from './connections.ts';
import { HttpProblem } from './http-problem.ts';
import { problemReply } from './reply.ts';

interface ListenOptions {
  readonly app: RequestListener;
  /** An address or a host name. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Empty: only loopback addresses are allowed. */
  readonly tokens: readonly AccessToken[];
  /** Called when a connection cannot be accepted (out of file descriptors, for example). Listening continues. */
  readonly onError: (error: Error) => void;
  /** How long clients may take. */
  readonly limits?: Partial<ClientLimits>;
}

/** What a client may take its time for, ms. Beyond it the client is cut off. */
export interface ClientLimits {
  /** Sending the headers of a request (10,000). */
  readonly headersMs: number;
  /** Sending a whole request (30,000). */
  readonly requestMs: number;
  /** A connection on which nothing is sent in either direction although a request is under way (65,000). */
  readonly stalledMs: number;
  /** How often slow requests are looked for (2,000). */
  readonly checkMs: number;
}

export interface RunningApi {
  readonly host: string;
  readonly port: number;
  /** `http://127.0.0.1:8470` */
  readonly url: string;
  /** From now on each answer is the last one of its connection, and says so. */
  drain(): void;
  /**
   * Stops accepting connections, lets requests finish and their answers be sent, and closes connections as they become idle.
   * After `graceMs`, cuts off the rest. Returns how many were cut off.
   */
  close(graceMs: number): Promise<number>;
}

/** The API cannot listen where it was told to. The message says why, and how to fix it. */
export class ListenError extends UserError {
  override readonly name = 'ListenError';
}

/**
 * How long an idle connection stays open, ms: longer than load balancers keep one (60 s), so that the API never closes a
 * connection just as a request arrives.
 */
const KEEP_ALIVE_MS = 65_000;

const LIMITS: ClientLimits = { headersMs: 10_000, requestMs: 30_000, stalledMs: KEEP_ALIVE_MS, checkMs: 2_000 };

/** Requests of one connection that wait behind another one's answer: a client that sends more of them is cut off. */
const PIPELINED = 8;

/** How long a client that was refused may take to read why, ms. */
const LINGER_MS = 1_000;

/** Starts listening. @throws ListenError */
export async function startApi({ app, host, port, tokens, onError, limits }: ListenOptions): Promise<RunningApi> {
  const reason = checkHost(host, tokens);
  if (reason !== undefined) throw new ListenError(reason);
  const { headersMs, requestMs, stalledMs, checkMs } = { ...LIMITS, ...limits };
  const server = createServer(
    {
      requestTimeout: requestMs,
      headersTimeout: headersMs,
      connectionsCheckingInterval: checkMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      requireHostHeader: false, // `hostHeaderCheck` answers a request without one with a problem
    },
    limitPipelining(app),
  );
  server.timeout = stalledMs;
  const connections = new ServerConnections(server);
  server.on('clientError', refuseBadRequest);
  await listen(server, host, port);
  server.on('error', onError);
  const address = server.address() as AddressInfo;
  if (tokens.length === 0 && !isLoopback(address.address)) {
    server.close();
    throw new ListenError(`${host} is ${address.address} here. ${checkHost(address.address, tokens)}`);
  }
  const { address: bound, port: boundPort } = address;
  return {
    ...{ host: bound, port: boundPort, url: urlOf(address) },
    drain: () => connections.drain(),
    close: (graceMs) => connections.close(graceMs),
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => reject(listenError(error, host, port));
    server.once('error', failed);
    server.listen({ host, port }, () => {
      server.off('error', failed);
      resolve();
    });
  });
}

const ADVICE: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `port ${port} on ${host} is in use. Stop the program that uses it, or choose another port with RECENCY_PORT.`,
  EACCES: (_host, port) => `port ${port} is not allowed here. Choose one from 1024 up with RECENCY_PORT.`,
  EADDRNOTAVAIL: (host) => `this machine has no address ${host}. Choose another with RECENCY_HOST.`,
  ENOTFOUND: (host) => `the host name ${host} is unknown. Choose another with RECENCY_HOST.`,
};

function listenError(error: NodeJS.ErrnoException, host: string, port: number): ListenError {
  const advice = ADVICE[error.code ?? '']?.(host, port) ?? `cannot listen on ${host}:${port}: ${error.message}`;
  return new ListenError(advice, { cause: error });
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Returns whether only this machine can reach the host. Of names, only `localhost` counts. */
export function isLoopback(host: string): boolean {
  const version = isIP(host);
  if (version === 0) return host.toLowerCase() === 'localhost';
  return LOOPBACK.check(host, version === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Returns whether a Host header names this machine: `localhost` or a loopback address, with any port. This stops DNS
 * rebinding: a web page can point its own host name at 127.0.0.1 to read answers, but its requests carry that name.
 */
export function isLoopbackHeader(host: string): boolean {
  const [, name = ''] = /^(.*?)(?::\d{1,5})?$/.exec(host) ?? [];
  return isLoopback(name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name);
}

/**
 * Refuses HTTP/1.1 requests without a Host header and, where no tokens are set, those that name another host.
 * @returns a function that throws HttpProblem
 */
export function hostHeaderCheck({ isOpen }: Pick<Access, 'isOpen'>): (request: IncomingMessage) => void {
  let allowed: string | undefined; // one client sends the same header in every request
  return (request) => {
    const { host } = request.headers;
    if (host === undefined && request.httpVersion === '1.1') {
      throw new HttpProblem('malformed_request', { detail: 'The Host header is missing.' });
    }
    if (isOpen && host !== undefined && host !== allowed) {
      if (!isLoopbackHeader(host)) throw new HttpProblem('host_not_allowed');
      allowed = host;
    }
  };
}

/** Why the API must not listen on the host, and how to fix that; undefined: it may. */
export function checkHost(host: string, tokens: readonly AccessToken[]): string | undefined {
  if (tokens.length > 0 || isLoopback(host)) return undefined;
  return `Without tokens, anybody who can connect may do everything, so the API listens on loopback only, not on ${host}. Set RECENCY_TOKENS (or RECENCY_TOKENS_FILE), or RECENCY_HOST=127.0.0.1.`;
}

/**
 * Node begins every request as soon as it has been read, so that one connection could have thousands answered that nobody
 * reads. Hardly any client sends a request before the last one was answered, and one that does must expect to be
 * cut off (RFC 9112, 9.3.2).
 */
function limitPipelining(app: RequestListener): RequestListener {
  return (request, response) => {
    const connection = lentSocketOf(request.socket);
    if (connection.requests > 1 + PIPELINED) connection.destroy();
    else app(request, response);
  };
}

const CODES: Readonly<Record<string, ProblemCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Answers input that is not valid HTTP, or is too slow, and so never reaches the app, with a problem like all others. */
function refuseBadRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const id = randomUUID();
  const { status, headers, content } = problemReply(
    new HttpProblem(CODES[error.code ?? ''] ?? 'malformed_request'),
    id,
  );
  const all = { ...headers, 'X-Request-Id': id, 'Content-Length': Buffer.byteLength(content), Connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${content}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref(); // else a client that goes on would keep the connection
}
