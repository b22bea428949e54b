import type { Id } from '../contracts/id.ts';
import { byKeyDescending, type Key } from '../contracts/key.ts';
import { KINDS, type Kind, type KindName } from '../contracts/kind.ts';
import type { ShownContact } from '../mysql/statements/contacts.ts';
import type { ContactPhotos } from '../mysql/statements/photos.ts';
import type { RecentAnswer, RecentQuery } from './recent-answer.ts';
import type { RecentContacts } from './recent-contacts.ts';
import type { PhotosQuery, RecentPhotos } from './recent-photos.ts';

/**
 * The place of a source in a list over several kinds: the later upload first; for equal times in the order of the kinds'
 * declarations, and within a kind by its own order.
 */
export interface SourceKey extends Key {
  readonly kind: string;
}

/** What belongs to a kind. */
export type OfKind<T> = T & { readonly kind: Kind };

export interface RecentOverKinds extends AnswerCertainty {
  /** First in the list first. */
  readonly sources: readonly OfKind<ShownContact>[];
  /** There may be more below the last of them. */
  readonly more: boolean;
}

interface PhotosOverKinds extends AnswerCertainty {
  /** First in the list first; each with at least one photo. */
  readonly sources: readonly OfKind<ContactPhotos>[];
}

/** A question about all kinds. */
export interface OverKindsQuery extends Omit<RecentQuery, 'below' | 'relation'> {
  /** Only sources after this one; undefined: from the first. */
  readonly after: SourceKey | undefined;
}

/**
 * Answers "who or what was active most recently?" over several kinds. Each kind answers with a page of its own, from its
 * index where that is certain and by plain SQL where it is not. Their first rows in the common order are the page: a row that
 * is missing from a kind's page stands below `limit` others of that kind.
 * @param kinds at least one
 * @throws what an answer throws
 */
export async function recentOverKinds(
  kinds: readonly OfKind<{ readonly recentContacts: Pick<RecentContacts, 'find'> }>[],
  { after, ...query }: OverKindsQuery,
): Promise<RecentOverKinds> {
  const answers = await Promise.all(
    kinds.map(({ kind, recentContacts }) =>
      recentContacts.find({ ...query, relation: 'any', below: after && belowIn(kind, after) }),
    ),
  );
  const all = answers.flatMap(({ contacts }, i) => withKind(kinds[i], contacts)).sort(bySource);
  const more = all.length > query.limit || answers.some((answer) => answer.more);
  return { sources: all.slice(0, query.limit), more, ...certaintyOfAll(answers) };
}

/**
 * The newest photos of those sources.
 * @param kinds at least one
 * @throws what an answer throws
 */
export async function photosOverKinds(
  kinds: readonly OfKind<{ readonly recentPhotos: Pick<RecentPhotos, 'find'> }>[],
  { sources, ...query }: Omit<PhotosQuery, 'contacts' | 'relation'> & { readonly sources: number },
): Promise<PhotosOverKinds> {
  const answers = await Promise.all(
    kinds.map(({ recentPhotos }) => recentPhotos.find({ ...query, relation: 'any', contacts: sources })),
  );
  const all = answers.flatMap(({ contacts }, i) => withKind(kinds[i], contacts)).sort(bySource);
  return { sources: all.slice(0, sources), ...certaintyOfAll(answers) };
}

/** For sorting, first in the list first. */
function bySource(a: OfKind<Key>, b: OfKind<Key>): number {
  return b.at - a.at || rankOf(a.kind.name) - rankOf(b.kind.name) || byKeyDescending(a, b);
}

/** Below every id, as text. */
const LOWEST: Id = '0';

/**
 * The key of a kind below which all of its sources after this one are, and none before it. At the same time, those of a kind
 * that is ranked before this one's have all been there, and of one that is ranked after it, none.
 */
function belowIn({ name }: Pick<Kind, 'name'>, { kind, at, id }: SourceKey): Key {
  if (name === kind) return { at, id };
  return { at: rankOf(name) < rankOf(kind) ? at : at + 1, id: LOWEST };
}

function rankOf(name: string): number {
  return KINDS.findIndex((kind) => kind.name === (name as KindName));
}

function withKind<T>(of: { readonly kind: Kind } | undefined, rows: readonly T[]): OfKind<T>[] {
  return of === undefined ? [] : rows.map((row) => ({ ...row, kind: of.kind }));
}

/** What an answer says of itself, whatever its rows are. */
export type AnswerCertainty = Omit<RecentAnswer, 'contacts' | 'more'>;

/**
 * What holds for answers of several kinds together: the least certain of them decides, and the floor is the highest.
 * @param answers at least one
 */
function certaintyOfAll(answers: readonly AnswerCertainty[]): AnswerCertainty {
  const lags = answers.map(({ lagMs }) => lagMs);
  const [highest] = answers.flatMap(({ floor }) => floor ?? []).sort(byKeyDescending);
  // The reason of an answer that is not exact says more than that of one which the database gave.
  const [first] = answers.toSorted((a, b) => Number(a.exact) - Number(b.exact)).flatMap(({ reason }) => reason ?? []);
  return {
    source: answers.every(({ source }) => source === 'index') ? 'index' : 'database',
    exact: answers.every(({ exact }) => exact),
    complete: answers.every(({ complete }) => complete),
    floor: highest,
    reason: first,
    replica: answers.some(({ replica }) => replica),
    asOf: Math.min(...answers.map(({ asOf }) => asOf)),
    lagMs: lags.includes(undefined) ? undefined : Math.max(...lags.map((lag) => lag ?? 0)),
    timing: {
      index: Math.max(...answers.map(({ timing }) => timing.index)),
      db: Math.max(...answers.map(({ timing }) => timing.db)),
    },
  };
}

/** How many sources of several kinds there are, and what holds for all of them. */
interface CountOverKinds extends AnswerCertainty {
  /** At most the limit of the query. */
  readonly count: number;
  /** There are more than `count`. */
  readonly atLeast: boolean;
  /** Of each kind, in order. */
  readonly answers: readonly RecentAnswer[];
}

/**
 * Counts the sources that each of these kinds has for the same question. The kinds are asked side by side. Each answer is a
 * count of rows of its own snapshot, so the sum is never below zero, nor above what there was.
 * @param kinds at least one
 * @throws what an answer throws
 */
export async function countOverKinds(
  kinds: readonly Pick<RecentContacts, 'find'>[],
  query: RecentQuery,
): Promise<CountOverKinds> {
  const answers = await Promise.all(kinds.map((kind) => kind.find(query)));
  const all = answers.reduce((sum, { contacts }) => sum + contacts.length, 0);
  return {
    count: Math.min(all, query.limit),
    atLeast: all > query.limit || answers.some(({ more }) => more),
    answers,
    ...certaintyOfAll(answers),
  };
}
