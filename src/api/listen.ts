import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AccessToken } from '../config/access-tokens.ts';
import { UserError } from '../contracts/user-error.ts';
import { refuseBadRequest } from './bad-request.ts';
import { Connections } from './connections.ts';
import { checkHost, isLoopback } from './loopback.ts';

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
