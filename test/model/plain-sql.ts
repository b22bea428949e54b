import type { Pool } from 'mysql2/promise';
import type { Id } from '../../src/contracts/id.ts';
import { byKeyDescending, type Key } from '../../src/contracts/key.ts';
import { isWanted, type Relation } from '../../src/contracts/relation.ts';

/** A contact, or a group, according to the site's own tables, without Recency's views and their columns. */
export interface PlainContact extends Key {
  readonly isFriend: boolean;
  readonly isFamily: boolean;
  /** The newest of the photos is later than what the user has seen, and than the beginning of the relationship. */
  readonly unseen: boolean;
  /** The photos that the user may see: newest first; for equal times, the greater id first. */
  readonly photos: readonly { readonly id: Id; readonly at: number }[];
}

const VISIBLE = `
  SELECT c.user_id, c.contact_id, c.is_friend, c.is_family, p.id, p.uploaded_at,
         p.uploaded_at > c.since
           AND p.uploaded_at > COALESCE(
             (SELECT own.seen_at FROM recency_seen AS own
              WHERE own.user_id = c.user_id AND own.kind = 'contacts' AND own.source_id = c.contact_id), 0)
           AND NOT EXISTS
             (SELECT * FROM recency_seen AS for_all
              WHERE for_all.user_id = c.user_id AND for_all.kind = 'contacts' AND for_all.source_id = 0
                AND (p.uploaded_at < for_all.seen_at OR p.uploaded_at = for_all.seen_at
                     AND CAST(c.contact_id AS BINARY) <= CAST(for_all.seen_id AS BINARY)))
  FROM contacts AS c
  JOIN users AS u ON u.id = c.contact_id
  JOIN photos AS p ON p.owner_id = c.contact_id
  LEFT JOIN contacts AS granted
    ON granted.user_id = c.contact_id AND granted.contact_id = c.user_id AND granted.active
  WHERE c.active
    AND (p.audience = 0
      OR p.audience IN (1, 3) AND COALESCE(granted.is_friend, 0)
      OR p.audience IN (2, 3) AND COALESCE(granted.is_family, 0))
  ORDER BY p.uploaded_at DESC, p.id DESC`;

// What is public of the pools; whether it is, the photo itself says.
const VISIBLE_IN_GROUPS = `
  SELECT m.user_id, m.group_id, FALSE, FALSE, p.id, pooled.added_at,
         pooled.added_at > m.since
           AND pooled.added_at > COALESCE(
             (SELECT own.seen_at FROM recency_seen AS own
              WHERE own.user_id = m.user_id AND own.kind = 'groups' AND own.source_id = m.group_id), 0)
           AND NOT EXISTS
             (SELECT * FROM recency_seen AS for_all
              WHERE for_all.user_id = m.user_id AND for_all.kind = 'groups' AND for_all.source_id = 0
                AND (pooled.added_at < for_all.seen_at OR pooled.added_at = for_all.seen_at
                     AND CAST(m.group_id AS BINARY) <= CAST(for_all.seen_id AS BINARY)))
  FROM memberships AS m
  JOIN user_groups AS g ON g.id = m.group_id
  JOIN group_pools AS pooled ON pooled.group_id = m.group_id
  JOIN photos AS p ON p.id = pooled.photo_id
  WHERE m.active AND p.audience = 0
  ORDER BY pooled.added_at DESC, p.id DESC`;

/** Everybody's contacts with a visible photo, highest key first: the reference for every index and answer. */
export function readPlainSql(pool: Pool): Promise<Map<Id, PlainContact[]>> {
  return readVisible(pool, VISIBLE);
}

/** The same of everybody's groups. */
export function readPlainGroups(pool: Pool): Promise<Map<Id, PlainContact[]>> {
  return readVisible(pool, VISIBLE_IN_GROUPS);
}

async function readVisible(pool: Pool, statement: string): Promise<Map<Id, PlainContact[]>> {
  const [rows] = await pool.query({ sql: statement, rowsAsArray: true });
  const found = new Map<Id, Map<Id, PlainContact & { photos: { id: Id; at: number }[] }>>();
  for (const [user, contact, isFriend, isFamily, photo, at, unseen] of rows as unknown as (string | number)[][]) {
    const contacts = found.get(String(user)) ?? new Map();
    found.set(String(user), contacts);
    const one = contacts.get(String(contact)) ?? {
      ...{ id: String(contact), at: Number(at), isFriend: Number(isFriend) !== 0, isFamily: Number(isFamily) !== 0 },
      unseen: Number(unseen) !== 0,
      photos: [],
    };
    contacts.set(String(contact), one);
    one.photos.push({ id: String(photo), at: Number(at) });
  }
  return new Map([...found].map(([user, contacts]) => [user, [...contacts.values()].sort(byKeyDescending)]));
}

export function wanted(contacts: readonly PlainContact[], relation: Relation): PlainContact[] {
  return contacts.filter((contact) => isWanted(relation, contact));
}
