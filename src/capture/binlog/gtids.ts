/** The transactions that were read, as the server names them: its position. */
import { GtidSet, MariadbGtidPosition } from '@vlasky/zongji';
import type { LogEnd } from '../../mysql/capture.ts';
import { EventByteReader } from './byte-reader.ts';
import type { LogEvent } from './log-event.ts';

/** A set of transactions that grows. */
export interface Gtids {
  add(event: Pick<LogEvent, 'body' | 'serverId' | 'type'>): void;
  toString(): string;
}

/** What is before this place; undefined: it is an offset in a file. @throws Error: it is of the other product */
export function gtidsBefore(place: LogEnd, product: 'MySQL' | 'MariaDB'): Gtids | undefined {
  if (!('gtids' in place)) return undefined;
  return product === 'MariaDB' ? new MariadbGtids(place.gtids) : new MysqlGtids(place.gtids);
}

/** MariaDB: `0-1-42`, the last of each domain. @throws Error when the text is no such position */
export class MariadbGtids implements Gtids {
  readonly #position: MariadbGtidPosition;

  constructor(text: string) {
    this.#position = MariadbGtidPosition.parse(text);
  }

  add({ body, serverId }: Pick<LogEvent, 'body' | 'serverId'>): void {
    const reader = new EventByteReader(body);
    const seqNo = String(reader.uint64());
    this.#position.add({ seqNo, domainId: reader.uint(4), serverId });
  }

  toString(): string {
    return this.#position.toString();
  }
}

/** MySQL: `uuid:1-42`. @throws Error when the text is no such set */
export class MysqlGtids implements Gtids {
  readonly #set: GtidSet;

  constructor(text: string) {
    this.#set = GtidSet.parse(text);
  }

  add({ body, type }: Pick<LogEvent, 'body' | 'type'>): void {
    this.#set.add(type === TAGGED ? taggedGtid(body) : plainGtid(body));
  }

  toString(): string {
    return this.#set.toString();
  }

  /** As COM_BINLOG_DUMP_GTID takes it. */
  encode(): Buffer {
    return (this.#set as unknown as { encode(): Buffer }).encode();
  }
}

const TAGGED = 42;

function plainGtid(body: Buffer): string {
  const reader = new EventByteReader(body);
  reader.skip(1);
  return `${uuidText(reader.bytes(16))}:${reader.uint64()}`;
}

/** A message of fields, each after its number: flags 0, uuid 1, number 2, tag 3 (MySQL, Gtid_event::define_fields). */
function taggedGtid(body: Buffer): string {
  const reader = new EventByteReader(body);
  const version = varint(reader);
  if (version !== 1n) throw new RangeError(`a GTID of the unknown form ${version}`);
  varint(reader); // its length
  varint(reader); // the last field that must be known
  let field = varint(reader);
  if (field === 0n) {
    varint(reader);
    field = varint(reader);
  }
  if (field !== 1n) throw new RangeError('a GTID without its server');
  const uuid = Buffer.from(Array.from({ length: 16 }, () => Number(varint(reader))));
  if (varint(reader) !== 2n) throw new RangeError('a GTID without its number');
  const number = signed(varint(reader));
  if (varint(reader) !== 3n) return `${uuidText(uuid)}:${number}`;
  return `${uuidText(uuid)}:${reader.text(Number(varint(reader)))}:${number}`;
}

/** As many ones at the end of the first byte as bytes follow; the others begin the number, the lowest first. */
function varint(reader: EventByteReader): bigint {
  const first = reader.uint(1);
  let more = 0;
  while (more < 8 && ((first >> more) & 1) === 1) more += 1;
  if (more === 8) return reader.uint64();
  let number = BigInt(first >> (more + 1));
  for (let i = 0; i < more; i++) number |= BigInt(reader.uint(1)) << BigInt(8 * i + 7 - more);
  return number;
}

const signed = (number: bigint): bigint => (number & 1n ? -((number >> 1n) + 1n) : number >> 1n);

function uuidText(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
