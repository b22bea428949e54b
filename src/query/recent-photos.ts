import type { Id } from '../contracts/id.ts';
import { byKeyDescending } from '../contracts/key.ts';
import { isWanted, type Relation } from '../contracts/relation.ts';
import type { LiveContact } from '../mysql/statements/contacts.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import { type ContactPhotos, readPhotos } from '../mysql/statements/photos.ts';
import type { Deadline } from '../timing/deadline.ts';
import type { Freshness } from './fresh-reads.ts';
import { mayNotLag, type RecentAnswer, type RecentQuery } from './recent-answer.ts';
import type { RecentContacts } from './recent-contacts.ts';
import { Stopwatch } from './stopwatch.ts';

export interface PhotosQuery {
  readonly user: Id;
  readonly relation: Relation;
  /** Contacts wanted, 1 to 20. */
  readonly contacts: number;
  /** Newest photos of each contact, 1 to 50. */
  readonly photos: number;
  /** Only photos uploaded at this time or later, and contacts who have one; ms since 1970 UTC. Undefined: any. */
  readonly since?: number | undefined;
  /** As in {@link RecentQuery}. */
  readonly consistency?: RecentQuery['consistency'];
  readonly maxLagMs?: number | undefined;
  /** The request's deadline, which bounds every wait. */
  readonly deadline?: Deadline | undefined;
  /** Undefined: the caller names no change that the answer must show. */
  readonly freshness?: Freshness | undefined;
}

interface PhotosAnswer extends Omit<RecentAnswer, 'contacts' | 'more'> {
  /** Highest key first; each with at least one photo. */
  readonly contacts: readonly ContactPhotos[];
}

interface RecentPhotosOptions {
  readonly recent: Pick<RecentContacts, 'find'>;
  /** The server that the photos are read from: the same as for the contacts. */
  readonly database: KindDatabase;
  /** Answers what must not lag. Left out: `database`. */
  readonly primary?: KindDatabase;
  /** Monotonic clock, ms. */
  readonly now: () => number;
}

/** How often the contacts are read when what the user may see changes before their photos are read. */
const ATTEMPTS = 3;

/** The span of its statements. */
const PHOTOS = 'recency.query.photos';

/**
 * Answers "what did my most recently active contacts upload?" First the recency list, then the photos of those contacts, in
 * a second statement that checks again, in its own snapshot, who is a contact, what the user may see of each, and what is new.
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
  async find({ contacts: wanted, photos, ...query }: PhotosQuery): Promise<PhotosAnswer> {
    const { recent, database, primary = database, now } = this.#options;
    const { user, since = 0, deadline, freshness } = query;
    const from = mayNotLag(query) ? primary : { ...database, server: freshness?.database ?? database.server };
    const clock = new Stopwatch(now);
    for (let attempt = 1, spare = 0; ; attempt++) {
      const found = await recent.find({ ...query, limit: wanted + spare, below: undefined });
      clock.add(found.timing);
      const shown = await clock.time('db', () => readPhotos(from, user, found.contacts, photos, deadline), PHOTOS);
      const contacts = found.contacts.flatMap(({ id }) => shownOf(shown.get(id), query, since)).sort(byKeyDescending);
      const isShort = contacts.length < wanted && found.more;
      const isSettled = !isShort && !found.contacts.some((before) => hasMoved(before, shown.get(before.id)));
      if (isSettled || attempt === ATTEMPTS) return answerOf(found, contacts.slice(0, wanted), isSettled, clock);
      spare = found.contacts.length - contacts.length;
    }
  }
}

/** The contact with the photos since then; nothing if there are none, or another relation is wanted. */
function shownOf(
  now: ContactPhotos | undefined,
  { relation }: { readonly relation: Relation },
  since: number,
): ContactPhotos[] {
  const photos = now?.photos.filter(({ uploadedAt }) => uploadedAt >= since) ?? [];
  return now !== undefined && photos.length > 0 && isWanted(relation, now) ? [{ ...now, photos }] : [];
}

/** The contact is further down than before, so others may belong ahead of it; or the user sees more or less of it. */
function hasMoved(before: LiveContact, now: ContactPhotos | undefined): boolean {
  return now !== undefined && (now.at < before.at || now.sees !== before.sees);
}

function answerOf(
  { source, exact, complete, floor, reason, replica, asOf, lagMs }: RecentAnswer,
  contacts: readonly ContactPhotos[],
  isSettled: boolean,
  { spent: timing }: Stopwatch,
): PhotosAnswer {
  const answer = { contacts, source, exact, complete, floor, reason, replica, asOf, lagMs, timing };
  return isSettled || !exact ? answer : { ...answer, exact: false, reason: 'changed_meanwhile' };
}
