import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import { type AddressInfo, BlockList, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RequestHandler } from 'express';
import type { AccessToken } from '../config/access-tokens.ts';
import type { ProblemCode } from '../contracts/problem.ts';
import { UserError } from '../contracts/user-error.ts';
import { Connections } from './connections.ts';
import { HttpProblem } from './http-problem.ts';
import { problemReply } from './reply.ts';

export interface ListenOptions {
  readonly app: RequestListener;
  /** An address, or a name of one. */
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** None: only loopback is listened on. */
  readonly tokens: readonly AccessToken[];
  /** Called when a connection cannot be accepted (no file descriptors left, for example); listening goes on. */
  readonly onError: (error: Error) => void;
}

export interface RunningApi {
  readonly host: string;
  readonly port: number;
  /** For people: `http://127.0.0.1:8470`. */
  readonly url: string;
  /**
   * Accepts nothing more, finishes what is in work, and closes connections as they fall idle; cuts them off after
   * `graceMs`. Returns how many were cut off.
   */
  close(graceMs: number): Promise<number>;
}

/** The API cannot listen where it was told to. The message says why, and how to mend it. */
export class ListenError extends UserError {
  override readonly name = 'ListenError';
}

/** ms: a client that sends its request more slowly than that is not worth waiting for. */
const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** ms; more than load balancers keep an idle connection (60 s), so that it is never ours to close under a request. */
const KEEP_ALIVE_MS = 65_000;

/** @throws ListenError */
export async function startApi({ app, host, port, tokens, onError }: ListenOptions): Promise<RunningApi> {
  const reason = checkHost(host, tokens);
  if (reason !== undefined) throw new ListenError(reason);
  const server = createServer(
    {
      ...{ requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: HEADERS_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS },
      requireHostHeader: false, // the app refuses a request without one, with a problem
    },
    app,
  );
  server.on('clientError', refuseBadRequest);
  const connections = new Connections(server);
  await listen(server, host, port);
  server.on('error', onError);
  const address = server.address() as AddressInfo;
  if (tokens.length === 0 && !isLoopback(address.address)) {
    server.close();
    throw new ListenError(`${host} is ${address.address} here. ${checkHost(address.address, tokens)}`);
  }
  const { address: bound, port: boundPort } = address;
  return { host: bound, port: boundPort, url: urlOf(address), close: (graceMs) => connections.close(graceMs) };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => reject(listenError(error, host, port));
    server.once('error', failed);
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', failed);
      resolve();
    });
  });
}

const ADVICE: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `port ${port} on ${host} is in use. Stop the program that has it, or choose another port with RECENCY_PORT.`,
  EACCES: (_host, port) => `port ${port} is not allowed here. Choose one from 1024 up with RECENCY_PORT.`,
  EADDRNOTAVAIL: (host) => `this machine has no address ${host}. Choose another with RECENCY_HOST.`,
  ENOTFOUND: (host) => `the name ${host} is not known. Choose another with RECENCY_HOST.`,
};

function listenError(error: NodeJS.ErrnoException, host: string, port: number): ListenError {
  const advice = ADVICE[error.code ?? '']?.(host, port) ?? `${host}:${port} cannot be listened on: ${error.message}`;
  return new ListenError(advice, { cause: error });
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Can only this machine reach it? Of names only `localhost` is known to be so. */
export function isLoopback(host: string): boolean {
  const version = isIP(host);
  if (version === 0) return host.toLowerCase() === 'localhost';
  return LOOPBACK.check(host, version === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Does a Host header name this machine, by `localhost` or a loopback address, with any port? A web page can point a name of its own
 * at 127.0.0.1 and then read answers (DNS rebinding); its requests name that name.
 */
export function isLoopbackHeader(host: string): boolean {
  const [, name = ''] = /^(.*?)(?::\d{1,5})?$/.exec(host) ?? [];
  return isLoopback(name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name);
}

/** Refuses HTTP/1.1 without a Host header and, where everything is allowed without a token, one that names another host. */
export function checkHostHeader(tokens: readonly AccessToken[]): RequestHandler {
  const isOpen = tokens.length === 0;
  return (request, _response, next) => {
    const { host } = request.headers;
    if (host === undefined && request.httpVersion === '1.1') {
      throw new HttpProblem('malformed_request', { detail: 'The header Host is missing.' });
    }
    if (isOpen && host !== undefined && !isLoopbackHeader(host)) throw new HttpProblem('host_not_allowed');
    next();
  };
}

/** Why the API must not listen there, and how to fix it; undefined: it may. */
export function checkHost(host: string, tokens: readonly AccessToken[]): string | undefined {
  if (tokens.length > 0 || isLoopback(host)) return undefined;
  return `Without tokens anybody who can connect may do everything, so the API listens on loopback only, not on ${host}. Set RECENCY_TOKENS (or RECENCY_TOKENS_FILE), or RECENCY_HOST=127.0.0.1.`;
}

const CODES: Readonly<Record<string, ProblemCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Answers what is not even HTTP, so that no request reaches the app, in the words of every other problem. */
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
}
