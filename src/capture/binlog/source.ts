import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import ZongJi, { type ZongJiOptions } from '@vlasky/zongji';
import type { Connection, ConnectionOptions } from 'mysql2';
import { CAPTURE_TABLE, type LogEnd } from '../../mysql/capture.ts';
import { pause } from '../../timing/backoff.ts';
import { CaptureGap, type ChangeBatch, type ChangeSource, type Echo } from '../change-source.ts';
import type { TableName } from '../mapping.ts';
import type { RowChange } from '../row-change.ts';
import { faultOf } from './faults.ts';
import { LogReader, type ReadTables } from './log-reader.ts';
import { positionText } from './position.ts';

export interface BinlogSourceOptions {
  /** Address, account and TLS, as the driver takes them. */
  readonly connection: ConnectionOptions;
  readonly from: LogEnd;
  readonly tables: ReadTables;
  /** The mapped tables: rows of others are not decoded. */
  readonly mapped: Iterable<TableName>;
}

/** Changes that may wait before reading pauses, and how many are left when it goes on. */
const MOST_WAITING = 20_000;

const EVENTS = [
  ...['tablemap', 'writerows', 'updaterows', 'deleterows'],
  ...['xid', 'query', 'xaprepare', 'mariadbgtid'],
];

/** Ids of replicas must differ, so that two processes do not end each other's connection. Above those that people choose. */
const replicaId = (): number => randomInt(2 ** 30, 2 ** 32 - 1);

/** Reads the binary log as a replica does. */
export class BinlogSource implements ChangeSource {
  readonly #zongji: ZongJi;
  readonly #reader: LogReader;
  #changes: RowChange[] = [];
  #position: string | undefined;
  #at: number | undefined;
  #echo: Echo | undefined;
  #failure: Error | undefined;
  #isPaused = false;
  #wake: () => void = () => undefined;

  constructor({ connection, from, tables, mapped }: BinlogSourceOptions) {
    this.#reader = new LogReader(tables);
    this.#zongji = new ZongJi({ ...connection, dateStrings: true, jsonStrings: true } as ConnectionOptions);
    this.#zongji.on('error', (error) => this.#fail(error));
    this.#zongji.on('ready', () => this.#gate());
    this.#zongji.on('binlog', (event) => this.#take(event));
    this.#zongji.start({ ...startOf(from), ...filterOf(mapped, tables.own), serverId: replicaId() });
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
    const batch = { changes: this.#changes, position: this.#position, at: this.#at, echo: this.#echo };
    this.#changes = [];
    this.#echo = undefined;
    this.#at = undefined;
    this.#resume();
    return batch;
  }

  async close(): Promise<void> {
    this.#failure ??= new Error('closed');
    const stopped = once(this.#zongji, 'stopped');
    this.#zongji.stop();
    await stopped;
  }

  #hasAny(): boolean {
    return this.#changes.length > 0 || this.#echo !== undefined;
  }

  #take(event: Parameters<LogReader['read']>[0]): void {
    if (this.#failure !== undefined) return;
    try {
      const { changes, isBoundary, echo } = this.#reader.read(event);
      for (const change of changes) this.#changes.push(change);
      if (isBoundary) this.#position = this.#positionNow();
      if (echo !== undefined) this.#echo = echo;
      if (changes.length > 0) this.#at = event.timestamp;
      if (changes.length > 0 || echo !== undefined) this.#wake();
      if (this.#changes.length >= MOST_WAITING) this.#pauseReading();
    } catch (error) {
      this.#fail(error);
    }
  }

  #positionNow(): string | undefined {
    const { gtidSet, options } = this.#zongji;
    if (gtidSet !== undefined && this.#zongji.get('gtidSet') !== undefined) return positionText({ gtids: gtidSet });
    const { filename, position } = options;
    if (filename === undefined || position === undefined) return undefined;
    return positionText({ file: filename, offset: position });
  }

  /** The package goes silent after an error, so the first one ends this source. */
  #fail(error: unknown): void {
    this.#failure ??= error instanceof CaptureGap ? error : faultOf(error);
    this.#wake();
  }

  #pauseReading(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#zongji.connection?.pause();
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#zongji.connection?.resume();
  }

  /**
   * The package pauses the same connection while it asks for a table's columns; rows that came in between would be skipped.
   * So the connection goes on only when nobody wants it to pause.
   */
  #gate(): void {
    const { connection } = this.#zongji;
    if (connection === null) return;
    let pauses = 0;
    const [pauseNow, resumeNow] = [connection.pause.bind(connection), connection.resume.bind(connection)];
    const gated: Pick<Connection, 'pause' | 'resume'> = {
      pause: () => {
        pauses += 1;
        pauseNow();
      },
      resume: () => {
        pauses = Math.max(0, pauses - 1);
        if (pauses === 0) resumeNow();
      },
    };
    Object.assign(connection, gated);
  }
}

function startOf(from: LogEnd): ZongJiOptions {
  return 'gtids' in from ? { gtidSet: from.gtids } : { filename: from.file, position: from.offset };
}

function filterOf(mapped: Iterable<TableName>, own: string): ZongJiOptions {
  const includeSchema: Record<string, string[]> = { [own]: [CAPTURE_TABLE] };
  for (const { schema, table } of mapped) {
    includeSchema[schema] ??= [];
    includeSchema[schema].push(table);
  }
  return { includeEvents: EVENTS, includeSchema };
}
