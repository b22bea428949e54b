import type { ConnectionOptions } from 'mysql2';
import { UserError } from '../../contracts/user-error.ts';
import { CAPTURE_TABLE, type LogEnd } from '../../mysql/capture.ts';
import { pause } from '../../timing/loop.ts';
import { CaptureGap, type ChangeBatch, type ChangeSource, type Echo, type RowChange } from '../change-source.ts';
import { type TableName, tableKey } from '../mapping.ts';
import { gtidsBefore } from './gtids.ts';
import { LogConnection } from './log-connection.ts';
import type { LogEvent } from './log-event.ts';
import { LogPlace } from './log-place.ts';
import { LogReader, OWN_COLUMNS, type ReadTables } from './log-reader.ts';
import type { WantedTable } from './logged-tables.ts';

/** The server does not let this account read the log. */
class LogDenied extends UserError {
  override readonly name = 'LogDenied';

  override get remedy() {
    return 'As an administrator: GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* (MariaDB: REPLICATION SLAVE, BINLOG MONITOR) to the account of RECENCY_MYSQL_URL.';
  }
}

const DENIED = new Set([1045, 1142, 1227]);

/** The log, or the position in it, is not there: purged, reset, or of a server with another history. */
const NO_SUCH_POSITION = new Set([1236, 1373, 1789, 1945, 1955]);

/** Another connection with the same replica id has ended this one: try again with another id. */
const SAME_REPLICA = /same server_(?:uu)?id|server_uuid\/server_id/i;

/** What an error of the connection means: no permission, a gap, or that the source must be opened again. */
export function faultOf(error: Error): Error {
  const { errno } = error as NodeJS.ErrnoException;
  const { message } = error;
  if (errno !== undefined && DENIED.has(errno))
    return new LogDenied(`MySQL refuses to send its binary log: ${message}`);
  if (errno === undefined || !NO_SUCH_POSITION.has(errno) || SAME_REPLICA.test(message)) return error;
  const text = `MySQL does not have its binary log from the saved position on: ${message}`;
  return new CaptureGap('position', text, { cause: error });
}

/** What an error in reading an event means. */
export function unreadable(error: unknown): CaptureGap {
  if (error instanceof CaptureGap) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new CaptureGap('unreadable', `the binary log has what cannot be read: ${message}`, { cause: error });
}

interface BinlogSourceOptions {
  /** Address, account and TLS, as the driver takes them. */
  readonly connection: ConnectionOptions;
  readonly from: LogEnd;
  readonly tables: ReadTables;
  /** The mapped tables: rows of others are not decoded. */
  readonly mapped: Iterable<TableName>;
}

/** Changes that may wait before reading pauses, and bytes of the events that they came in. */
const MOST_WAITING = 20_000;
const MOST_WAITING_BYTES = 32 * 2 ** 20;

/** Reads the binary log as a replica does. */
export class BinlogSource implements ChangeSource {
  readonly #connection: LogConnection;
  #changes: RowChange[] = [];
  #echoes: Echo[] = [];
  #at: number | undefined;
  #waitingBytes = 0;
  #failure: Error | undefined;
  #isPaused = false;
  #wake: () => void = () => undefined;

  constructor({ connection, from, tables, mapped }: BinlogSourceOptions) {
    this.#connection = new LogConnection(connection, (error) => this.#fail(faultOf(error)));
    this.#open(from, tables, mapped).catch((error: Error) => this.#fail(faultOf(error)));
  }

  get received(): number {
    return this.#connection.received;
  }

  async next(waitMs: number, signal: AbortSignal): Promise<ChangeBatch> {
    if (!this.#hasAny() && this.#failure === undefined && !signal.aborted) {
      const ended = new AbortController();
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await Promise.race([woken, pause(waitMs, AbortSignal.any([signal, ended.signal]))]);
      ended.abort();
    }
    // What came before the failure is published first, so that a position that cannot be passed is at least reached.
    if (this.#failure !== undefined && !this.#hasAny()) throw this.#failure;
    const batch = { changes: this.#changes, at: this.#at, echoes: this.#echoes };
    this.#changes = [];
    this.#echoes = [];
    this.#at = undefined;
    this.#waitingBytes = 0;
    this.#resume();
    return batch;
  }

  async close(): Promise<void> {
    this.#failure ??= new Error('closed');
    this.#connection.close();
  }

  /**
   * The columns are asked for before anything is read: what changes them later is a statement in the log, and so is what
   * has changed them since the place where reading begins.
   */
  async #open(from: LogEnd, tables: ReadTables, mapped: Iterable<TableName>): Promise<void> {
    const product = await this.#connection.prepare();
    const wanted = new Map<string, WantedTable>();
    for (const table of mapped) {
      const columns = tables.columnsOf(table.schema, table.table) ?? [];
      wanted.set(tableKey(table), { columns, known: await this.#connection.columnsOf(table) });
    }
    const own = { schema: tables.own, table: CAPTURE_TABLE };
    wanted.set(tableKey(own), { columns: OWN_COLUMNS, known: await this.#connection.columnsOf(own) });
    const reader = new LogReader(tables, (schema, table) => wanted.get(tableKey({ schema, table })));
    const gtids = gtidsBefore(from, product);
    const place = new LogPlace(from, gtids);
    await this.#connection.dump(from, gtids, {
      event: (event) => this.#take(event, place, reader),
      failed: (error) => this.#fail(faultOf(error)),
    });
  }

  #hasAny(): boolean {
    return this.#changes.length > 0 || this.#echoes.length > 0;
  }

  #take(event: LogEvent, place: LogPlace, reader: LogReader): void {
    if (this.#failure !== undefined) return;
    try {
      place.pass(event);
      const hadPrepared = reader.hasPrepared;
      const { changes, echo } = reader.read(event);
      for (const change of changes) this.#changes.push(change);
      if (echo !== undefined) this.#echoes.push({ ...echo, position: hadPrepared ? undefined : place.start });
      if (changes.length > 0) {
        this.#at = event.timestamp;
        this.#waitingBytes += event.length;
      }
      if (changes.length > 0 || echo !== undefined) this.#wake();
      if (this.#changes.length >= MOST_WAITING || this.#waitingBytes >= MOST_WAITING_BYTES) this.#pauseReading();
    } catch (error) {
      this.#fail(unreadable(error));
    }
  }

  /** Nothing after it is read. */
  #fail(failure: Error): void {
    this.#failure ??= failure;
    this.#wake();
  }

  #pauseReading(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#connection.pause();
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#connection.resume();
  }
}
