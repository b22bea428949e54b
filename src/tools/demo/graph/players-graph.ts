import type { Id } from '../../../contracts/id.ts';
import type { NewContact, NewPhoto } from '../../reference-site/bulk.ts';
import type { Audience } from '../../reference-site/checks.ts';
import type { Graph } from '../../reference-site/load-graph.ts';
import { between, powerLaw, type Random } from '../random.ts';

const FEWEST_CONTACTS = 3;
const MOST_CONTACTS = 2_000;
const MOST_PHOTOS = 4;
const DAYS_OF_PHOTOS = 60;

/** Of ten photos: five for everybody, four for a circle, one for nobody. */
const AUDIENCES: readonly Audience[] = [0, 0, 0, 0, 0, 1, 1, 2, 3, 4];

/**
 * People who know each other: most have a few contacts, a few have very many, and some are the contacts of many.
 * @param now ms since 1970 UTC: their photos are older
 */
export function playersGraph(players: readonly Id[], random: Random, now: number): Required<Graph> {
  const contacts = players.flatMap((user) => contactsOf(user, players, random));
  const photos = players.flatMap((owner) => photosOf(owner, random, now));
  return { users: players.map((id) => ({ id })), contacts, photos };
}

function contactsOf(user: Id, players: readonly Id[], random: Random): NewContact[] {
  const others = players.length - 1;
  const wanted = Math.min(powerLaw(random, FEWEST_CONTACTS, MOST_CONTACTS), Math.floor(others / 2));
  const chosen = new Set<Id>();
  while (chosen.size < wanted) {
    const contact = players[popularPlace(players.length, random)];
    if (contact !== undefined && contact !== user) chosen.add(contact);
  }
  return [...chosen].map((contact) => ({ user, contact, ...anyGrant(random) }));
}

/** The first places are drawn far more often than the last ones, so that the numbers of followers are a power law too. */
function popularPlace(places: number, random: Random): number {
  return Math.floor(places * random() ** 2);
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
