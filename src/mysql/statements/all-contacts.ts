/** All of a user's rows, for the check of the questions that apply rules to them. */
import type { Id } from '../../contracts/id.ts';
import type { Marks } from '../../contracts/relation.ts';
import type { KindView } from '../../site/kind-view.ts';
import {
  type OpenColumns,
  type OpenPlaces,
  type Places,
  placesOf,
  type ResultRow,
  selectList,
} from '../../site/row.ts';
import { namedReader } from './contacts.ts';
import type { KindDatabase } from './kind-statements.ts';
import { lastUploadIfRelated } from './last-upload.ts';
import { marks, namedBits, wholeMs } from './pair-row.ts';

/** A row of `recency_contacts` as it is, valid or not. */
export interface RawContact extends Marks {
  readonly id: Id;
  readonly related: boolean;
  /** As in the view, in whole ms: may be null, zero or negative. From the photos, where the view has none: 0 if not related. */
  readonly lastUploadAt: bigint | null;
  /** As in {@link LiveContact}. */
  readonly sees: string;
}

type RawColumn = 'id' | 'related' | 'lastUploadAt' | 'isFriend' | 'isFamily' | 'sees';

// No condition, order or limit: the check of the other questions applies rules of its own.
function allContacts(view: KindView) {
  const { isFriend, isFamily } = marks(view);
  const columns: OpenColumns<RawColumn> = {
    ...{ id: `c.${view.kind.idColumn}`, related: 'c.related' },
    lastUploadAt: view.lastUpload ? wholeMs('c.last_upload_at') : lastUploadIfRelated(view),
    ...{ isFriend, isFamily, sees: 'c.sees' },
    ...(view.relations.length > 0 ? { bits: namedBits(view) } : {}),
  };
  const text = `
  SELECT ${selectList(columns)}
  FROM ${view.kind.view} AS c
  WHERE c.user_id = ?`;
  const place: OpenPlaces<RawColumn> = placesOf(columns);
  const named = namedReader(view, place.bits);
  return { text, rawOf: (row: ResultRow): RawContact => ({ ...named(row), ...rawOf(row, place) }) };
}

/**
 * Every relationship of the user, in no order.
 * @param withinMs the server ends the statement after this time
 * @throws DatabaseUnavailable, StatementTooSlow
 */
export async function readAllContacts(
  { server, statements }: KindDatabase,
  user: Id,
  withinMs?: number,
): Promise<RawContact[]> {
  return await statements.asking(
    server,
    (known) => known.of(allContacts),
    async (statement) => {
      const rows = await server.rows(statement.text, [user], { heavy: 'background', withinMs });
      return rows.map(statement.rawOf);
    },
  );
}

function rawOf(row: ResultRow, place: Places<RawColumn>): RawContact {
  const lastUploadAt = row[place.lastUploadAt];
  return {
    id: String(row[place.id]),
    related: Number(row[place.related]) !== 0,
    lastUploadAt: lastUploadAt === null || lastUploadAt === undefined ? null : BigInt(lastUploadAt),
    isFriend: Number(row[place.isFriend]) !== 0,
    isFamily: Number(row[place.isFamily]) !== 0,
    sees: String(row[place.sees] ?? 0),
  };
}
