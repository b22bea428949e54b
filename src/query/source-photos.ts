import type { Id } from '../contracts/id.ts';
import type { Key } from '../contracts/key.ts';
import type { AnswerDatabase } from '../mysql/database.ts';
import { DatabaseNotPrimary } from '../mysql/faults.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import type { Photo } from '../mysql/statements/photos.ts';
import {
  readSourcePhotos,
  type SourcePage,
  type SourceRelation,
  type SourceRows,
} from '../mysql/statements/source-photos.ts';
import type { AnswerCertainty } from './over-kinds.ts';
import { mayNotLag, type RecentQuery } from './recent-answer.ts';
import { Stopwatch } from './stopwatch.ts';

export interface SourcePhotosQuery
  extends Pick<RecentQuery, 'user' | 'since' | 'consistency' | 'maxLagMs' | 'deadline' | 'freshness'> {
  /** What the user follows. */
  readonly source: Id;
  /** Only what is new to the user, oldest first; otherwise everything, newest first. */
  readonly unseen: boolean;
  /** The last photo of the page before; undefined: this is the first page. */
  readonly after: Key | undefined;
  /** 1 to 50. */
  readonly limit: number;
}

interface SourcePhotosAnswer extends AnswerCertainty {
  /** Oldest first if only what is new was asked for, otherwise newest first. */
  readonly photos: readonly Photo[];
  /** There may be more after the last of them. */
  readonly more: boolean;
}

interface SourcePhotosOptions {
  /** The server that the photos are read from. */
  readonly database: KindDatabase;
  /** Answers what must not lag. Left out: `database`. */
  readonly primary?: KindDatabase;
  /** Monotonic clock, ms. */
  readonly now: () => number;
  /** ms since 1970 UTC (`Date.now`). */
  readonly clock?: () => number;
}

/** How often the photos are read when what the user may see, or has seen, changes meanwhile. */
const ATTEMPTS = 3;

/** The span of its statements. */
const PHOTOS = 'recency.query.photos';

/** Nothing is known of the relation yet. */
const UNKNOWN: SourceRelation = { sees: '0', seen: undefined };

/**
 * Answers "what is new from this one?" The page is read from MySQL: it is one range of an index for each audience, however
 * many photos the source has.
 *
 * Oldest first: a client that marks each page as seen after showing it has, at any moment, seen everything up to its mark. One
 * that dies before it marks loses nothing, and gets the same page again.
 */
export class SourcePhotos {
  readonly #options: SourcePhotosOptions;

  constructor(options: SourcePhotosOptions) {
    this.#options = options;
  }

  /** @throws DatabaseUnavailable, DatabaseNotPrimary, DeadlineExceeded, RequestCancelled */
  async find(query: SourcePhotosQuery): Promise<SourcePhotosAnswer> {
    const { database, primary = database, now, clock: time = Date.now } = this.#options;
    const { user, source, limit, deadline, freshness } = query;
    const from = mayNotLag(query) ? primary : { ...database, server: freshness?.database ?? database.server };
    const clock = new Stopwatch(now);
    let known = UNKNOWN;
    for (let attempt = 0; ; attempt++) {
      const asOf = time();
      const page = { ...pageOf(query, known), limit: limit + 1 };
      const found = await clock.time(
        'db',
        () => readSourcePhotos(from, { user, source }, known.sees, page, deadline),
        PHOTOS,
      );
      if (found.isReplica && mayNotLag(query)) throw new DatabaseNotPrimary(NO_PRIMARY);
      const whole = isSame(found.relation, known) ? await this.#withLastMs(from, query, page, found, clock) : found;
      const isSettled = isSame(whole.relation, known);
      if (isSettled || attempt === ATTEMPTS) return answerOf(query, whole, { asOf, isSettled }, clock);
      known = whole.relation;
    }
  }

  /**
   * Adds the other photos of the page's last millisecond. The index has them by their times, which may have fractions; the
   * order is by whole milliseconds and ids, so one of them may belong before the page's last photo.
   */
  async #withLastMs(
    from: KindDatabase<AnswerDatabase>,
    { user, source, deadline }: SourcePhotosQuery,
    page: SourcePage,
    found: SourceRows,
    clock: Stopwatch,
  ): Promise<SourceRows> {
    const last = found.photos.at(-1);
    if (last === undefined || found.photos.length < page.limit) return found;
    const { uploadedAt: at } = last;
    const range = { above: { at, id: NO_ID }, below: { at: at + 1, id: NO_ID } };
    const asked = { ...page, ...within(range, page), limit: PHOTOS_OF_ONE_MS };
    const { relation } = found;
    const own = { user, source };
    const others = await clock.time('db', () => readSourcePhotos(from, own, relation.sees, asked, deadline), PHOTOS);
    const photos = [...found.photos.filter(({ uploadedAt }) => uploadedAt !== at), ...others.photos];
    photos.sort(page.order === 'oldest first' ? byUpload : (a, b) => byUpload(b, a));
    const isReplica = found.isReplica || others.isReplica;
    return { relation: others.relation, photos: photos.slice(0, page.limit), isReplica };
  }
}

/** Below every id. */
const NO_ID: Id = '0';

/** More photos of one source in one millisecond than there ever are. */
const PHOTOS_OF_ONE_MS = 10_000;

/** The part of a range that is on the page. */
function within(range: Required<Pick<SourcePage, 'above' | 'below'>>, { above, below }: SourcePage) {
  return {
    above: [range.above, above]
      .filter((key) => key !== undefined)
      .sort(byKey)
      .at(-1),
    below: [range.below, below].filter((key) => key !== undefined).sort(byKey)[0],
  };
}

function byUpload(a: Photo, b: Photo): number {
  return byKey({ at: a.uploadedAt, id: a.id }, { at: b.uploadedAt, id: b.id });
}

const NO_PRIMARY = 'MySQL takes no writes here, or is not the server on record: only the primary can answer this';

function pageOf({ unseen, after, since }: SourcePhotosQuery, { seen }: SourceRelation): Omit<SourcePage, 'limit'> {
  const earliest = since === undefined ? undefined : { at: since, id: '0' };
  if (!unseen) return { order: 'newest first', above: earliest, below: after };
  const above = [earliest, seen, after].filter((key) => key !== undefined).sort(byKey);
  return { order: 'oldest first', above: above.at(-1), below: undefined };
}

function byKey(a: Key, b: Key): number {
  return a.at - b.at || a.id.length - b.id.length || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

function isSame(a: SourceRelation, b: SourceRelation): boolean {
  return a.sees === b.sees && a.seen?.at === b.seen?.at && a.seen?.id === b.seen?.id;
}

function answerOf(
  { limit, freshness }: SourcePhotosQuery,
  { photos, isReplica: replica }: SourceRows,
  { asOf, isSettled }: { readonly asOf: number; readonly isSettled: boolean },
  { spent: timing }: Stopwatch,
): SourcePhotosAnswer {
  const isBehind = freshness?.isBehind ?? false;
  const reason = isBehind ? 'version_not_committed' : isSettled ? 'one_source' : 'changed_meanwhile';
  return {
    ...{ photos: photos.slice(0, limit), more: photos.length > limit },
    ...{ source: 'database', exact: isSettled && !replica && !isBehind, complete: true, floor: undefined, reason },
    ...{ replica, asOf, lagMs: replica ? undefined : 0, timing },
  };
}
