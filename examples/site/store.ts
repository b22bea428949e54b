import { writeTask } from '@recency/client/mysql2';
import type { Pool, PoolConnection, RowDataPacket } from 'mysql2/promise';

export interface Person {
  readonly id: string;
  readonly name: string;
}

const PEOPLE = 'SELECT id, name FROM users ORDER BY id LIMIT 100';

const ADD = `
  INSERT INTO contacts (user_id, contact_id, since) VALUES (?, ?, ?)
  ON DUPLICATE KEY UPDATE since = IF(active, since, VALUES(since)), active = TRUE, version = version + 1`;
const REMOVE = 'UPDATE contacts SET active = FALSE, version = version + 1 WHERE user_id = ? AND contact_id = ?';
const VERSION = 'SELECT version FROM contacts WHERE user_id = ? AND contact_id = ?';

// The owner's row is locked first, so that the newest photo is that of everything committed.
const LOCK = 'SELECT id FROM users WHERE id = ? FOR UPDATE';
const UPLOAD = 'INSERT INTO photos (owner_id, audience, uploaded_at, title) VALUES (?, 0, ?, ?)';
const NEWEST = 'UPDATE users SET last_public_at = GREATEST(last_public_at, ?) WHERE id = ?';

/** The site's data, in the reference schema. Each change leaves its task in the same transaction, and returns the token. */
export class Store {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** The first 100. Those without a name, such as the tutorial's, are called by their ids. */
  async people(): Promise<Person[]> {
    const [rows] = await this.#pool.query<RowDataPacket[]>(PEOPLE);
    return rows.map(({ id, name }) => ({ id: String(id), name: name === '' ? `person ${id}` : name }));
  }

  /** @param now ms since 1970 UTC: when the relationship begins, if there is none; nothing older is new to the user */
  addContact(user: string, contact: string, now: number): Promise<string> {
    return this.#change(async (connection) => {
      await connection.execute(ADD, [user, contact, now]);
      const version = await versionOf(connection, user, contact);
      return await writeTask(connection, { type: 'recency.contact.added', user, contact, version });
    });
  }

  removeContact(user: string, contact: string): Promise<string> {
    return this.#change(async (connection) => {
      await connection.execute(REMOVE, [user, contact]);
      const version = await versionOf(connection, user, contact);
      return await writeTask(connection, { type: 'recency.contact.removed', user, contact, version });
    });
  }

  /** @param at ms since 1970 UTC */
  upload(owner: string, at: number, title: string): Promise<string> {
    return this.#change(async (connection) => {
      await connection.execute(LOCK, [owner]);
      await connection.execute(UPLOAD, [owner, at, title]);
      await connection.execute(NEWEST, [at, owner]);
      return await writeTask(connection, { type: 'recency.photo.uploaded', owner, at });
    });
  }

  async #change<T>(work: (connection: PoolConnection) => Promise<T>): Promise<T> {
    const connection = await this.#pool.getConnection();
    try {
      await connection.beginTransaction();
      const result = await work(connection);
      await connection.commit();
      connection.release();
      return result;
    } catch (error) {
      connection.destroy(); // which rolls back
      throw error;
    }
  }
}

async function versionOf(connection: PoolConnection, user: string, contact: string): Promise<string> {
  const [rows] = await connection.execute<RowDataPacket[]>(VERSION, [user, contact]);
  if (rows[0] === undefined) throw new Error(`${user} and ${contact} have no relationship`);
  return String(rows[0].version);
}
