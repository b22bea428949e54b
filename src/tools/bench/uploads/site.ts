import type { Id } from '../../../contracts/id.ts';
import type { HarnessStores } from '../../harness/stores.ts';
import { idsFrom, loadGraph, type NewContact, type NewPhoto } from '../../reference-site/load-graph.ts';

export interface UploadsSite {
  /** Has all of the people as contacts. */
  readonly user: Id;
  /** Is a contact of all of the people, who are sorted by their ids. */
  readonly owner: Id;
  readonly people: readonly Id[];
}

const USER: Id = '10000000';
const OWNER: Id = '10000001';
const FIRST_PERSON = 20_000_000n;

const PHOTOS_EACH = 5;

/** The audiences of the people's photos, in turn: 6 in 10 are public. */
const AUDIENCES = [0, 1, 0, 2, 0, 3, 0, 4, 0, 0] as const;

const HOUR_MS = 3_600_000;

/** Prime, so that the times are in no order of the ids. */
const STEP = 7_919;

/** One user with many contacts, and one owner with as many followers. Half of all pairs grant something: friend, family or both. */
export async function gatherUploads({ pool }: HarnessStores, count: number): Promise<UploadsSite> {
  const people = idsFrom(FIRST_PERSON, count);
  await loadGraph(pool, {
    users: [USER, OWNER, ...people].map((id) => ({ id })),
    contacts: people.flatMap((person, position): NewContact[] => [
      { user: USER, contact: person },
      { user: person, contact: OWNER },
      ...(position % 2 === 0 ? [granted(person, USER, position), granted(OWNER, person, position)] : []),
    ]),
    photos: [...people, OWNER].flatMap(photosOf),
  });
  await pool.query('ANALYZE TABLE contacts, users, photos');
  return { user: USER, owner: OWNER, people };
}

function granted(user: Id, contact: Id, position: number): NewContact {
  const grant = 1 + ((position / 2) % 3);
  return { user, contact, friend: (grant & 1) !== 0, family: (grant & 2) !== 0 };
}

function photosOf(owner: Id, position: number, all: readonly Id[]): NewPhoto[] {
  const begin = Date.now() - HOUR_MS;
  return Array.from({ length: PHOTOS_EACH }, (_, i) => {
    const place = position * PHOTOS_EACH + i;
    const audience = AUDIENCES[(place * STEP) % AUDIENCES.length] ?? 0;
    return { owner, audience, uploadedAt: begin - ((place * STEP) % (all.length * PHOTOS_EACH)) };
  });
}
