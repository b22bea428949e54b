import type { Pool, RowDataPacket } from 'mysql2/promise';
import type { Audience } from '../../reference-site/checks.ts';
import type { Journal } from './journal.ts';

const RELATIONSHIPS = 'SELECT user_id, contact_id, is_friend, is_family, active FROM contacts';
const PHOTOS = 'SELECT id, owner_id, audience, uploaded_at FROM photos';

type Row = readonly (string | number)[];

/** Writes into the journal what is there before the play. Nothing may change the site meanwhile. */
export async function rememberSite(pool: Pool, journal: Journal): Promise<void> {
  for (const [user, contact, friend, family, active] of await rowsOf(pool, RELATIONSHIPS)) {
    journal.rememberRelationship(String(user), String(contact), {
      active: Number(active) !== 0,
      friend: Number(friend) !== 0,
      family: Number(family) !== 0,
    });
  }
  for (const [id, owner, audience, at] of await rowsOf(pool, PHOTOS)) {
    journal.rememberPhoto(String(id), String(owner), Number(audience) as Audience, Number(at));
  }
}

async function rowsOf(pool: Pool, statement: string): Promise<Row[]> {
  const [rows] = await pool.query<RowDataPacket[]>({ sql: statement, rowsAsArray: true });
  return rows as unknown as Row[];
}
