import type { AnyBinlogEvent, DeleteRowsEvent, RowData, UpdateRowsEvent, WriteRowsEvent } from '@vlasky/zongji';
import { CAPTURE_TABLE } from '../../mysql/capture.ts';
import { CaptureGap, type Echo } from '../change-source.ts';
import type { RowChange } from '../row-change.ts';
import { rowOf } from './row-values.ts';
import { concernOf, type WatchedNames } from './statements.ts';

/** What of the log is read. */
export interface ReadTables extends WatchedNames {
  /** The mapped columns; undefined: the table is not mapped. */
  readonly columnsOf: (schema: string, table: string) => Iterable<string> | undefined;
  /** The schema of Recency's own tables. */
  readonly own: string;
  /** The row of `recency_capture` that comes back. */
  readonly source: string;
}

/** What an event of the log comes to. */
export interface ReadEvent {
  readonly changes: readonly RowChange[];
  /** The transaction is complete: everything so far is before the position that the log has now. */
  readonly isBoundary: boolean;
  readonly echo: Echo | undefined;
}

const NOTHING: ReadEvent = { changes: [], isBoundary: false, echo: undefined };

const KINDS = { WriteRows: 'insert', UpdateRows: 'update', DeleteRows: 'delete' } as const;

/** Events are what the package says; these parts are not in its types. */
type TableMapEvent = { readonly hasSelfDescribingMetadata?: () => boolean };
type RowsEvent = (WriteRowsEvent | UpdateRowsEvent | DeleteRowsEvent) & {
  readonly columns_present_bitmap?: Buffer;
  readonly columns_present_bitmap2?: Buffer;
};

/**
 * Makes changes of the events of the log.
 *
 * The rows of an XA transaction are in the log when it is prepared, which may be long before it is committed. So they are kept
 * until XA COMMIT, and no position is given meanwhile: after a restart they are read again.
 */
export class LogReader {
  readonly #tables: ReadTables;
  readonly #prepared = new Map<string, RowChange[]>();
  #xa: RowChange[] | undefined;
  #isSelfDescribing = false;

  constructor(tables: ReadTables) {
    this.#tables = tables;
  }

  /** @throws CaptureGap */
  read(event: AnyBinlogEvent): ReadEvent {
    switch (event.getTypeName()) {
      case 'WriteRows':
      case 'UpdateRows':
      case 'DeleteRows':
        return this.#rows(event as RowsEvent);
      case 'TableMap':
        this.#isSelfDescribing = (event as TableMapEvent).hasSelfDescribingMetadata?.() ?? false;
        return NOTHING;
      case 'Xid':
        return this.#boundary();
      case 'MariadbGtid':
        if ((event as { preparedXa?: boolean }).preparedXa) this.#xa = [];
        return NOTHING;
      case 'XaPrepare':
        return this.#prepare(event as unknown as XaIdentity);
      case 'Query':
        return this.#statement(event as unknown as { query: string; schema: string });
      default:
        return NOTHING;
    }
  }

  #rows(event: RowsEvent): ReadEvent {
    const table = event.tableMap[event.tableId];
    if (table === undefined) return NOTHING;
    const { parentSchema: schema, tableName } = table;
    const kind = KINDS[event.getTypeName() as keyof typeof KINDS];
    if (schema === this.#tables.own && tableName === CAPTURE_TABLE) return this.#echo(event);
    const columns = this.#tables.columnsOf(schema, tableName);
    if (columns === undefined) return NOTHING;
    mustBeFull(event, `${schema}.${tableName}`);
    const changes = event.rows.map((row): RowChange => {
      const { before, after } = imagesOf(row);
      return {
        schema,
        table: tableName,
        kind,
        before: kind === 'insert' ? undefined : rowOf(before, columns),
        after: kind === 'delete' ? undefined : rowOf(after, columns),
      };
    });
    if (this.#xa === undefined) return { ...NOTHING, changes };
    this.#xa.push(...changes);
    return NOTHING;
  }

  #echo(event: RowsEvent): ReadEvent {
    const rows = event.rows.map((row) => imagesOf(row).after);
    const own = rows.findLast((row) => row.source === this.#tables.source);
    return own === undefined ? NOTHING : { ...NOTHING, echo: { at: Number(own.saved_at), fence: Number(own.fences) } };
  }

  #boundary(): ReadEvent {
    const changes = this.#xa ?? []; // committed in one phase
    this.#xa = undefined;
    return { changes, isBoundary: this.#prepared.size === 0, echo: undefined };
  }

  #prepare(xid: XaIdentity): ReadEvent {
    if (xid.onePhase) return this.#boundary();
    if (this.#xa !== undefined && this.#xa.length > 0) this.#prepared.set(xaKey(xid), this.#xa);
    this.#xa = undefined;
    return this.#boundary();
  }

  #statement({ query, schema }: { readonly query: string; readonly schema: string }): ReadEvent {
    if (/^XA\s+START\b/i.test(query)) {
      this.#xa = [];
      return NOTHING;
    }
    const [, end, xid = ''] = /^XA\s+(COMMIT|ROLLBACK)\s+(.*)$/is.exec(query) ?? [];
    if (end !== undefined) {
      const key = xid
        .replace(/\s*ONE\s+PHASE\s*$/i, '')
        .replaceAll(/\s/g, '')
        .toLowerCase();
      const changes = this.#prepared.get(key) ?? [];
      this.#prepared.delete(key);
      return { ...this.#boundary(), changes: end.toUpperCase() === 'COMMIT' ? changes : [] };
    }
    if (/^(?:COMMIT|ROLLBACK)$/i.test(query.trim())) return this.#boundary();
    const concern = concernOf({ schema, text: query, isSelfDescribing: this.#isSelfDescribing }, this.#tables);
    if (concern !== undefined)
      throw new CaptureGap('statement', `no row events tell what this statement changed: ${concern}`);
    return NOTHING;
  }
}

/** Of an insert or a delete there is one image, which is given as both. */
function imagesOf(row: RowData | { before: RowData; after: RowData }) {
  const { before, after } = row as { before: RowData; after: RowData };
  const isUpdate = typeof before === 'object' && typeof after === 'object' && before !== null && after !== null;
  return (isUpdate ? { before, after } : { before: row, after: row }) as {
    before: DecodedColumns;
    after: DecodedColumns;
  };
}

type DecodedColumns = Parameters<typeof rowOf>[0];

interface XaIdentity {
  readonly xidFormatId: number;
  readonly xidGtrid: Buffer;
  readonly xidBqual: Buffer;
  readonly onePhase: boolean;
}

/** As both servers write it after XA COMMIT: X'6162',X'',1. */
function xaKey({ xidFormatId, xidGtrid, xidBqual }: XaIdentity): string {
  return `x'${xidGtrid.toString('hex')}',x'${xidBqual.toString('hex')}',${xidFormatId}`;
}

/** A session may log less than whole rows; the reader would take what is missing for NULL. */
function mustBeFull(event: RowsEvent, table: string): void {
  const { columns_present_bitmap: first, columns_present_bitmap2: second, numberOfColumns: columns } = event;
  for (const bitmap of [first, second]) {
    if (bitmap === undefined) continue;
    for (let i = 0; i < columns; i++) {
      if (((bitmap[i >> 3] ?? 0) >> (i & 7)) & 1) continue;
      throw new CaptureGap('unreadable', `a session has changed ${table} with a binlog_row_image other than FULL`);
    }
  }
}
