import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Webhook } from 'standardwebhooks';
import { bodyOf, type Channel, type DeliveryOutcome, LONGEST_WAIT_MS, type Notification } from './channel.ts';
import { EndpointLine, type SharedSlots, Slots } from './endpoint-line.ts';
import { HostNames, lookupOf } from './host-names.ts';
import { PostsUnderway } from './posts-underway.ts';
import { checkedLookup, type ResolveAll, refusePrivateLiteral } from './public-address.ts';
import { type EndpointReply, isSilence, WebhookPost } from './webhook-post.ts';

export interface WebhookChannelOptions {
  /** May endpoints have private, loopback and link-local addresses? */
  readonly allowPrivate: boolean;
  /** For `User-Agent`. */
  readonly version: string;
  /** Time limit of a delivery from its turn to the status line of the reply, ms (15,000, as Standard Webhooks recommends). */
  readonly timeoutMs?: number;
  /** Deliveries that the process has on their way at most. */
  readonly inFlight: number;
  /** Deliveries to one endpoint at once (64). */
  readonly atOnce?: number;
  /** The longest wait of a delivery for its turn, ms (5,000). */
  readonly waitMs?: number;
  /** How long a connection without a delivery is kept, ms (30,000), whatever the endpoint says. */
  readonly idleMs?: number;
  /** ms since 1970 UTC. */
  readonly clock?: () => number;
  /** Finds the addresses of names. Default: {@link HostNames}. */
  readonly resolve?: ResolveAll;
}

const TIMEOUT_MS = 15_000;

const AT_ONCE = 64;

const WAIT_MS = 5_000;

/** Time limit of a delivery while too many are on their way, ms. */
const PATIENCE_MS = 1_000;

/** Endpoints whose speed is remembered. */
const ENDPOINTS = 10_000;

const IDLE_MS = 30_000;

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
  readonly #posts: PostsUnderway;
  #isClosed = false;
  readonly #lines = new Map<string, EndpointLine>();
  readonly #slots: SharedSlots;

  constructor(options: WebhookChannelOptions) {
    const { allowPrivate, atOnce = AT_ONCE, idleMs = IDLE_MS, resolve = lookupOf(new HostNames()) } = options;
    this.#options = options;
    const part = Math.ceil(options.inFlight / 5);
    this.#slots = { waiting: new Slots(part), toSilent: new Slots(part) };
    this.#posts = new PostsUnderway({ most: 2 * part, patienceMs: PATIENCE_MS });
    const pool = {
      keepAlive: true,
      maxSockets: atOnce,
      timeout: idleMs,
      scheduling: 'lifo' as const,
      lookup: checkedLookup(resolve, allowPrivate),
    };
    this.#agents = { http: new HttpAgent(pool), https: new HttpsAgent(pool) };
  }

  deliver(notifications: readonly Notification[]): readonly Promise<DeliveryOutcome>[] {
    return notifications.map((notification) =>
      this.#inTurn(notification).catch((error: unknown) => ({ is: 'failed', why: reasonOf(error) })),
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#posts.abort(new Error(ENDING));
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  async #inTurn(notification: Notification): Promise<DeliveryOutcome> {
    const url = new URL(notification.target.url ?? '');
    if (!this.#options.allowPrivate) refusePrivateLiteral(url.hostname);
    return await this.#lineOf(url.host).run(() => this.#send(url, notification));
  }

  #lineOf(host: string): EndpointLine {
    const known = this.#lines.get(host);
    if (known !== undefined) return known;
    const { atOnce = AT_ONCE, waitMs = WAIT_MS } = this.#options;
    const line = new EndpointLine({
      ...{ atOnce, waitMs, isSilence, slots: this.#slots },
      now: () => performance.now(),
    });
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
    const { status, retryAfter } = await this.#post(url, headers, body);
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

  async #post(url: URL, headers: Record<string, string>, body: Buffer): Promise<EndpointReply> {
    const { timeoutMs = TIMEOUT_MS } = this.#options;
    if (this.#isClosed) throw new Error(ENDING);
    const post = new WebhookPost(url, { headers, body, agents: this.#agents, timeoutMs });
    this.#posts.add(post);
    try {
      return await post.reply;
    } finally {
      this.#posts.delete(post);
    }
  }
}

const ENDING = 'this process is ending';

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
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), LONGEST_WAIT_MS) : undefined;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || error.name; // an AggregateError of all addresses has no message
}
