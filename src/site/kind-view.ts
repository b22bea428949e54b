/** What the statements about a kind may rely on: its declaration, what the site says, and what its views were found to have. */
import type { Kind } from '../contracts/kind.ts';
import type { NamedRelation } from '../contracts/relation.ts';
import { type DeclaredColumn, type ExtraColumns, extraAmong, NO_EXTRA } from './extra-columns.ts';
import type { Site } from './site.ts';

/** The columns that the two views of a kind must have, and what they hold. */

export type ColumnMeaning = 'id' | 'number' | 'flag' | 'time' | 'text';

type ViewColumns = Readonly<Record<string, ColumnMeaning>>;

/** Of the view with a row for each pair, without {@link OPTIONAL_TIMES}: a site's own view need not have those. */
function relationColumns({ idColumn, hasRelations }: Kind, { relations }: Pick<Site, 'relations'>): ViewColumns {
  return {
    user_id: 'id',
    [idColumn]: 'id',
    related: 'flag',
    sees: 'number',
    ...(hasRelations ? { is_friend: 'flag', is_family: 'flag' } : {}),
    ...(hasRelations && relations.length > 0 ? { bits: 'number' } : {}),
    version: 'number',
  };
}

/** When a relation began, ms since 1970 UTC: in the view of the pairs, if it has this column. */
export const SINCE = 'since';

/** The last upload of a pair, ms since 1970 UTC: in the view of the pairs, if it has this column. */
const LAST_UPLOAD_AT = 'last_upload_at';

/** Times that the view of the pairs may leave out; without `last_upload_at`, it is derived from the photos (last-upload.ts). */
export const OPTIONAL_TIMES: readonly string[] = [SINCE, LAST_UPLOAD_AT];

/** Of the view with the photos. */
function photoColumns({ ownerColumn }: Kind): ViewColumns {
  return { id: 'id', [ownerColumn]: 'id', audience: 'number', uploaded_at: 'time', title: 'text' };
}

/** The names of the views of these kinds. */
export function viewNames(kinds: readonly Kind[]): string[] {
  return kinds.flatMap(({ view, photosView }) => [view, photosView]);
}

/** By the names of the views of the kinds in use, the columns that each must have. */
export function viewsOf(site: Pick<Site, 'kinds' | 'relations'>): ReadonlyMap<string, ViewColumns> {
  return new Map(
    site.kinds.flatMap((kind): [string, ViewColumns][] => [
      [kind.view, relationColumns(kind, site)],
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
  /** ViewColumns that the view may leave out. */
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

export interface KindView {
  readonly kind: Kind;
  /** Names for bits of a relation. Without one the bits are not selected. */
  readonly relations: readonly NamedRelation[];
  /** When the relations began: the view of the pairs has the column `since`. */
  readonly since: boolean;
  /** The view of the pairs has the column `last_upload_at`. Otherwise the photos say when the last upload was (last-upload.ts). */
  readonly lastUpload: boolean;
  /** What is selected only to be passed on. */
  readonly extra: ExtraColumns;
  /** There are cursors in `recency_seen`. Their joins cost a tenth of an answer, so they are left out until there is one. */
  readonly cursors: boolean;
  /**
   * Narrowed reads look up the photos of that many audiences, the first ones: no candidate's user has been found to see another.
   * (Each more would cost a twentieth of such a read on MariaDB, which plans each look-up at every execution.)
   */
  readonly audiences: number;
}

/** Before anything is known of its views: all optional columns, nobody has seen anything, everybody sees public photos only. */
export function kindView({ relations }: Pick<Site, 'relations'>, kind: Kind): KindView {
  return { kind, relations, since: true, lastUpload: true, extra: NO_EXTRA, cursors: false, audiences: 1 };
}

/** A column, and the view that it is of. */
export interface ViewColumn extends DeclaredColumn {
  readonly view: string;
}

/** What the columns of a kind's views decide. */
export type FoundColumns = Pick<KindView, 'since' | 'lastUpload' | 'extra'>;

/** @param columns of the kind's two views, and of any others */
export function foundColumns({ view, photosView }: Kind, columns: readonly ViewColumn[]): FoundColumns {
  const ofView = (name: string) => columns.filter((column) => column.view === name);
  const has = (name: string) => ofView(view).some((column) => column.name.toLowerCase() === name);
  const extra = { source: extraAmong(ofView(view)), photo: extraAmong(ofView(photosView)) };
  return { since: has(SINCE), lastUpload: has(LAST_UPLOAD_AT), extra };
}

/** What both have: two servers are asked with the same statements. */
export function inBoth(one: FoundColumns, other: FoundColumns): FoundColumns {
  const shared = (view: keyof ExtraColumns) =>
    one.extra[view].filter(({ column }) => other.extra[view].some((found) => found.column === column));
  return {
    since: one.since && other.since,
    lastUpload: one.lastUpload && other.lastUpload,
    extra: { source: shared('source'), photo: shared('photo') },
  };
}
