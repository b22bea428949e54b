import type { Id } from '../../../contracts/id.ts';
import type { NewContact, NewPhoto } from '../../reference-site/bulk.ts';
import type { Graph } from '../../reference-site/load-graph.ts';
import { type Random, shuffled } from '../random.ts';
import { type Cast, idsFrom } from './cast.ts';
import { anyGrant, photosOf } from './players-graph.ts';

/** Numbers of contacts in the latency table, beside the most of all. */
const MEASURED_CONTACTS = [10, 1_000];

/** To so many people the star gives something, so that some of the followers see more than the others. */
const CONTACTS_OF_STAR = 200;

/** Of the people, so many follow the star. */
const FOLLOWERS = 0.5;

/** Every so many-th of them has the user with the most contacts as a contact too. */
const FOLLOWS_BACK = 4;

export interface CastOptions {
  readonly players: readonly Id[];
  /** Above every id in use. */
  readonly firstNewId: bigint;
  /** Contacts of the user who has the most; half as many follow the star. */
  readonly most: number;
  readonly random: Random;
  /** ms since 1970 UTC. */
  readonly now: number;
}

/**
 * Adds those who are measured, the star whom so many follow, and as many more people as it takes for the one with the
 * most contacts to have them. The contacts of whoever has the fewest show a photo to everybody, so that the answers that
 * are measured are of one length.
 */
export function castGraph(options: CastOptions): { cast: Cast; graph: Required<Graph> } {
  const { players, firstNewId, most, random, now } = options;
  const sizes = [...MEASURED_CONTACTS.filter((size) => size < most), most];
  const [star = '', ...added] = idsFrom(firstNewId, 1 + sizes.length + Math.max(0, most - players.length));
  const measured = sizes.map((contacts, i) => ({ contacts, user: added[i] ?? '' }));
  const people = [...players, ...added.slice(sizes.length)].slice(0, most);
  const followers = people.slice(0, Math.ceil(people.length * FOLLOWERS));
  const measuredContacts = measured.map(({ user, contacts: size }) => contactsOf(user, size, people));
  const contacts = [
    ...measuredContacts.flat(),
    ...followers.map((user) => ({ user, contact: star })),
    ...followingBack(followers, measured.at(-1)?.user ?? '', random),
    ...shuffled(random, people)
      .slice(0, CONTACTS_OF_STAR)
      .map((contact) => ({ user: star, contact, ...anyGrant(random) })),
  ];
  const photos: NewPhoto[] = [
    ...[star, ...added].flatMap((owner) => photosOf(owner, random, now)),
    ...(measuredContacts[0] ?? []).map(({ contact }) => ({ owner: contact, audience: 0 as const, uploadedAt: now })),
  ];
  const users = [star, ...added].map((id) => ({ id }));
  return { cast: { players, measured, star, followersOfStar: followers }, graph: { users, contacts, photos } };
}

/** The last of the people by preference: the play changes those the least. */
function contactsOf(user: Id, size: number, people: readonly Id[]): NewContact[] {
  return people.slice(-size).map((contact) => ({ user, contact }));
}

function followingBack(people: readonly Id[], contact: Id, random: Random): NewContact[] {
  return people
    .filter((_, place) => place % FOLLOWS_BACK === 0)
    .map((user) => ({ user, contact, ...anyGrant(random) }));
}
