/** Reads and uploads of a site while its processes are replaced. */
import process from 'node:process';
import type { Pool } from 'mysql2/promise';
import type { Id } from '../../src/contracts/id.ts';
import { uploadPhoto } from '../../src/tools/reference-site/photos.ts';

/** What the site's clients saw. */
export interface Seen {
  answers: number;
  /** Answers that came after another server had gone. */
  failovers: number;
  /** Statuses other than 200, and rows of people who are no contacts. */
  readonly faults: string[];
}

/**
 * A site whose balancer sends each request to the next server on its list, and again to another one if it gets no answer at
 * all: a server that ends refuses connections, and closes idle ones.
 */
export class UpgradeTraffic {
  readonly seen: Seen = { answers: 0, failovers: 0, faults: [] };
  /** The time of the newest photo, ms since 1970 UTC. */
  newest = Date.now();
  #servers: readonly string[] = [];
  #turn = 0;
  #running = true;
  readonly #loops: Promise<void>[];

  constructor(pool: Pool, users: readonly Id[], contacts: readonly Id[], servers: readonly string[]) {
    this.#servers = servers;
    const read = async (i: number) => this.#read(users[i % users.length] as Id, contacts);
    const upload = async (i: number) => {
      await uploadPhoto(pool, contacts[i % contacts.length] as Id, 0, this.newest + 1);
      this.newest += 1;
    };
    this.#loops = [this.#repeat(read), this.#repeat(read), this.#repeat(upload)];
  }

  /** The servers that the balancer knows from now on. */
  set servers(servers: readonly string[]) {
    this.#servers = servers;
  }

  async stop(): Promise<Seen> {
    this.#running = false;
    await Promise.all(this.#loops);
    return this.seen;
  }

  async #repeat(work: (i: number) => Promise<void>): Promise<void> {
    for (let i = 0; this.#running; i += 1) {
      await work(i);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async #read(user: Id, contacts: readonly Id[]): Promise<void> {
    const { status, text } = await this.#ask(`/v1/users/${user}/contacts/recent?limit=5`);
    this.seen.answers += 1;
    if (status !== 200) return void this.seen.faults.push(`${status}: ${text}`);
    const rows: { id: Id; last_upload_at: string }[] = JSON.parse(text).contacts;
    const times = rows.map(({ last_upload_at }) => last_upload_at);
    const isOrdered = times.every((time, i) => i === 0 || time <= String(times[i - 1]));
    if (rows.length !== 5 || !isOrdered || !rows.every(({ id }) => contacts.includes(id))) {
      this.seen.faults.push(`wrong: ${text}`);
    }
  }

  async #ask(path: string): Promise<{ status: number; text: string }> {
    for (let tries = 1; ; tries += 1) {
      this.#turn += 1;
      const server = this.#servers[this.#turn % this.#servers.length];
      try {
        const response = await fetch(`${server}${path}`);
        return { status: response.status, text: await response.text() };
      } catch (error) {
        if (tries > 2 * this.#servers.length) throw error;
        this.seen.failovers += 1;
      }
    }
  }
}

/** The tarball of the version before, where a run is given one; otherwise the one of this tree stands for it. */
export const oldTarball = (): string | undefined => process.env.OLD_TARBALL;
