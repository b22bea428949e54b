import type { Pool } from 'mysql2/promise';
import type { Id } from '../../src/contracts/id.ts';
import { byKeyDescending } from '../../src/contracts/key.ts';
import { isWanted, type Relation } from '../../src/contracts/relation.ts';
import { recomputeLastUploads } from '../../src/tools/reference-site/last-uploads.ts';
import { inTransaction, openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { closeAtEnd } from './servers.ts';

/** One row of relationships. */
export interface Tie {
  readonly user: Id;
  readonly contact: Id;
  readonly friend: boolean;
  readonly family: boolean;
  readonly active: boolean;
  /** When it began, ms since 1970 UTC; undefined: before that was recorded. */
  readonly since?: number | undefined;
}

export interface SitePhoto {
  readonly id: Id;
  readonly owner: Id;
  /** 0 public, 1 friends, 2 family, 3 friends or family, 4 private. */
  readonly audience: number;
  readonly at: number;
}

/** A whole site, small enough to predict every answer without asking MySQL. */
export interface SmallSite {
  readonly users: readonly Id[];
  readonly ties: readonly Tie[];
  readonly photos: readonly SitePhoto[];
}

export function freshSitePool(url: string): Pool {
  const pool = openSitePool(url, 3);
  closeAtEnd(() => pool.end());
  return pool;
}

/** Replaces the contents of the reference tables. */
export async function writeSite(pool: Pool, { users, ties, photos }: SmallSite): Promise<void> {
  await inTransaction(pool, async (connection) => {
    const insert = async (statement: string, rows: readonly unknown[][]) => {
      for (let from = 0; from < rows.length; from += 1_000) {
        await connection.query(statement, [rows.slice(from, from + 1_000)]);
      }
    };
    for (const table of ['users', 'contacts', 'photos']) await connection.query(`DELETE FROM ${table}`);
    await insert(
      'INSERT INTO users (id) VALUES ?',
      users.map((id) => [id]),
    );
    await insert(
      'INSERT INTO contacts (user_id, contact_id, is_friend, is_family, active, since) VALUES ?',
      ties.map((tie) => [tie.user, tie.contact, tie.friend, tie.family, tie.active, tie.since ?? 0]),
    );
    await insert(
      'INSERT INTO photos (id, owner_id, audience, uploaded_at, title) VALUES ?',
      photos.map((photo) => [photo.id, photo.owner, photo.audience, photo.at, `photo ${photo.id}`]),
    );
    await recomputeLastUploads(connection, users);
  });
}

/** The photos of an owner that a user may see, newest first; for equal times, the greater id first. */
export function visiblePhotos({ ties, photos }: SmallSite, user: Id, owner: Id): SitePhoto[] {
  const grant = ties.find((tie) => tie.user === owner && tie.contact === user && tie.active);
  const friend = grant?.friend ?? false;
  const family = grant?.family ?? false;
  const open = [true, friend, family, friend || family, false];
  return photos
    .filter((photo) => photo.owner === owner && open[photo.audience])
    .sort((a, b) => b.at - a.at || Number(BigInt(b.id) - BigInt(a.id)));
}

/** A contact with a photo that the user may see. */
interface RankedContact {
  readonly id: Id;
  readonly at: number;
  readonly isFriend: boolean;
  readonly isFamily: boolean;
  readonly unseen: boolean;
}

/** The whole recency list that a user must get who has seen nothing. */
export function rankedContacts(site: SmallSite, user: Id, relation: Relation): RankedContact[] {
  return site.ties
    .filter((tie) => tie.user === user && tie.active)
    .map((tie) => ({
      id: tie.contact,
      at: visiblePhotos(site, user, tie.contact)[0]?.at ?? 0,
      isFriend: tie.friend,
      isFamily: tie.family,
      unseen: true,
    }))
    .filter((contact) => contact.at > 0 && isWanted(relation, contact))
    .sort(byKeyDescending);
}

/** A site where each user has all of the contacts. Each contact has one public photo, the later in the list the newer. */
export function everybodyKnows(users: readonly Id[], contacts: readonly Id[]): SmallSite {
  return {
    users: [...users, ...contacts],
    ties: users.flatMap((user) =>
      contacts.map((contact) => ({ user, contact, friend: false, family: false, active: true })),
    ),
    photos: contacts.map((owner, i) => ({ id: owner, owner, audience: 0, at: 1_000 + i })),
  };
}
