import type { Id } from '../../contracts/id.ts';
import type { Audience } from '../reference-site/checks.ts';
import { type Graph, idsFrom, type NewContact, type NewPhoto } from '../reference-site/load-graph.ts';
import { between, powerLaw, type Random, shuffled } from './random.ts';

/** The people of the demonstration by role. */
export interface Cast {
  /** Their relationships and photos change during the play. */
  readonly players: readonly Id[];
  /** Users with exactly this many contacts, which the play does not change: for the latency table, fewest first. */
  readonly measured: readonly { readonly user: Id; readonly contacts: number }[];
  /** The person with the most followers. */
  readonly star: Id;
  /** In the order in which a fan-out visits them. */
  readonly followersOfStar: readonly Id[];
}

/** Numbers of contacts in the latency table, besides the maximum. */
const MEASURED_CONTACTS = [10, 1_000];

/** Contacts of the star, some of whom see more photos than the others. */
const CONTACTS_OF_STAR = 200;

/** Share of the people who follow the star. */
const FOLLOWERS = 0.5;

/** One in this many followers also has the user with the most contacts as a contact. */
const FOLLOWS_BACK = 4;

export interface CastOptions {
  readonly players: readonly Id[];
  /** Greater than every id in use. */
  readonly firstNewId: bigint;
  /** Contacts of the user who has the most; half as many people follow the star. */
  readonly most: number;
  readonly random: Random;
  /** ms since 1970 UTC. */
  readonly now: number;
}

/**
 * Adds the measured users, the star, and as many more people as the user with the most contacts needs. The contacts of
 * the user with the fewest show a photo to everybody, so that all measured answers have the same length.
 */
export function castGraph(options: CastOptions): { cast: Cast; graph: Required<Graph> } {
  const { players, firstNewId, most, random, now } = options;
  const sizes = [...MEASURED_CONTACTS.filter((size) => size < most), most];
  const [star = '', ...added] = idsFrom(firstNewId, 1 + sizes.length + Math.max(0, most - players.length));
  const measured = sizes.map((contacts, i) => ({ contacts, user: added[i] ?? '' }));
  const people = [...players, ...added.slice(sizes.length)].slice(0, most);
  const followers = people.slice(0, Math.ceil(people.length * FOLLOWERS));
  const measuredContacts = measured.map(
    ({ user, contacts: size }) => people.slice(-size).map((contact) => ({ user, contact })), // the last of the people, whom the play changes least
  );
  const contacts = [
    ...measuredContacts.flat(),
    ...followers.map((user) => ({ user, contact: star })),
    ...followers
      .filter((_, position) => position % FOLLOWS_BACK === 0)
      .map((user) => ({ user, contact: measured.at(-1)?.user ?? '', ...anyGrant(random) })),
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

const FEWEST_CONTACTS = 3;
const MOST_CONTACTS = 2_000;
const MOST_PHOTOS = 4;
const DAYS_OF_PHOTOS = 60;

/** Of ten photos, five are for everybody, four for a circle, one is private. */
const AUDIENCES: readonly Audience[] = [0, 0, 0, 0, 0, 1, 1, 2, 3, 4];

/**
 * People who know each other: most have a few contacts, a few have very many, and some have many followers.
 * @param now ms since 1970 UTC: their photos are older
 */
export function playersGraph(players: readonly Id[], random: Random, now: number): Required<Graph> {
  const contacts = players.flatMap((user) => drawnContacts(user, players, random));
  const photos = players.flatMap((owner) => photosOf(owner, random, now));
  return { users: players.map((id) => ({ id })), contacts, photos };
}

function drawnContacts(user: Id, players: readonly Id[], random: Random): NewContact[] {
  const others = players.length - 1;
  const wanted = Math.min(powerLaw(random, FEWEST_CONTACTS, MOST_CONTACTS), Math.floor(others / 2));
  const chosen = new Set<Id>();
  while (chosen.size < wanted) {
    // Favours the first players strongly, so that the numbers of followers follow a power law too.
    const contact = players[Math.floor(players.length * random() ** 2)];
    if (contact !== undefined && contact !== user) chosen.add(contact);
  }
  return [...chosen].map((contact) => ({ user, contact, ...anyGrant(random) }));
}

export function anyGrant(random: Random): { friend: boolean; family: boolean } {
  return { friend: random() < 0.25, family: random() < 0.12 };
}

export function anyAudience(random: Random): Audience {
  return AUDIENCES[Math.floor(random() * AUDIENCES.length)] ?? 0;
}

export function photosOf(owner: Id, random: Random, now: number): NewPhoto[] {
  return Array.from({ length: between(random, 1, MOST_PHOTOS) }, () => ({
    owner,
    audience: anyAudience(random),
    uploadedAt: now - between(random, 1, DAYS_OF_PHOTOS * 86_400_000),
  }));
}
