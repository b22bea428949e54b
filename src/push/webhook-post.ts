import { type ClientRequest, type Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { type Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';

/** Time limit of connecting, the look-up of the name included, ms: a lost packet is sent again within it. */
const CONNECT_MS = 3_000;

/** The most of a reply's body that is read: what it says does not matter. */
const BODY_BYTES = 64 * 1024;

/** How long the body may take after the status line, ms. */
const BODY_MS = 1_000;

/** Interim replies (1xx) before the real one: more are a flood. */
const INTERIM_REPLIES = 16;

/** What an endpoint answered, as far as it matters. */
export interface EndpointReply {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

interface PostOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly agents: { readonly http: HttpAgent; readonly https: HttpsAgent };
  /** Time limit from now to the status line, ms. */
  readonly timeoutMs: number;
}

/**
 * One POST to an endpoint that may do anything. It settles within its time limit, by a timer of its own rather than by an event
 * that some behaviour might not cause. The status line decides: once it is there, nothing that follows changes the reply.
 */
export class WebhookPost {
  /** @throws Error when there was no status line */
  readonly reply: Promise<EndpointReply>;
  readonly #request: ClientRequest;
  readonly #outcome = Promise.withResolvers<EndpointReply>();
  #answered: EndpointReply | undefined;
  /** Of the status line, then of the body. */
  #timer: NodeJS.Timeout;

  constructor(url: URL, { headers, body, agents, timeoutMs }: PostOptions) {
    const options = { method: 'POST', headers };
    const request =
      url.protocol === 'https:'
        ? requestHttps(url, { ...options, agent: agents.https })
        : requestHttp(url, { ...options, agent: agents.http });
    this.#request = request;
    this.reply = this.#outcome.promise;
    this.#timer = setTimeout(() => this.timeOut(), timeoutMs);
    let interim = 0;
    request.once('socket', (socket) => this.#limitConnecting(socket));
    request.on('information', () => {
      if (++interim > INTERIM_REPLIES) this.abort(new Error(`the endpoint sent ${interim} interim replies`));
    });
    request.once('upgrade', (response) => this.#answeredBy(response).abort());
    request.once('response', (response) => this.#answeredBy(response).#readAway(response));
    request.on('error', (error) => this.#settle(error));
    request.end(body);
  }

  /** Ends it now. @param error why, unless it was answered */
  abort(error = new Error('the delivery was ended')): void {
    this.#settle(error);
    this.#request.destroy();
  }

  /** Ends it now, as its time limit does. */
  timeOut(): void {
    this.abort(new DeliveryTimeout());
  }

  /** Settled by the first call. */
  #settle(error: Error): void {
    clearTimeout(this.#timer);
    if (this.#answered === undefined) this.#outcome.reject(error);
    else this.#outcome.resolve(this.#answered);
  }

  #answeredBy({ statusCode: status = 0, headers }: IncomingMessage): this {
    this.#answered = { status, retryAfter: headers['retry-after'] };
    return this;
  }

  /** Reads the body to its end, so that the connection can be used again; one that is long or slow is cut off. */
  #readAway(response: IncomingMessage): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.abort(), BODY_MS);
    if (response.statusCode === 101) this.abort(); // without its headers; what follows would be another protocol
    let bytes = 0;
    response.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > BODY_BYTES) this.abort();
    });
    const settled = () => this.#settle(new Error('closed'));
    response.once('end', settled);
    response.on('error', settled);
  }

  /** A host that is down often says nothing at all: it should not hold a turn for as long as one that is only slow. */
  #limitConnecting(socket: Socket): void {
    if (!socket.connecting) return;
    const timer = setTimeout(() => this.abort(new NoConnection()), CONNECT_MS);
    for (const event of ['connect', 'close'] as const) socket.once(event, () => clearTimeout(timer));
  }
}

/** Did the endpoint say nothing until a time limit? Then each delivery to it takes that long. */
export function isSilence(error: unknown): boolean {
  return error instanceof DeliveryTimeout || error instanceof NoConnection;
}

class NoConnection extends Error {
  override readonly name = 'NoConnection';
  constructor() {
    super(`no connection within ${CONNECT_MS / 1000} s`);
  }
}

class DeliveryTimeout extends Error {
  override readonly name = 'DeliveryTimeout';
  constructor() {
    super('the endpoint did not answer in time');
  }
}
