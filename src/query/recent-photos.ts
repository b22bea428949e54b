import type { Id } from '../contracts/id.ts';
import { byKeyDescending } from '../contracts/key.ts';
import { isWanted, type Relation } from '../contracts/relation.ts';
import type { LiveContact } from '../mysql/contacts.ts';
import type { Database } from '../mysql/database.ts';
import { type ContactPhotos, readPhotos } from '../mysql/photos.ts';
import type { Deadline } from '../timing/deadline.ts';
import type { RecentAnswer, RecentContacts } from './recent-contacts.ts';
import { Stopwatch } from './stopwatch.ts';

export interface PhotosQuery {
  readonly user: Id;
  readonly relation: Relation;
  /** Contacts wanted, 1 to 20. */
  readonly contacts: number;
  /** The newest photos of each, 1 to 50. */
  readonly photos: number;
  /** Of the request: all of its waits end then. */
  readonly deadline?: Deadline | undefined;
}

export interface PhotosAnswer extends Omit<RecentAnswer, 'contacts' | 'more'> {
  /** Highest key first; each with at least one photo. */
  readonly contacts: readonly ContactPhotos[];
}

export interface RecentPhotosOptions {
  readonly recent: Pick<RecentContacts, 'find'>;
  /** Where the photos are read: the same as the contacts. */
  readonly database: Database;
  /** ms, monotonic. */
  readonly now: () => number;
}

/** How often the contacts are read again because what the user may see changed before their photos were read. */
const ATTEMPTS = 3;

/**
 * Answers "what did my most recently active contacts upload?": the recency list, and then the photos of those contacts,
 * in a second statement that checks again, in its own snapshot, who is a contact and what the user may see of each.
 *
 * Between the two statements a contact may have lost the place that the first one gave: a grant was withdrawn, the
 * newest photo deleted. Then both are asked again, for as many contacts more as turned out to have nothing to show.
 * What still does not settle is answered as it is, and called not exact.
 */
export class RecentPhotos {
  readonly #options: RecentPhotosOptions;

  constructor(options: RecentPhotosOptions) {
    this.#options = options;
  }

  /** @throws DatabaseUnavailable, and what the recency list throws */
  async find(query: PhotosQuery): Promise<PhotosAnswer> {
    const clock = new Stopwatch(this.#options.now);
    for (let attempt = 1, spare = 0; ; attempt++) {
      const { recent, database } = this.#options;
      const { user, relation, deadline } = query;
      const page = { user, relation, limit: query.contacts + spare, below: undefined, deadline };
      const found = await recent.find(page);
      clock.add(found.timing);
      const shown = await clock.time('db', () => readPhotos(database, user, found.contacts, query.photos, deadline));
      const held = holdAgainst(found.contacts, shown, query.relation);
      const short = held.contacts.length < query.contacts && found.more;
      const settled = !held.moved && !short;
      if (settled || attempt === ATTEMPTS) return answer(found, held.contacts, query.contacts, settled, clock);
      spare = found.contacts.length - held.contacts.length;
    }
  }
}

interface Held {
  /** Highest key first. */
  readonly contacts: ContactPhotos[];
  /** Somebody among them is further down than they were, so that others may belong before them, or shows more or less. */
  readonly moved: boolean;
}

/** The contacts of the first statement as the second one has them; those whom it shows nothing of are left out. */
function holdAgainst(found: readonly LiveContact[], shown: ReadonlyMap<Id, ContactPhotos>, relation: Relation): Held {
  const contacts = [...shown.values()].filter((contact) => isWanted(relation, contact)).sort(byKeyDescending);
  const moved = found.some((before) => hasMoved(before, shown.get(before.id)));
  return { contacts, moved };
}

function hasMoved(before: LiveContact, now: LiveContact | undefined): boolean {
  return now !== undefined && (now.at < before.at || now.sees !== before.sees);
}

function answer(
  found: RecentAnswer,
  contacts: readonly ContactPhotos[],
  wanted: number,
  settled: boolean,
  clock: Stopwatch,
): PhotosAnswer {
  const { source, exact, complete, floor, reason, replica } = found;
  const certainty = settled || !exact ? { exact, reason } : { exact: false, reason: 'changed_meanwhile' as const };
  return { contacts: contacts.slice(0, wanted), source, complete, floor, replica, ...certainty, timing: clock.spent };
}
