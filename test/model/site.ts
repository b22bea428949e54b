import type { Pool } from 'mysql2/promise';
import type { Id } from '../../src/contracts/id.ts';
import { Journal, type RelationshipState } from '../../src/tools/demo/play/journal.ts';
import type { JournalPhoto } from '../../src/tools/demo/play/journal-photo.ts';
import { loadGraph } from '../../src/tools/reference-site/load-graph.ts';
import { loadGroups } from '../../src/tools/reference-site/load-groups.ts';
import { inTransaction } from '../../src/tools/reference-site/transaction.ts';
import { CAST, GROUPS, timeAt } from './cast.ts';

/** The site under test and its journal. */
export interface Site {
  readonly pool: Pool;
  readonly journal: Journal;
  /** Deleted users. */
  readonly absent: Set<Id>;
}

const TABLES = [
  ...['group_pools', 'memberships', 'user_groups', 'photos', 'contacts', 'users'],
  ...['recency_outbox', 'recency_seen'],
];

/**
 * Sets the initial state of a history: everybody is everybody's contact, is in every group, and has one photo; each group has
 * one of these photos.
 */
export async function newSite(pool: Pool, now: () => number): Promise<Site> {
  await inTransaction(pool, async (connection) => {
    for (const table of TABLES) await connection.query(`DELETE FROM ${table}`);
  });
  const pairs = CAST.flatMap((user) => CAST.filter((other) => other !== user).map((contact) => ({ user, contact })));
  const photos = CAST.map((owner, i) => ({ owner, audience: 0, uploadedAt: timeAt(i + 1) }) as const);
  await loadGraph(pool, { users: CAST.map((id) => ({ id })), contacts: pairs, photos });
  const journal = new Journal(now);
  for (const { user, contact } of pairs) {
    journal.rememberRelationship(user, contact, { active: true, friend: false, family: false });
  }
  const [rows] = await pool.query({ sql: 'SELECT id, owner_id, uploaded_at FROM photos', rowsAsArray: true });
  const remembered = (rows as unknown as (string | number)[][]).map(([id, owner, at]) =>
    journal.rememberPhoto(String(id), String(owner), 0, Number(at)),
  );
  await fillGroups(pool, journal, remembered);
  return { pool, journal, absent: new Set() };
}

async function fillGroups(pool: Pool, { groups }: Journal, photos: readonly JournalPhoto[]): Promise<void> {
  const memberships = CAST.flatMap((user) => GROUPS.map((group) => ({ user, group })));
  const pooled = GROUPS.flatMap((group, i) => {
    const [photo, addedAt] = [photos[i], timeAt(i + 2)];
    if (photo?.id === undefined) return [];
    groups.rememberPooled(group, photo, addedAt);
    return [{ group, photo: photo.id, addedAt }];
  });
  await loadGroups(pool, { groups: GROUPS.map((id) => ({ id })), memberships, pooled });
  for (const { user, group } of memberships) groups.rememberMembership(user, group, true);
}

/** The end of the user's memberships in these groups in one transaction, as the journal sees it. */
export async function leavingAll(
  { groups }: Journal,
  user: Id,
  left: readonly Id[],
  commit: () => Promise<unknown>,
): Promise<void> {
  let change = commit;
  for (const group of left) {
    const inner = change;
    change = () => groups.changeMembership(user, group, false, inner);
  }
  await change();
}

/** A change of several things in one transaction, as the journal sees it. */
export async function changingAll(
  journal: Journal,
  relationships: readonly { user: Id; contact: Id; state: RelationshipState }[],
  gone: readonly JournalPhoto[],
  commit: () => Promise<unknown>,
): Promise<void> {
  let change = commit;
  for (const { user, contact, state } of relationships) {
    const inner = change;
    change = () => journal.changeRelationship(user, contact, state, inner);
  }
  for (const photo of gone) {
    const inner = change;
    change = () => journal.changePhoto(photo, undefined, inner);
  }
  await change();
}
