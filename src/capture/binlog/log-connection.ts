/** A connection to MySQL over which it sends its binary log, as to a replica. */
import { randomInt } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { type Connection, type ConnectionOptions, createConnection } from 'mysql2';
import { mysqlProductOf } from '../../contracts/server-versions.ts';
import type { LogEnd } from '../../mysql/capture.ts';
import { setUpSession } from '../../mysql/session.ts';
import { readTableColumns, type TableColumn } from '../base-tables.ts';
import type { TableName } from '../mapping.ts';
import { type Gtids, MariadbGtids, MysqlGtids } from './gtids.ts';
import { EventParser, type LogEvent } from './log-event.ts';

interface LogListener {
  readonly event: (event: LogEvent) => void;
  /** Nothing comes after it. */
  readonly failed: (error: Error) => void;
}

/** What of mysql2 is used here and is not in its types. */
interface Internals {
  readonly stream: { readonly bytesRead: number; destroy(): void };
  addCommand(command: unknown): void;
  writePacket(packet: unknown): void;
  _resetSequenceId(): void;
  readonly clientEncoding: string;
}

interface Packet {
  readonly buffer: Buffer;
  readonly offset: number;
  readonly end: number;
  isEOF(): boolean;
  isError(): boolean;
  asError(encoding: string): Error;
}

/** Ids of replicas must differ, so that two processes do not end each other's connection. Above those that people choose. */
const replicaId = (): number => randomInt(2 ** 30, 2 ** 32 - 1);

export class LogConnection {
  readonly #connection: Connection;
  #isClosed = false;

  constructor(options: ConnectionOptions, failed: (error: Error) => void) {
    this.#connection = createConnection(options);
    this.#connection.on('error', failed);
    this.#connection.on('end', () => failed(new Error('MySQL has ended the connection to its binary log')));
  }

  /** Bytes that have arrived. */
  get received(): number {
    return (this.#connection as unknown as Internals).stream?.bytesRead ?? 0;
  }

  async columnsOf(table: TableName): Promise<TableColumn[]> {
    return readTableColumns((text, values) => this.#rows(text, values), table);
  }

  /** Sets up the session, which shows every column then, and says what server it is. */
  async prepare(): Promise<'MySQL' | 'MariaDB'> {
    await setUpSession(this.#connection.promise(), { statementMs: 0 });
    const [[version] = []] = await this.#rows('SELECT VERSION()');
    return mysqlProductOf(String(version));
  }

  /**
   * Lets the server send everything that the log has from here on.
   * @param gtids what is before it, where there are GTIDs
   */
  async dump(from: LogEnd, gtids: Gtids | undefined, listener: LogListener): Promise<void> {
    await this.#rows("SET @master_binlog_checksum = 'NONE', @source_binlog_checksum = 'NONE'");
    if (gtids instanceof MariadbGtids) {
      await this.#rows('SET @mariadb_slave_capability = 4');
      await this.#rows(`SET @slave_connect_state = '${gtids}'`); // parsed: digits, hyphens and commas
    }
    const request = gtids instanceof MysqlGtids ? gtidDump(gtids.encode()) : fileDump(from);
    if (!this.#isClosed) (this.#connection as unknown as Internals).addCommand(new Dump(request, listener));
  }

  pause(): void {
    this.#connection.pause();
  }

  resume(): void {
    this.#connection.resume();
  }

  /** Never fails: the server notices by itself that nobody listens. */
  close(): void {
    this.#isClosed = true;
    this.#connection.removeAllListeners('error');
    this.#connection.on('error', () => undefined);
    this.#connection.destroy();
    (this.#connection as unknown as Internals).stream.destroy(); // a dump never ends by itself
  }

  #rows(text: string, values: string[] = []): Promise<unknown[][]> {
    return new Promise((resolve, reject) => {
      this.#connection.query({ sql: text, values, rowsAsArray: true }, (error, rows) =>
        error === null ? resolve(rows as unknown[][]) : reject(error),
      );
    });
  }
}

const HEADER_BYTES = 4;

/** COM_BINLOG_DUMP: offset, flags, replica, file. MariaDB ignores offset and file where it was told GTIDs. */
function fileDump(from: LogEnd): Buffer {
  const { file, offset } = 'gtids' in from ? { file: '', offset: 4 } : from;
  const request = Buffer.alloc(HEADER_BYTES + 11);
  request.writeUInt8(0x12, 4);
  request.writeUInt32LE(offset, 5);
  request.writeUInt32LE(replicaId(), 11);
  return Buffer.concat([request, Buffer.from(`${file}\0`)]);
}

/** COM_BINLOG_DUMP_GTID: flags, replica, no file, offset 4, the set of what is not to be sent. */
function gtidDump(encoded: Buffer): Buffer {
  const request = Buffer.alloc(HEADER_BYTES + 23);
  request.writeUInt8(0x1e, 4);
  request.writeUInt32LE(replicaId(), 7);
  request.writeBigUInt64LE(4n, 15);
  request.writeUInt32LE(encoded.length, 23);
  return Buffer.concat([request, encoded]);
}

/** A command as mysql2 runs it: `execute` is called with each packet until it returns true. */
class Dump extends EventEmitter {
  readonly #request: Buffer;
  readonly #listener: LogListener;
  readonly #parser = new EventParser();
  #isSent = false;

  constructor(request: Buffer, listener: LogListener) {
    super();
    this.#request = request;
    this.#listener = listener;
  }

  execute(packet: Packet | undefined, connection: Internals): boolean {
    if (!this.#isSent) {
      this.#isSent = true;
      connection._resetSequenceId();
      connection.writePacket(requestPacket(this.#request));
      return false;
    }
    if (packet === undefined) return false;
    if (packet.isError()) return this.#end(packet.asError(connection.clientEncoding));
    if (packet.isEOF()) return this.#end(new Error('MySQL has ended its binary log'));
    this.#listener.event(this.#parser.parse(packet.buffer.subarray(packet.offset + 1, packet.end)));
    return false;
  }

  /** The connection is lost. */
  onResult(error: Error): void {
    this.#listener.failed(error);
  }

  #end(error: Error): true {
    this.#listener.failed(error);
    return true;
  }
}

/** A packet as mysql2 writes it. */
function requestPacket(buffer: Buffer) {
  return {
    buffer,
    length: () => buffer.length,
    writeHeader(sequenceId: number) {
      buffer.writeUIntLE(buffer.length - HEADER_BYTES, 0, 3);
      buffer.writeUInt8(sequenceId, 3);
    },
  };
}
