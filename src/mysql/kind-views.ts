/** The columns that the two views of a kind must have, and what they hold. */
import type { Kind } from '../contracts/kind.ts';

export type ColumnMeaning = 'id' | 'number' | 'flag' | 'time' | 'text';

type Columns = Readonly<Record<string, ColumnMeaning>>;

/** Of the view with a row for each pair. `since` is missing here: a site's own view need not have it. */
export function relationColumns({ idColumn, hasRelations }: Kind): Columns {
  return {
    user_id: 'id',
    [idColumn]: 'id',
    related: 'flag',
    last_upload_at: 'time',
    sees: 'number',
    ...(hasRelations ? { is_friend: 'flag', is_family: 'flag' } : {}),
    version: 'number',
  };
}

/** When a relation began, ms since 1970 UTC: in the view of the pairs, if it has this column. */
export const SINCE = 'since';

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
