import type { Id } from '../../../contracts/id.ts';
import { run } from '../../../index/protocol.ts';
import { rebuild } from '../../../index/rebuild.ts';
import { fillRecipeIndex } from '../../harness/arms/fill-recipe-index.ts';
import { RecipeIndex } from '../../harness/arms/recipe-index.ts';
import type { NewContact } from '../../reference-site/bulk.ts';
import { loadGraph } from '../../reference-site/load-graph.ts';
import type { Ground } from '../ground.ts';
import { ids } from '../people.ts';

/** A user whose answers are measured. */
export interface Reader {
  readonly user: Id;
  readonly contacts: number;
}

const FIRST_READER = 10_000_000n;
const FIRST_PERSON = 20_000_000n;
const FIRST_ORDINARY = 60_000_000n;

/** Every so many-th contact has the reader as a contact too, and every so many-th of those as a friend. */
const BACK = 3;
const FRIEND = 5;

/** What an ordinary user has, so that the tables' statistics are those of a site and not of a few heavy users. */
const CONTACTS_OF_ORDINARY = 20;

const HOUR_MS = 3_600_000;

/**
 * Users with exactly so many contacts, among ordinary ones; each contact has one photo for everybody, in no order of the
 * ids. Both Recency and the recipe have their index of each reader.
 */
export async function gatherReaders(
  ground: Ground,
  { contacts, ordinary }: { contacts: readonly number[]; ordinary: number },
): Promise<Reader[]> {
  const { stores, place } = ground;
  const readers = ids(FIRST_READER, contacts.length).map((user, i) => ({ user, contacts: contacts[i] ?? 0 }));
  const people = ids(FIRST_PERSON, Math.max(...contacts));
  const others = ids(FIRST_ORDINARY, ordinary);
  const now = Date.now();
  await loadGraph(stores.pool, {
    users: [...readers.map(({ user }) => user), ...people, ...others].map((id) => ({ id })),
    contacts: [
      ...readers.flatMap((reader) => relationshipsOf(reader, people)),
      ...others.flatMap((user, place) => ordinaryContacts(user, place, people)),
    ],
    photos: people.map((owner, place) => ({ owner, audience: 0, uploadedAt: now - HOUR_MS - hashed(place) })),
  });
  await stores.pool.query('ANALYZE TABLE contacts, users, photos');
  await run(rebuild(readers.map(({ user }) => user)), stores.steps);
  const { keyPrefix: prefix, max } = place.config;
  const recipe = new RecipeIndex(stores.redis, { prefix, max });
  for (const { user } of readers) await fillRecipeIndex(recipe, stores.primary, user, max);
  return readers;
}

/** Spread over all people. */
function relationshipsOf({ user, contacts }: Reader, people: readonly Id[]): NewContact[] {
  const chosen = people.filter(
    (_, place) =>
      Math.floor((place * contacts) / people.length) !== Math.floor(((place - 1) * contacts) / people.length),
  );
  const back = chosen.filter((_, place) => place % BACK === 0);
  return [
    ...chosen.map((contact) => ({ user, contact })),
    ...back.map((contact, place) => ({ user: contact, contact: user, friend: place % FRIEND === 0 })),
  ];
}

function ordinaryContacts(user: Id, place: number, people: readonly Id[]): NewContact[] {
  const chosen = new Set<Id>();
  for (let i = 0; i < CONTACTS_OF_ORDINARY; i++) {
    const contact = people[hashed(place * CONTACTS_OF_ORDINARY + i) % people.length];
    if (contact !== undefined) chosen.add(contact);
  }
  return [...chosen].map((contact) => ({ user, contact }));
}

/** A whole number below 2^31, the same for the same place (Knuth's multiplicative hash). */
function hashed(place: number): number {
  return Math.imul(place, 0x9e3779b1) >>> 1;
}
