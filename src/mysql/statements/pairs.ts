import type { Id } from '../../contracts/id.ts';
import type { KindView } from '../../site/kind-view.ts';
import { type Places, placesOf, type ResultRow, selectList } from '../../site/row.ts';
import type { ReadOptions } from '../database.ts';
import { EPOCH, type EpochRows, readOwn } from '../epoch.ts';
import type { Build, KindDatabase } from './kind-statements.ts';
import { lastUploadIfRelated, lastUploadOf, OWNER_PARAMETERS, ofOneOwner } from './last-upload.ts';
import { isRelated } from './pair-row.ts';

export interface Pair {
  readonly user: Id;
  readonly contact: Id;
}

export interface PairRow extends Pair {
  readonly related: boolean;
  /** The contact's newest photo that the user may see, ms since 1970 UTC; 0 when there is none, and perhaps when not related. */
  readonly lastUploadAt: number;
  /** Version of the relationship's row. */
  readonly version: string;
}

type PairColumn = 'user' | 'contact' | 'related' | 'lastUploadAt' | 'version';

interface PairsStatement {
  readonly text: string;
  /** Whether the view has the last upload; otherwise the text names the owner first, several times. */
  readonly hasColumn: boolean;
  readonly rowsOf: (found: EpochRows) => PairRows;
}

// The epoch comes from the same snapshot, even when no pair has a row.
function statementFrom(view: KindView, lastUpload: string, joined: string): PairsStatement {
  const columns = {
    ...{ user: 'c.user_id', contact: `c.${view.kind.idColumn}`, related: isRelated(view) },
    ...{ lastUploadAt: lastUpload, version: 'c.version' },
  };
  const text = `
  SELECT ${selectList(columns)}, ${EPOCH}
  FROM recency_epoch AS e
  LEFT JOIN ${joined}`;
  const place = placesOf(columns);
  const rowsOf = ({ epoch, rows }: EpochRows) => {
    const pairs = rows.filter((row) => row[place.user] !== null).map((row) => pairRow(row, place));
    return { epoch, rows: pairsOnce(pairs) };
  };
  return { text, hasColumn: view.lastUpload, rowsOf };
}

// The pairs drive the join: each is one look-up by primary key.
function pairsStatement(view: KindView): PairsStatement {
  const { view: pairs, idColumn } = view.kind;
  return statementFrom(
    view,
    lastUploadIfRelated(view),
    `(
    JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', ${idColumn} BIGINT UNSIGNED PATH '$[1]')) AS pair
    STRAIGHT_JOIN ${pairs} AS c ON c.user_id = pair.user_id AND c.${idColumn} = pair.${idColumn}
  ) ON TRUE`,
  );
}

// One range of the index that the followers were read from: half the work of the same number of look-ups.
function neighboursStatement(view: KindView): PairsStatement {
  const { view: pairs, idColumn } = view.kind;
  const range = `c.${idColumn} = ? AND c.user_id BETWEEN ? AND ?`;
  return statementFrom(view, ofOneOwner(view), `${pairs} AS c ON ${range} AND ${isRelated(view)}`);
}

/** Pairs of one snapshot. */
export interface PairRows {
  readonly epoch: string;
  readonly rows: readonly PairRow[];
}

/**
 * These pairs, in one snapshot with the epoch. Pairs without a row are left out.
 * @throws DatabaseNotPrimary, DatabaseUnavailable
 */
export async function readPairs(
  { server, statements }: KindDatabase,
  pairs: readonly Pair[],
  by?: Pick<ReadOptions, 'deadline'>,
): Promise<PairRows> {
  const parameters = [JSON.stringify(pairs.map((pair) => [pair.user, pair.contact]))];
  return await statements.asking(
    server,
    (known) => known.of(pairsStatement),
    async ({ text, rowsOf }) => rowsOf(await readOwn(server, text, parameters, by)),
  );
}

/**
 * All related pairs of one contact from the first of `pairs` to the last, including followers in between that were not
 * asked for. Pairs that are not related are left out.
 * @param pairs of the same contact, in the order of the users' ids, at least one
 * @throws DatabaseNotPrimary, DatabaseUnavailable
 */
export async function readNeighbours({ server, statements }: KindDatabase, pairs: readonly Pair[]): Promise<PairRows> {
  const [first, last] = [pairs[0], pairs.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('no pair, no neighbours');
  const range = [first.contact, first.user, last.user];
  const owner = Array<Id>(OWNER_PARAMETERS).fill(first.contact);
  return await statements.asking(
    server,
    (known) => known.of(neighboursStatement),
    async ({ text, hasColumn, rowsOf }) =>
      rowsOf(await readOwn(server, text, hasColumn ? range : [...owner, ...range])),
  );
}

/** Each pair once, as `eachOnce` does it for the contacts of one user. The rows of a pair come one after the other. */
function pairsOnce(rows: PairRow[]): readonly PairRow[] {
  const isAsBefore = ({ user, contact }: PairRow, place: number) =>
    rows[place - 1]?.user === user && rows[place - 1]?.contact === contact;
  if (!rows.some(isAsBefore)) return rows;
  const highest = new Map<string, PairRow>();
  const rank = ({ related, lastUploadAt }: PairRow) => (related ? lastUploadAt : -1);
  for (const row of rows) {
    const pair = `${row.user} ${row.contact}`;
    const other = highest.get(pair);
    if (other === undefined || rank(other) < rank(row)) highest.set(pair, row);
  }
  return [...highest.values()];
}

function pairRow(row: ResultRow, place: Places<PairColumn>): PairRow {
  return {
    user: String(row[place.user]),
    contact: String(row[place.contact]),
    related: Number(row[place.related]) !== 0,
    lastUploadAt: lastUploadOf(row[place.lastUploadAt]),
    version: String(row[place.version] ?? 0),
  };
}

/** Some rows of the views, for checks that do not read all of them. */

const contactsFrom: Build<string> = ({ kind: { view, idColumn } }) => `
  SELECT c.${idColumn} FROM ${view} AS c
  WHERE c.user_id = ? AND c.${idColumn} >= ?
  ORDER BY c.${idColumn}
  LIMIT ?`;

/**
 * The user's next contacts in the order of their ids, related or not.
 * @param from included
 * @throws DatabaseUnavailable
 */
export async function readContactsFrom(
  { server, statements }: KindDatabase,
  user: Id,
  from: Id | '0',
  limit: number,
): Promise<Id[]> {
  return (await server.rows(statements.of(contactsFrom), [user, from, String(limit)])).map((row) => String(row[0]));
}

// No ORDER BY, so that it stops at the limit whatever the indexes are.
const anyPairs: Build<string> = ({ kind: { view, idColumn } }) =>
  `SELECT c.user_id, c.${idColumn} FROM ${view} AS c LIMIT ?`;

/** Any pairs, at most `limit`. @throws DatabaseUnavailable */
export async function readAnyPairs({ server, statements }: KindDatabase, limit: number): Promise<Pair[]> {
  const rows = await server.rows(statements.of(anyPairs), [String(limit)]);
  return rows.map(([user, contact]) => ({ user: String(user), contact: String(contact) }));
}

const anyPhoto: Build<string> = ({ kind: { photosView } }) => `SELECT 1 FROM ${photosView} LIMIT 1`;

/** Is there any photo? @throws DatabaseUnavailable */
export async function isAnyPhoto({ server, statements }: KindDatabase): Promise<boolean> {
  return (await server.rows(statements.of(anyPhoto), [])).length > 0;
}
