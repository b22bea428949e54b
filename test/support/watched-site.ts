import type { Pool } from 'mysql2/promise';
import { expect } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { Ledger } from '../../src/tools/harness/push-ledger.ts';
import { uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { until } from './until.ts';

const [EVERYBODY, NOBODY] = [0, 4] as const;

/** Users who all have the same contacts and a watch each, and an account of what they were told of the contacts' uploads. */
export class WatchedSite {
  readonly #pool: Pool;
  readonly #users: readonly Id[];
  readonly #contacts: readonly Id[];
  readonly #ledger = new Ledger();
  #at = 1_000;
  #photos = 0;

  constructor(pool: Pool, users: readonly Id[], contacts: readonly Id[]) {
    this.#pool = pool;
    this.#users = users;
    this.#contacts = contacts;
  }

  /** Creates the watches, and waits until each has recorded its first head. @param api URL */
  async watch(api: string, channel: object): Promise<void> {
    for (const user of this.#users) {
      const body = JSON.stringify({ user, ...channel });
      const headers = { 'content-type': 'application/json' };
      expect((await fetch(`${api}/v1/watches`, { method: 'POST', headers, body })).status).toBe(201);
    }
    await until(async () => (await this.count("told = '{}' OR due_at IS NOT NULL")) === 0);
  }

  /** Watches with such a row. */
  async count(where: string): Promise<number> {
    const [rows] = await this.#pool.query(`SELECT 1 FROM recency_watches WHERE ${where}`);
    return (rows as unknown[]).length;
  }

  /** A notification has been received. @param body of it, as JSON */
  receive(notification: string, body: string): void {
    const { user, sources } = JSON.parse(body).data;
    for (const { id, last_upload_at } of sources) {
      const at = Date.parse(last_upload_at);
      this.#ledger.told({ user, contact: id, at, notification, receivedAt: 0 });
    }
  }

  /** Each contact uploads a photo, some of which only their owners may see. */
  async uploads(): Promise<void> {
    await Promise.all(
      this.#contacts.map(async (owner) => {
        this.#at += 1_000;
        const [at, isVisible] = [this.#at, ++this.#photos % 4 !== 0];
        await uploadPhoto(this.#pool, owner, isVisible ? EVERYBODY : NOBODY, at);
        this.#ledger.upload({ owner, at, isVisible, committedAt: 0 });
      }),
    );
  }

  /** Waits until everybody has been told of everything; of nothing else, and of nothing twice but under one id. */
  async allTold(): Promise<void> {
    const followers = () => this.#users;
    const isComplete = async () => this.#ledger.isComplete(followers);
    await until(isComplete, { interval: 100, what: 'everybody told' });
    expect(this.#ledger.account(followers)).toMatchObject({ missed: 0, wrongIds: 0, notVisible: 0 });
  }
}
