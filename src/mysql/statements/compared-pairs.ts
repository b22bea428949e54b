/** Last uploads of pairs as each of the two views says. */
import type { Id } from '../../contracts/id.ts';
import type { KindView } from '../../site/kind-view.ts';
import { placesOf, type ResultRow, selectList } from '../../site/row.ts';
import type { Build, KindDatabase } from './kind-statements.ts';
import { lastUpload, lastUploadOf } from './last-upload.ts';
import { asScore, isRelated } from './pair-row.ts';
import type { Pair } from './pairs.ts';

/**
 * The newest photo of an uploader in each audience: what last uploads are compared with. A subquery for each audience
 * reads one entry of the index (owner_id, audience, uploaded_at), because its ORDER BY names all three columns. Ordered
 * by the time alone, MySQL reads and sorts all photos of the uploader, although the other two are given. With MAX()
 * both servers read all of them, and MariaDB would materialize a derived table, because it cannot push the uploader
 * into it.
 */

/** Statements exist for these numbers of audiences only, so that prepared statements do not pile up. */
export const AUDIENCES = [4, 16, 63] as const;

export type Audiences = (typeof AUDIENCES)[number];

/** SQL: the same rules as for the view's column: whole ms, an upper bound, and nothing below 1. */
export function newestPhoto(
  { kind: { photosView, ownerColumn } }: Pick<KindView, 'kind'>,
  owner: string,
  audience: number,
): string {
  return `(SELECT ${asScore('p.uploaded_at')} FROM ${photosView} AS p
           WHERE p.${ownerColumn} = ${owner} AND p.audience = ${audience} AND p.uploaded_at >= 1
           ORDER BY p.${ownerColumn} DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1)`;
}

const eachAudience = (audiences: Audiences) => Array.from({ length: audiences }, (_, audience) => audience);

/** A statement for each number of audiences. */
function byAudiences<S>(build: (view: KindView, audiences: Audiences) => S): Readonly<Record<Audiences, Build<S>>> {
  return { 4: (view) => build(view, 4), 16: (view) => build(view, 16), 63: (view) => build(view, 63) };
}

const ofUploaders = byAudiences(
  (view, audiences) => `
  SELECT owner.id, ${eachAudience(audiences)
    .map((audience) => newestPhoto(view, 'owner.id', audience))
    .join(', ')}
  FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS owner`,
);

/**
 * By uploader, the upload time of the newest photo in each of the first audiences, ms since 1970 UTC; 0 when there is
 * none.
 * @param withinMs the server ends the statement after this time
 * @throws DatabaseUnavailable, StatementTooSlow
 */
export async function readNewestOf(
  { server, statements }: KindDatabase,
  uploaders: readonly Id[],
  audiences: Audiences,
  withinMs?: number,
): Promise<ReadonlyMap<Id, readonly number[]>> {
  const rows = await server.rows(statements.of(ofUploaders[audiences]), [JSON.stringify(uploaders)], {
    heavy: 'background',
    withinMs,
  });
  return new Map(rows.map(([uploader, ...times]) => [String(uploader), times.map(lastUploadOf)]));
}

/** A related pair's last upload according to each view. */
export interface ComparedPair extends Pair {
  /** `last_upload_at` of `recency_contacts`, or what answers derive where it has none, ms since 1970 UTC; 0: there is none. */
  readonly viewSays: number;
  /** The newest row of `recency_photos` in an audience that the user sees, ms since 1970 UTC; 0 when there is none. */
  readonly photosSay: number;
  /** A bitmask as decimal text. */
  readonly sees: string;
}

const comparedPairs = byAudiences((view, audiences) => {
  const { view: pairs, idColumn } = view.kind;
  const columns = {
    ...{ user: 'c.user_id', contact: `c.${idColumn}`, viewSays: lastUpload(view), sees: 'c.sees' },
    photosSay: newestAmong(view, audiences),
  };
  const text = `
  SELECT ${selectList(columns)}
  FROM JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', ${idColumn} BIGINT UNSIGNED PATH '$[1]')) AS pair
  STRAIGHT_JOIN ${pairs} AS c ON c.user_id = pair.user_id AND c.${idColumn} = pair.${idColumn}
  WHERE ${isRelated(view)}`;
  const place = placesOf(columns);
  const pairOf = (row: ResultRow): ComparedPair => ({
    user: String(row[place.user]),
    contact: String(row[place.contact]),
    viewSays: lastUploadOf(row[place.viewSays]),
    photosSay: lastUploadOf(row[place.photosSay]),
    sees: String(row[place.sees] ?? 0),
  });
  return { text, pairOf };
});

/** SQL: the newest photo among the first audiences that the row `c` sees; 0: there is none. */
function newestAmong(view: KindView, audiences: Audiences): string {
  const among = (audience: number) =>
    `IF((c.sees >> ${audience}) & 1, COALESCE(${newestPhoto(view, `c.${view.kind.idColumn}`, audience)}, 0), 0)`;
  return `GREATEST(0, ${eachAudience(audiences).map(among).join(', ')})`;
}

/**
 * Reads both views for the same pairs in one snapshot: a photo whose transaction commits meanwhile is in both or in
 * neither. Pairs that are not related are left out.
 * @param audiences higher audiences are ignored
 * @param withinMs the server ends the statement after this time
 * @throws DatabaseUnavailable, StatementTooSlow
 */
export async function comparePairs(
  { server, statements }: KindDatabase,
  pairs: readonly Pair[],
  audiences: Audiences,
  withinMs?: number,
): Promise<ComparedPair[]> {
  const asked = JSON.stringify(pairs.map(({ user, contact }) => [user, contact]));
  return await statements.asking(
    server,
    (known) => known.of(comparedPairs[audiences]),
    async ({ text, pairOf }) => {
      const rows = await server.rows(text, [asked], { heavy: 'background', withinMs });
      return rows.map(pairOf);
    },
  );
}
