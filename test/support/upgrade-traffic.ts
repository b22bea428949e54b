/** Reads, marks and uploads of a site while its processes are replaced. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'mysql2/promise';
import type { Id } from '../../src/contracts/id.ts';
import { uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { shortOrLong } from './length.ts';
import { until } from './until.ts';

/** The rows of an answer, and what it says of itself. */
export interface UpgradeAnswer {
  readonly contacts: readonly { readonly id: Id; readonly last_upload_at: string }[];
  readonly answer: {
    readonly source: 'index' | 'database';
    readonly exact: boolean;
    readonly as_of: string;
    readonly lag_ms: number | null;
    readonly through: string;
  };
}

/** What the site's clients did and saw. */
interface Seen {
  readonly reads: number;
  readonly marks: number;
  readonly uploads: number;
  /** Requests that got no answer from one server and were sent to another. */
  readonly failovers: number;
  /** Exact answers that came from the index. */
  readonly narrowed: number;
  /** Statuses other than 2xx, and answers that are wrong. */
  readonly faults: readonly string[];
}

/** Rows of an answer. */
const LIMIT = 5;

/** Between two requests of a kind, and between two looks of the balancer at /readyz, ms: the processes start beside them. */
const PAUSE_MS = shortOrLong(25, 10);
const PROBE_MS = 50;

/**
 * A site behind a balancer that sends requests in turn to the servers whose /readyz is 200, and a request that got no answer at
 * all to another one: a server that ends refuses connections, and closes idle ones. What is sent may be sent twice.
 */
export class UpgradeTraffic {
  readonly #pool: Pool;
  readonly #contacts: readonly Id[];
  readonly #servers: () => readonly string[];
  readonly #counts = { reads: 0, marks: 0, uploads: 0, failovers: 0, narrowed: 0 };
  readonly #faults: string[] = [];
  /** Of each contact, oldest first: the time of a photo, and when its transaction was known to be committed; ms since 1970 UTC. */
  readonly #uploads = new Map<Id, { readonly at: number; readonly committed: number }[]>();
  readonly #loops: Promise<void>[];
  #ready: readonly string[] = [];
  #newest = Date.now();
  #turn = 0;
  #running = true;

  constructor(pool: Pool, users: readonly Id[], contacts: readonly Id[], servers: () => readonly string[]) {
    this.#pool = pool;
    this.#contacts = contacts;
    this.#servers = servers;
    const userAt = (i: number) => users[i % users.length] as Id;
    this.#loops = [
      this.#repeat(PROBE_MS, () => this.#probe()),
      this.#repeat(PAUSE_MS, (i) => this.#read(userAt(i))),
      this.#repeat(PAUSE_MS, (i) => this.#mark(userAt(i))),
      this.#repeat(PAUSE_MS, (i) => this.#upload(contacts[i % contacts.length] as Id)),
    ];
  }

  get seen(): Seen {
    return { ...this.#counts, faults: this.#faults };
  }

  /** A condition: so many more reads, marks and uploads than now. */
  moreOfEach(count: number): () => boolean {
    const { reads, marks, uploads } = this.#counts;
    const more = (now: number, before: number) => now >= before + count;
    return () => {
      const now = this.#counts;
      return more(now.reads, reads) && more(now.marks, marks) && more(now.uploads, uploads);
    };
  }

  async stop(): Promise<Seen> {
    this.#running = false;
    await Promise.all(this.#loops);
    return this.seen;
  }

  /** Waits until the index of each of these shows everything that was uploaded. */
  async untilAllIsShown(users: readonly Id[]): Promise<void> {
    for (const user of users) {
      await until(async () => {
        const { contacts, answer } = await this.ask(user);
        return answer.source === 'index' && this.#missing(contacts, Number.POSITIVE_INFINITY).length === 0;
      });
    }
  }

  async ask(user: Id): Promise<UpgradeAnswer> {
    const { status, text } = await this.#send(`/v1/users/${user}/contacts/recent?limit=${LIMIT}`);
    if (status !== 200) throw new Error(`${status}: ${text}`);
    return JSON.parse(text);
  }

  async #repeat(ms: number, work: (i: number) => Promise<void>): Promise<void> {
    for (let i = 0; this.#running; i += 1) {
      await work(i).catch((error: Error) => this.#faults.push(String(error)));
      await pause(ms);
    }
  }

  async #probe(): Promise<void> {
    const servers = this.#servers();
    const isReady = (server: string) =>
      fetch(`${server}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      );
    const ready = await Promise.all(servers.map(isReady));
    this.#ready = servers.filter((_, i) => ready[i]);
  }

  async #read(user: Id): Promise<void> {
    const { contacts: rows, answer } = await this.ask(user);
    this.#counts.reads += 1;
    const times = rows.map(({ last_upload_at }) => last_upload_at);
    const isOrdered = times.every((time, i) => i === 0 || time < String(times[i - 1]));
    const isTheirs = rows.every(({ id }) => this.#contacts.includes(id));
    const missing = answer.exact && answer.lag_ms !== null ? this.#missing(rows, boundOf(answer)) : [];
    if (answer.exact && answer.source === 'index') this.#counts.narrowed += 1;
    if (rows.length === LIMIT && isOrdered && isTheirs && missing.length === 0) return;
    this.#faults.push(`wrong, without ${missing.join()}: ${JSON.stringify({ rows, answer })}`);
  }

  async #mark(user: Id): Promise<void> {
    const { through } = (await this.ask(user)).answer;
    const { status, text } = await this.#send(`/v1/users/${user}/contacts/seen`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ through }),
    });
    this.#counts.marks += 1;
    if (status >= 300) this.#faults.push(`${status}: ${text}`);
  }

  async #upload(owner: Id): Promise<void> {
    const at = this.#newest + 1;
    await uploadPhoto(this.#pool, owner, 0, at);
    this.#newest = at;
    this.#uploads.set(owner, [...(this.#uploads.get(owner) ?? []), { at, committed: Date.now() }]);
    this.#counts.uploads += 1;
  }

  /** The contacts that the rows do not show as they must, given what was committed before a moment (ms since 1970 UTC). */
  #missing(rows: UpgradeAnswer['contacts'], before: number): Id[] {
    const shown = new Map(rows.map(({ id, last_upload_at }) => [id, Date.parse(last_upload_at)]));
    const oldest = Math.min(...shown.values());
    return this.#contacts.filter((contact) => {
      const known = this.#uploads.get(contact) ?? [];
      const newest = known.findLast(({ committed }) => committed < before)?.at ?? 0;
      return newest > oldest && (shown.get(contact) ?? 0) < newest;
    });
  }

  async #send(path: string, init: RequestInit = {}): Promise<{ status: number; text: string }> {
    const tried: string[] = [];
    for (;;) {
      const servers = await until(() => (this.#ready.length > 0 ? this.#ready : undefined));
      this.#turn += 1;
      const server = servers[this.#turn % servers.length];
      try {
        const response = await fetch(`${server}${path}`, init);
        return { status: response.status, text: await response.text() };
      } catch (error) {
        tried.push(String(server));
        if (tried.length > 5) throw new Error(`no answer from ${tried.join()}`, { cause: error });
        this.#counts.failovers += 1;
        this.#ready = this.#ready.filter((one) => one !== server);
      }
    }
  }
}

/** What was committed before this is in the answer (docs/exactness.md, "lag_ms bounds"). */
function boundOf({ as_of, lag_ms }: UpgradeAnswer['answer']): number {
  return Date.parse(as_of) - (lag_ms ?? 0);
}
