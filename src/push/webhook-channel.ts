import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { Limiter } from '../timing/limiter.ts';
import { bodyOf, type Channel, type DeliveryOutcome, type Notification } from './channel.ts';
import { publicLookup, refusePrivateLiteral } from './public-address.ts';

export interface WebhookChannelOptions {
  /** May endpoints have private, loopback and link-local addresses? */
  readonly allowPrivate: boolean;
  /** For `User-Agent`. */
  readonly version: string;
  /** Time limit of a delivery from its turn to the end of the reply, ms (15,000, as Standard Webhooks recommends). */
  readonly timeoutMs?: number;
  /** Deliveries to one endpoint at once (64). */
  readonly atOnce?: number;
  /** The longest wait of a delivery for its turn, ms (5,000). */
  readonly waitMs?: number;
  /** ms since 1970 UTC. */
  readonly clock?: () => number;
  /** Default: a lookup that refuses what is not public, unless that is allowed. */
  readonly lookup?: ReturnType<typeof publicLookup>;
}

const TIMEOUT_MS = 15_000;

/** Time limit of connecting, ms: a lost packet is sent again within it. */
const CONNECT_MS = 3_000;

const AT_ONCE = 64;

/** Deliveries that wait for their turn at one endpoint, at most. */
const WAITING = 1_000;

const WAIT_MS = 5_000;

/** Endpoints whose speed is remembered. */
const ENDPOINTS = 1_000;

/** The most of a reply that is read: what it says does not matter. */
const REPLY_BYTES = 64 * 1024;

/** The longest wait that an endpoint may ask for, ms. */
const LONGEST_RETRY_AFTER_MS = 86_400_000;

/**
 * Notifications as webhooks, as Standard Webhooks 1.0 has them (https://www.standardwebhooks.com): signed with each of the
 * watch's secrets, so that a secret can be replaced while the receiver knows only the old one. A 2xx is a delivery; 410 ends
 * the watch; everything else, a redirect too, is a failure, and is tried again.
 *
 * Each endpoint (host and port) has a line of its own, so that a slow or dead one holds up no other: a delivery that could not
 * have its turn soon, by how long the endpoint takes, has failed at once.
 */
export class WebhookChannel implements Channel {
  readonly #options: WebhookChannelOptions;
  readonly #agents: { readonly http: HttpAgent; readonly https: HttpsAgent };
  readonly #requests = new Set<ClientRequest>();
  #isClosed = false;
  readonly #lines = new Map<string, Limiter>();

  constructor(options: WebhookChannelOptions) {
    const { allowPrivate, atOnce = AT_ONCE, lookup = allowPrivate ? undefined : publicLookup() } = options;
    this.#options = options;
    const pool = { keepAlive: true, maxSockets: atOnce, scheduling: 'lifo' as const, ...(lookup ? { lookup } : {}) };
    this.#agents = { http: new HttpAgent(pool), https: new HttpsAgent(pool) };
  }

  deliver(notifications: readonly Notification[]): readonly Promise<DeliveryOutcome>[] {
    return notifications.map((notification) =>
      this.#inTurn(notification).catch((error: unknown) => ({ is: 'failed', why: reasonOf(error) })),
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const request of this.#requests) request.destroy(new Error(ENDING));
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  async #inTurn(notification: Notification): Promise<DeliveryOutcome> {
    const url = new URL(notification.target.url ?? '');
    if (!this.#options.allowPrivate) refusePrivateLiteral(url.hostname);
    return await this.#lineOf(url.host).run(() => this.#send(url, notification));
  }

  #lineOf(host: string): Limiter {
    const known = this.#lines.get(host);
    if (known !== undefined) return known;
    const { atOnce = AT_ONCE, waitMs = WAIT_MS } = this.#options;
    const refusal = () =>
      new Error(`the endpoint is slow: ${atOnce} deliveries to it are on their way, and others wait`);
    const line = new Limiter({ concurrency: atOnce, queue: WAITING, waitMs, refusal });
    if (this.#lines.size >= ENDPOINTS) this.#forgetIdle();
    this.#lines.set(host, line);
    return line;
  }

  #forgetIdle(): void {
    for (const [host, { running }] of this.#lines) if (running === 0) this.#lines.delete(host);
  }

  async #send(url: URL, notification: Notification): Promise<DeliveryOutcome> {
    const { clock = Date.now } = this.#options;
    const body = Buffer.from(JSON.stringify(bodyOf(notification)));
    const headers = { ...this.#headers(notification, body, clock()), 'content-length': String(body.length) };
    const { status, retryAfter } = await this.#request(url, headers, body);
    return outcomeOf(status, retryAfter, clock());
  }

  #headers({ id, target }: Notification, body: Buffer, now: number) {
    const at = new Date(now);
    const signatures = target.secrets.map((secret) => new Webhook(secret).sign(id, at, body));
    return {
      'content-type': 'application/json',
      'user-agent': `Recency/${this.#options.version}`,
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now / 1000)),
      'webhook-signature': signatures.join(' '),
    };
  }

  /** With a timer of its own: an abort signal for each request costs a tenth of a delivery. */
  #request(url: URL, headers: Record<string, string>, body: Buffer): Promise<EndpointReply> {
    const { timeoutMs = TIMEOUT_MS } = this.#options;
    if (this.#isClosed) return Promise.reject(new Error(ENDING));
    return new Promise((resolve, reject) => {
      const options = { method: 'POST', headers };
      const request: ClientRequest =
        url.protocol === 'https:'
          ? requestHttps(url, { ...options, agent: this.#agents.https })
          : requestHttp(url, { ...options, agent: this.#agents.http });
      const timer = setTimeout(() => request.destroy(new DeliveryTimeout()), timeoutMs);
      const settled = () => {
        clearTimeout(timer);
        this.#requests.delete(request);
      };
      this.#requests.add(request);
      request.once('socket', (socket) => limitConnecting(request, socket));
      request.once('response', (response) => readAway(response).then(resolve, reject).finally(settled));
      request.once('error', (error) => {
        settled();
        reject(error);
      });
      request.end(body);
    });
  }
}

const ENDING = 'this process is ending';

class DeliveryTimeout extends Error {
  override readonly name = 'DeliveryTimeout';
  constructor() {
    super('the endpoint did not answer in time');
  }
}

/** What an endpoint answered, as far as it matters. */
interface EndpointReply {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** A host that is down often says nothing at all: it should not hold a turn for as long as one that is only slow. */
function limitConnecting(request: ClientRequest, socket: Socket): void {
  if (!socket.connecting) return;
  const seconds = CONNECT_MS / 1000;
  const timer = setTimeout(() => request.destroy(new Error(`no connection within ${seconds} s`)), CONNECT_MS);
  for (const event of ['connect', 'close'] as const) socket.once(event, () => clearTimeout(timer));
}

/** Reads the reply to its end, so that the connection can be used again; a long one is cut off. */
function readAway(response: IncomingMessage): Promise<EndpointReply> {
  const { statusCode: status = 0, headers } = response;
  const answered = { status, retryAfter: headers['retry-after'] };
  return new Promise((resolve, reject) => {
    let bytes = 0;
    response.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > REPLY_BYTES) response.destroy();
    });
    response.once('close', () => resolve(answered));
    response.once('error', (error) => (bytes > REPLY_BYTES ? resolve(answered) : reject(error)));
  });
}

function outcomeOf(status: number, retryAfter: string | undefined, now: number): DeliveryOutcome {
  if (status >= 200 && status < 300) return { is: 'delivered' };
  if (status === 410) return { is: 'gone', why: 'the endpoint answered 410 Gone' };
  const why = `the endpoint answered ${status}`;
  const afterMs = status === 429 || status === 503 ? waitOf(retryAfter, now) : undefined;
  return afterMs === undefined ? { is: 'failed', why } : { is: 'failed', why, afterMs };
}

/** Retry-After: seconds or a date (RFC 9110, 10.2.3). @returns ms; undefined: none, or not understood */
function waitOf(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), LONGEST_RETRY_AFTER_MS) : undefined;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || error.name; // an AggregateError of all addresses has no message
}
