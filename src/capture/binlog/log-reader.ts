import { CAPTURE_TABLE } from '../../mysql/capture.ts';
import type { FoundView } from '../base-tables.ts';
import { CaptureGap, type Echo, type Row, type RowChange } from '../change-source.ts';
import { idSourceOf, type Mapping, mappedColumns, tableKey } from '../mapping.ts';
import { EventByteReader } from './byte-reader.ts';
import { EVENT, HARMLESS_EVENTS, inflated, type LogEvent, parseQuery, parseXaPrepare } from './log-event.ts';
import { type LoggedTable, LoggedTables, readRow, type WantedTable } from './logged-tables.ts';
import { concernOf, type WatchedNames } from './statements.ts';
import { XaTransactions } from './xa-transactions.ts';

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
interface ReadEvent {
  readonly changes: readonly RowChange[];
  /** Capture's own row, as it was written. */
  readonly echo: Omit<Echo, 'position'> | undefined;
}

const NOTHING: ReadEvent = { changes: [], echo: undefined };

type RowChangeKind = RowChange['kind'];

interface RowsForm {
  readonly kind: RowChangeKind;
  /** It has extra data in front of its columns. */
  readonly isSecond: boolean;
  readonly isCompressed: boolean;
}

/** Row events by their type. */
const ROWS = new Map<number, RowsForm>(
  (['insert', 'update', 'delete'] as const).flatMap((kind, i): [number, RowsForm][] => [
    [EVENT.writeRowsV1 + i, { kind, isSecond: false, isCompressed: false }],
    [EVENT.writeRows + i, { kind, isSecond: true, isCompressed: false }],
    [EVENT.compressedWriteRowsV1 + i, { kind, isSecond: false, isCompressed: true }],
    [EVENT.compressedWriteRows + i, { kind, isSecond: true, isCompressed: true }],
  ]),
);

const TRANSACTION_CONTROL =
  /^(?:BEGIN|START\s+TRANSACTION|COMMIT|ROLLBACK|(?:ROLLBACK\s+(?:WORK\s+)?TO|SAVEPOINT|RELEASE\s+SAVEPOINT)\b.*)$/is;
const XA = /^XA\s+(START|BEGIN|END|PREPARE|COMMIT|ROLLBACK)\b\s*(.*)$/is;

/** Columns of Recency's own row. */
export const OWN_COLUMNS = ['source', 'saved_at', 'fences', 'nonce'] as const;

/**
 * Makes changes of the events of the log. What is not known to be harmless is a gap: an event of another type, a statement
 * (statements.ts), rows that are not whole, XA COMMIT of rows that were not read (xa-transactions.ts).
 */
export class LogReader {
  readonly #tables: ReadTables;
  readonly #logged: LoggedTables;
  readonly #xa = new XaTransactions();
  #isSelfDescribing = false;

  /** @param wanted the tables that are read, Recency's own among them */
  constructor(tables: ReadTables, wanted: (schema: string, table: string) => WantedTable | undefined) {
    this.#tables = tables;
    this.#logged = new LoggedTables(wanted);
  }

  /** Rows of XA transactions that are prepared wait here: a position behind them would lose them. */
  get hasPrepared(): boolean {
    return this.#xa.hasPrepared;
  }

  /** @throws CaptureGap */
  read(event: LogEvent): ReadEvent {
    const { type, body } = event;
    const rows = ROWS.get(type);
    if (rows !== undefined) return this.#rows(body, rows);
    switch (type) {
      case EVENT.tableMap:
        this.#isSelfDescribing = this.#logged.map(body)?.isSelfDescribing ?? this.#isSelfDescribing;
        return NOTHING;
      case EVENT.query:
      case EVENT.compressedQuery:
        return this.#statement(parseQuery(event));
      case EVENT.mariadbGtid:
        if (isPreparedGroup(body)) this.#xa.begin();
        return NOTHING;
      case EVENT.xaPrepare: {
        const { xid, isOnePhase } = parseXaPrepare(body);
        return { ...NOTHING, changes: isOnePhase ? this.#xa.end() : this.#xa.prepare(xid) };
      }
      case EVENT.xid:
        return { ...NOTHING, changes: this.#xa.end() };
      case EVENT.partialUpdateRows:
        if (this.#logged.get(new EventByteReader(body).uint(6)) === undefined) return NOTHING;
        throw new CaptureGap('unreadable', 'parts of JSON values cannot be read (binlog_row_value_options)');
      case EVENT.transactionPayload:
        throw new CaptureGap('unreadable', 'compressed transactions cannot be read (binlog_transaction_compression)');
      case EVENT.rotate:
      case EVENT.gtid:
      case EVENT.taggedGtid:
      case EVENT.anonymousGtid:
        return NOTHING;
      default:
        if (HARMLESS_EVENTS.has(type)) return NOTHING;
        throw new CaptureGap(
          'unreadable',
          `the binary log has an event of the type ${type}, which is not known to be harmless`,
        );
    }
  }

  #rows(body: Buffer, { kind, isSecond, isCompressed }: RowsForm): ReadEvent {
    const reader = new EventByteReader(body);
    const table = this.#logged.get(reader.uint(6));
    if (table === undefined) return NOTHING;
    reader.skip(2);
    if (isSecond) reader.skip(reader.uint(2) - 2);
    mustBeWhole(table, reader, kind === 'update' ? 2 : 1);
    const rows = isCompressed ? new EventByteReader(inflated(reader.rest())) : reader;
    const changes = [...changesOf(table, kind, rows)];
    if (table.schema === this.#tables.own && table.table === CAPTURE_TABLE) return this.#echo(changes);
    return this.#xa.isOpen ? this.#xa.keep(changes, NOTHING) : { ...NOTHING, changes };
  }

  #echo(changes: readonly RowChange[]): ReadEvent {
    const own = changes.findLast(
      ({ kind, after }) => kind === 'update' && after?.source === this.#tables.source,
    )?.after;
    return own === undefined ? NOTHING : { ...NOTHING, echo: echoOf(own) };
  }

  #statement({ text, schema }: { readonly text: string; readonly schema: string }): ReadEvent {
    const trimmed = text.trim();
    const [, does, xid = ''] = XA.exec(trimmed) ?? [];
    if (does !== undefined) return { ...NOTHING, changes: this.#xa.statement(does.toUpperCase(), xid) };
    if (TRANSACTION_CONTROL.test(trimmed)) {
      // Of engines without transactions: what was written is there, either way.
      return /^(?:COMMIT|ROLLBACK)$/i.test(trimmed) ? { ...NOTHING, changes: this.#xa.end() } : NOTHING;
    }
    const concernWhere = (isSelfDescribing: boolean) => concernOf({ schema, text, isSelfDescribing }, this.#tables);
    const concern = concernWhere(this.#isSelfDescribing);
    if (concern !== undefined)
      throw new CaptureGap('statement', `no row events tell what this statement changed: ${concern}`);
    // From here on columns are known by their names only: the setting may be taken back before the next row.
    if (concernWhere(false) !== undefined) this.#logged.forgetPlaces();
    return NOTHING;
  }
}

const echoOf = ({ saved_at, fences, nonce }: Row) => ({
  at: Number(saved_at),
  fence: Number(fences),
  nonce: String(nonce ?? ''),
});

function* changesOf(table: LoggedTable, kind: RowChangeKind, rows: EventByteReader): Generator<RowChange> {
  const { schema, table: name } = table;
  while (rows.left > 0) {
    const first = readRow(table, rows);
    const second = kind === 'update' ? readRow(table, rows) : first;
    yield {
      ...{ schema, table: name, kind },
      before: kind === 'insert' ? undefined : first,
      after: kind === 'delete' ? undefined : second,
    };
  }
}

/** A session may log less than whole rows; what is missing would be taken for unchanged. @throws CaptureGap */
function mustBeWhole({ schema, table, columns }: LoggedTable, event: EventByteReader, images: number): void {
  const count = event.packedInteger();
  for (let image = 0; image < images; image++) {
    const present = event.bytes((count + 7) >> 3);
    const isWhole = columns.every((_, i) => ((present[i >> 3] ?? 0) >> (i & 7)) & 1);
    if (isWhole && count === columns.length) continue;
    throw new CaptureGap(
      'unreadable',
      `a session has changed ${schema}.${table} with a binlog_row_image other than FULL`,
    );
  }
}

/** MariaDB says it in front of the transaction: number, domain, and flags. */
function isPreparedGroup(body: Buffer): boolean {
  const PREPARED_XA = 0x40;
  return ((body[12] ?? 0) & PREPARED_XA) !== 0;
}

interface ReadTablesOptions {
  /** The schema of Recency's own tables. */
  readonly own: string;
  /** The row of `recency_capture` that comes back. */
  readonly source: string;
  /** The views that Recency reads, and what is behind them: another text changes every row of them. */
  readonly views: readonly FoundView[];
}

/** What of the log concerns the mapping. */
export function readTables(mapping: Mapping, { own, source, views }: ReadTablesOptions): ReadTables {
  const columns = mappedColumns(mapping);
  const lookups = mapping.tables.map(({ source: of }) => idSourceOf(of)).filter((id) => typeof id === 'object');
  const watched = [...columns.values(), ...lookups, ...views];
  return {
    own,
    source,
    columnsOf: (schema, table) => columns.get(tableKey({ schema, table }))?.columns,
    schemas: [...new Set(watched.map(({ schema }) => schema))],
    names: [...new Set(watched.map(({ table }) => table))],
    routines: views.flatMap(({ table, isRoutine }) => (isRoutine ? [table] : [])),
  };
}
