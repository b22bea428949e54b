import { describe, expect, it } from 'vitest';
import { CONTACTS, GROUPS } from '../../src/contracts/kind.ts';
import type { Database } from '../../src/mysql/database.ts';
import { NOT_SELF } from '../../src/mysql/id-spaces.ts';
import { KIND_NAME, ofKind } from '../../src/mysql/kind-database.ts';

/** Remembers the statements that reach it. */
class Recorder {
  readonly isReplica = false;
  readonly statements: unknown[] = [];
  readonly #deadlineMs = 5;

  get deadlineMs(): number {
    return this.#deadlineMs;
  }

  async rows(statement: string): Promise<unknown[]> {
    this.statements.push(statement);
    return [];
  }

  async transaction(work: (connection: unknown) => Promise<unknown>): Promise<unknown> {
    return await work({ execute: async (statement: unknown) => void this.statements.push(statement) });
  }
}

const recorder = () => {
  const database = new Recorder();
  return { database, groups: ofKind(database as unknown as Database, GROUPS) };
};

describe('a database asked about another kind', () => {
  it('is the database itself for contacts', () => {
    const database = new Recorder() as unknown as Database;
    expect(ofKind(database, CONTACTS)).toBe(database);
  });

  it('has the names of the views and of their columns in every statement', async () => {
    const { database, groups } = recorder();
    await groups.rows(
      `SELECT c.contact_id, c.is_friend, p.owner_id FROM recency_contacts AS c JOIN recency_photos AS p
       ON pair.contact_id = c.contact_id AND recency_photos.owner_id = 1 AND my_contact_id = 'recency.contact.changed'`,
      [],
    );
    expect(database.statements).toEqual([
      `SELECT c.group_id, FALSE, p.group_id FROM recency_groups AS c JOIN recency_group_photos AS p
       ON pair.group_id = c.group_id AND recency_group_photos.group_id = 1 AND my_contact_id = 'recency.group.changed'`,
    ]);
  });

  it('takes a user and a group with the same id for a pair like any other', async () => {
    const { database, groups } = recorder();
    await groups.rows(`SELECT 1 FROM recency_contacts AS c WHERE c.related AND ${NOT_SELF}`, []);
    expect(database.statements).toEqual(['SELECT 1 FROM recency_groups AS c WHERE c.related AND TRUE']);
  });

  it('has its name where a statement means the kind, and in no other text', async () => {
    const { database, groups } = recorder();
    await groups.rows(
      `SELECT 1 FROM seen WHERE kind = ${KIND_NAME} AND table_name = 'contacts' AND title = 'kind'`,
      [],
    );
    expect(database.statements).toEqual([
      "SELECT 1 FROM seen WHERE kind = 'groups' AND table_name = 'contacts' AND title = 'kind'",
    ]);
  });

  it('has them in the statements of a transaction, also in the driver’s form with options', async () => {
    const { database, groups } = recorder();
    await groups.transaction(async (connection) => {
      await connection.execute('SELECT contact_id');
      await connection.execute({ sql: 'SELECT contact_id', rowsAsArray: true });
    });
    expect(database.statements).toEqual(['SELECT group_id', { sql: 'SELECT group_id', rowsAsArray: true }]);
  });

  it('is the same in everything else', () => {
    const { groups } = recorder();
    expect(groups.isReplica).toBe(false);
    expect((groups as unknown as Recorder).deadlineMs).toBe(5);
  });
});
