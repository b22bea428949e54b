/** The columns that the two views of a kind must have, and what they hold. */
import type { Kind } from '../contracts/kind.ts';
import { namedRelations } from '../contracts/relation.ts';

export type ColumnMeaning = 'id' | 'number' | 'flag' | 'time' | 'text';

type Columns = Readonly<Record<string, ColumnMeaning>>;

/** Of the view with a row for each pair, without {@link OPTIONAL_TIMES}: a site's own view need not have those. */
export function relationColumns({ idColumn, hasRelations }: Kind): Columns {
  return {
    user_id: 'id',
    [idColumn]: 'id',
    related: 'flag',
    sees: 'number',
    ...(hasRelations ? { is_friend: 'flag', is_family: 'flag' } : {}),
    ...(hasRelations && namedRelations().length > 0 ? { bits: 'number' } : {}),
    version: 'number',
  };
}

/** When a relation began, ms since 1970 UTC: in the view of the pairs, if it has this column. */
export const SINCE = 'since';

/** Times that the view of the pairs may leave out; without `last_upload_at`, it is derived from the photos (last-upload.ts). */
export const OPTIONAL_TIMES: readonly string[] = [SINCE, 'last_upload_at'];

/** Of the view with the photos. */
export function photoColumns({ ownerColumn }: Kind): Columns {
  return { id: 'id', [ownerColumn]: 'id', audience: 'number', uploaded_at: 'time', title: 'text' };
}

/** By the names of the views, the columns that each must have. */
export function viewsOf(kinds: readonly Kind[]): ReadonlyMap<string, Columns> {
  return new Map(
    kinds.flatMap((kind): [string, Columns][] => [
      [kind.view, relationColumns(kind)],
      [kind.photosView, photoColumns(kind)],
    ]),
  );
}

/** Any number of columns. */
const EXTRA = { 'extra_…': 'anything else that a page shows with the row: answers have it under `extra`' };

/** A view of a kind, and what its columns mean: the contract for a site's own view, for people. */
export interface DescribedView {
  readonly name: string;
  /** In order. */
  readonly columns: Readonly<Record<string, string>>;
  /** Columns that the view may leave out. */
  readonly optional: Readonly<Record<string, string>>;
}

export function describedViews(kinds: readonly Kind[]): DescribedView[] {
  return kinds.flatMap((kind) => [describedRelations(kind), describedPhotos(kind)]);
}

function describedRelations({ view: name, idColumn, singular, hasRelations }: Kind): DescribedView {
  return {
    name,
    columns: {
      user_id: `who has the ${singular}`,
      [idColumn]: `the ${singular}; one row a pair`,
      related: `true: the user has this ${singular} now; false: no longer`,
      sees: `bit k: the user may see the ${singular}'s photos of audience k`,
      ...(hasRelations
        ? { is_friend: `the user calls the ${singular} a friend`, is_family: `the user calls the ${singular} family` }
        : {}),
      version: 'grows with every change of the relationship',
    },
    optional: {
      last_upload_at: `the ${singular}'s newest existing photo that the user may see, ms since 1970 UTC as BIGINT; 0: there is none. Without it, Recency reads it from the photos`,
      [SINCE]: 'when the relationship began, ms since 1970 UTC as BIGINT: nothing older is new to the user',
      ...(hasRelations ? { bits: 'how else the user has marked the contact: RECENCY_RELATIONS names the bits' } : {}),
      ...EXTRA,
    },
  };
}

function describedPhotos({ photosView: name, ownerColumn, areUsers, singular }: Kind): DescribedView {
  return {
    name,
    columns: {
      id: 'the photo',
      [ownerColumn]: areUsers ? 'whose it is' : `the ${singular}; a photo in several has a row for each`,
      audience: '0 public, 1 friends, 2 family, 3 friends or family, 4 private',
      uploaded_at: 'ms since 1970 UTC as BIGINT',
      title: 'its title',
    },
    optional: EXTRA,
  };
}
