import type { Id } from '../contracts/id.ts';
import { byKeyDescending } from '../contracts/key.ts';
import { isWanted, type Relation } from '../contracts/relation.ts';
import type { LiveContact } from '../mysql/contacts.ts';
import type { Database } from '../mysql/database.ts';
import { type ContactPhotos, readPhotos } from '../mysql/photos.ts';
import type { Deadline } from '../timing/deadline.ts';
import type { Freshness } from './fresh-reads.ts';
import type { RecentAnswer, RecentContacts } from './recent-contacts.ts';
import { Stopwatch } from './stopwatch.ts';

export interface PhotosQuery {
  readonly user: Id;
  readonly relation: Relation;
  /** Contacts wanted, 1 to 20. */
  readonly contacts: number;
  /** Newest photos of each contact, 1 to 50. */
  readonly photos: number;
  /** The request's deadline, which bounds every wait. */
  readonly deadline?: Deadline | undefined;
  /** Undefined: the caller names no change that the answer must show. */
  readonly freshness?: Freshness | undefined;
}

export interface PhotosAnswer extends Omit<RecentAnswer, 'contacts' | 'more'> {
  /** Highest key first; each with at least one photo. */
  readonly contacts: readonly ContactPhotos[];
}

export interface RecentPhotosOptions {
  readonly recent: Pick<RecentContacts, 'find'>;
  /** The server that the photos are read from: the same as for the contacts. */
  readonly database: Database;
  /** Monotonic clock, ms. */
  readonly now: () => number;
}

/** How often the contacts are read when what the user may see changes before their photos are read. */
const ATTEMPTS = 3;

/**
 * Answers "what did my most recently active contacts upload?" First the recency list, then the photos of those contacts, in
 * a second statement that checks again, in its own snapshot, who is a contact and what the user may see of each.
 *
 * Between the two statements a contact may lose its place: a grant is withdrawn, the newest photo deleted. Then both are
 * read again, with as many extra contacts as turned out to have nothing to show. If this does not settle, the answer is
 * returned as it is, marked as not exact.
 */
export class RecentPhotos {
  readonly #options: RecentPhotosOptions;

  constructor(options: RecentPhotosOptions) {
    this.#options = options;
  }

  /** @throws DatabaseUnavailable, and what the recency list throws */
  async find({ user, relation, contacts: wanted, photos, deadline, freshness }: PhotosQuery): Promise<PhotosAnswer> {
    const { recent, now } = this.#options;
    const database = freshness?.database ?? this.#options.database;
    const clock = new Stopwatch(now);
    for (let attempt = 1, spare = 0; ; attempt++) {
      const limit = wanted + spare;
      const found = await recent.find({ user, relation, limit, below: undefined, deadline, freshness });
      clock.add(found.timing);
      const shown = await clock.time('db', () => readPhotos(database, user, found.contacts, photos, deadline));
      const contacts = [...shown.values()].filter((contact) => isWanted(relation, contact)).sort(byKeyDescending);
      const isShort = contacts.length < wanted && found.more;
      const isSettled = !isShort && !found.contacts.some((before) => hasMoved(before, shown.get(before.id)));
      if (isSettled || attempt === ATTEMPTS) return answerOf(found, contacts.slice(0, wanted), isSettled, clock);
      spare = found.contacts.length - contacts.length;
    }
  }
}

/** The contact is further down than before, so others may belong ahead of it, or the user sees more or less of it. */
function hasMoved(before: LiveContact, now: ContactPhotos | undefined): boolean {
  return now !== undefined && (now.at < before.at || now.sees !== before.sees);
}

function answerOf(
  { source, exact, complete, floor, reason, replica }: RecentAnswer,
  contacts: readonly ContactPhotos[],
  isSettled: boolean,
  { spent: timing }: Stopwatch,
): PhotosAnswer {
  const answer = { contacts, source, exact, complete, floor, reason, replica, timing };
  return isSettled || !exact ? answer : { ...answer, exact: false, reason: 'changed_meanwhile' };
}
