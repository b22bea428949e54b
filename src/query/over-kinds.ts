import type { Id } from '../contracts/id.ts';
import { byKeyDescending, isAbove, type Key } from '../contracts/key.ts';
import { KINDS, type Kind, type KindName } from '../contracts/kind.ts';
import type { ShownContact } from '../mysql/contacts.ts';
import type { ContactPhotos } from '../mysql/photos.ts';
import { type AnswerCertainty, certaintyOfAll } from './certainty-of-all.ts';
import type { RecentQuery } from './recent-answer.ts';
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

export interface PhotosOverKinds extends AnswerCertainty {
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
export function bySource(a: OfKind<Key>, b: OfKind<Key>): number {
  return b.at - a.at || rankOf(a.kind.name) - rankOf(b.kind.name) || byKeyDescending(a, b);
}

/** Below every id, as text. */
const LOWEST: Id = '0';

/**
 * The key of a kind below which all of its sources after this one are, and none before it. At the same time, those of a kind
 * that is ranked before this one's have all been there, and of one that is ranked after it, none.
 */
export function belowIn({ name }: Pick<Kind, 'name'>, { kind, at, id }: SourceKey): Key {
  if (name === kind) return { at, id };
  return { at: rankOf(name) < rankOf(kind) ? at : at + 1, id: LOWEST };
}

/** Does this source come after that place? */
export function isAfter({ kind, ...key }: OfKind<Key>, after: SourceKey): boolean {
  return isAbove(belowIn(kind, after), key);
}

function rankOf(name: string): number {
  return KINDS.findIndex((kind) => kind.name === (name as KindName));
}

function withKind<T>(of: { readonly kind: Kind } | undefined, rows: readonly T[]): OfKind<T>[] {
  return of === undefined ? [] : rows.map((row) => ({ ...row, kind: of.kind }));
}
