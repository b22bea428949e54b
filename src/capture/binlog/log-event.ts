/**
 * Events of the binary log, as the server sends them. Their layout: MySQL, libs/mysql/binlog/event;
 * MariaDB, sql/log_event.h (https://mariadb.com/docs/server/reference/clientserver-protocol/replication-protocol).
 */
import { crc32, inflateSync } from 'node:zlib';
import { EventByteReader } from './byte-reader.ts';

export interface LogEvent {
  readonly type: number;
  /** When the statement began, ms since 1970 UTC. */
  readonly timestamp: number;
  readonly serverId: number;
  /** Of the header and the body, bytes. */
  readonly length: number;
  /** It is in the file here. Others are made up for this connection, or repeated from the start of the file. */
  readonly isInFile: boolean;
  readonly body: Buffer;
}

const HEADER_BYTES = 19;
const ARTIFICIAL = 0x20;

const CHECKSUM_BYTES = 4;
const FORMAT_DESCRIPTION = 15;

/** Whether events end with a checksum is said by the description of the format at the start of each file. */
export class EventParser {
  #hasChecksums = false;

  /** @param bytes header, body and, where there is one, the checksum */
  parse(bytes: Buffer): LogEvent {
    const header = new EventByteReader(bytes);
    const timestamp = header.uint(4) * 1000;
    const type = header.uint(1);
    const serverId = header.uint(4);
    const length = header.uint(4);
    const end = header.uint(4);
    const isArtificial = (header.uint(2) & ARTIFICIAL) !== 0;
    // Of the checksum's kind and the checksum.
    if (type === FORMAT_DESCRIPTION) this.#hasChecksums = bytes.at(-CHECKSUM_BYTES - 1) === 1;
    const hasChecksum = isArtificial ? endsWithChecksum(bytes) : this.#hasChecksums;
    const body = bytes.subarray(HEADER_BYTES, hasChecksum ? -CHECKSUM_BYTES : undefined);
    return { type, timestamp, serverId, length, isInFile: !isArtificial && end !== 0, body };
  }
}

/** What a server makes up has one or not, by rules of its own. */
function endsWithChecksum(bytes: Buffer): boolean {
  const end = bytes.length - CHECKSUM_BYTES;
  return end >= HEADER_BYTES && crc32(bytes.subarray(0, end)) === bytes.readUInt32LE(end);
}

/** What is read. */
export const EVENT = {
  query: 2,
  rotate: 4,
  xid: 16,
  tableMap: 19,
  writeRowsV1: 23,
  updateRowsV1: 24,
  deleteRowsV1: 25,
  writeRows: 30,
  updateRows: 31,
  deleteRows: 32,
  gtid: 33,
  anonymousGtid: 34,
  xaPrepare: 38,
  partialUpdateRows: 39,
  transactionPayload: 40,
  taggedGtid: 42,
  mariadbGtid: 162,
  compressedQuery: 165,
  compressedWriteRowsV1: 166,
  compressedUpdateRowsV1: 167,
  compressedDeleteRowsV1: 168,
  compressedWriteRows: 169,
  compressedUpdateRows: 170,
  compressedDeleteRows: 171,
} as const;

/**
 * What says nothing about rows. Every other event that is not read is a gap: an incident, LOAD DATA of a session that logs
 * statements, a type that a later server may have.
 */
export const HARMLESS_EVENTS: ReadonlySet<number> = new Set([
  3, // STOP
  5, // INTVAR: what the statement after it is given, as RAND and USER_VAR are; that statement is judged
  13, // RAND
  14, // USER_VAR
  15, // FORMAT_DESCRIPTION
  27, // HEARTBEAT
  29, // ROWS_QUERY: the text beside row events
  35, // PREVIOUS_GTIDS
  36, // TRANSACTION_CONTEXT: certification in a replication group
  37, // VIEW_CHANGE: its members
  41, // HEARTBEAT_V2
  160, // ANNOTATE_ROWS
  161, // BINLOG_CHECKPOINT
  163, // GTID_LIST
  164, // START_ENCRYPTION: the server sends the log decrypted
]);

interface QueryEvent {
  readonly schema: string;
  readonly text: string;
}

/** What its bytes say in another character set than UTF-8 is not known: each such byte is U+FFFD, as if it could not be read. */
export function parseQuery({ type, body }: Pick<LogEvent, 'type' | 'body'>): QueryEvent {
  const reader = new EventByteReader(body);
  reader.skip(8); // thread, seconds
  const schemaLength = reader.uint(1);
  reader.skip(2); // error
  const isUtf8 = isInUtf8(new EventByteReader(reader.bytes(reader.uint(2))));
  const schema = reader.text(schemaLength);
  reader.skip(1);
  const bytes = type === EVENT.compressedQuery ? inflated(reader.rest()) : reader.rest();
  const text = isUtf8 ? bytes.toString('utf8') : bytes.toString('latin1').replaceAll(/[\x80-\xff]/g, UNREADABLE);
  return { schema, text };
}

/** In a statement: nobody knows which character it is. */
export const UNREADABLE = '\ufffd';

/** Of the session's state in front of a statement: what comes before its character set, and how many bytes each takes. */
const BEFORE_CHARSET: ReadonlyMap<number, number> = new Map([
  [0, 4], // flags
  [1, 8], // sql_mode
  [3, 4], // auto_increment
]);
const CATALOG = 6;
const CHARSET = 4;

/** Whether the client's character set is UTF-8: in that the statement is logged. */
function isInUtf8(state: EventByteReader): boolean {
  while (state.left > 0) {
    const code = state.uint(1);
    if (code === CHARSET) return isUtf8(state.uint(2));
    const length = code === CATALOG ? state.uint(1) : BEFORE_CHARSET.get(code);
    if (length === undefined) return false;
    state.skip(length);
  }
  return false;
}

/** Numbers of the collations of utf8mb3 and utf8mb4, from one to another, on MySQL and MariaDB (information_schema.COLLATIONS). */
const UTF8_COLLATIONS: readonly (readonly [number, number])[] = [
  ...([33, 76, 83, 1057, 1107, 1216, 1238, 1248, 1270] as const).map((one) => [one, one] as const),
  ...([
    [45, 46],
    [192, 247],
    [255, 323],
    [576, 578],
    [608, 610],
    [1069, 1070],
    [2048, 2559],
  ] as const),
];

const isUtf8 = (collation: number): boolean =>
  UTF8_COLLATIONS.some(([first, last]) => collation >= first && collation <= last);

/** MariaDB's compressed events: a byte that says how long the length is, the length, and zlib's data. */
export function inflated(bytes: Buffer): Buffer {
  const lengthBytes = (bytes[0] ?? 0) & 0x07;
  const algorithm = ((bytes[0] ?? 0) & 0x70) >> 4;
  if (algorithm !== 0) throw new RangeError(`an event of the log is compressed by the unknown algorithm ${algorithm}`);
  return inflateSync(bytes.subarray(1 + lengthBytes));
}

interface RotateEvent {
  readonly file: string;
  readonly offset: bigint;
}

export function parseRotate(body: Buffer): RotateEvent {
  const reader = new EventByteReader(body);
  return { offset: reader.uint64(), file: reader.rest().toString('utf8') };
}

/** An XA transaction, as both servers write it in a statement: `X'6162',X'',1`, in small letters. */
export type Xid = string;

const xidText = (gtrid: Buffer, bqual: Buffer, format: number): Xid =>
  `x'${gtrid.toString('hex')}',x'${bqual.toString('hex')}',${format}`;

export function parseXaPrepare(body: Buffer): { readonly xid: Xid; readonly isOnePhase: boolean } {
  const reader = new EventByteReader(body);
  const isOnePhase = reader.uint(1) !== 0;
  const format = reader.uint(4);
  const [gtridBytes, bqualBytes] = [reader.uint(4), reader.uint(4)];
  return { xid: xidText(reader.bytes(gtridBytes), reader.bytes(bqualBytes), format), isOnePhase };
}
