import { createRequire } from 'node:module';
import { crc32 } from 'node:zlib';
import { ByteReader, Malformed } from './byte-reader.ts';
import { CODEC_NAMES, decompress } from './decompress.ts';
import { type FetchedMessage, NO_PRODUCER, placeholderAt } from './fetched-message.ts';

/**
 * Decodes the records of a partition as a broker stores them: record batches
 * (https://kafka.apache.org/41/implementation/message-format/) and, in segments from before Kafka 0.11, message sets. Written
 * here because kafkajs's decoder throws out of the fetch for whatever a producer got wrong, which ends the consumer and
 * every one after it; it also checks no CRC, has no limit on size, and takes quadratic time in a record's headers.
 *
 * A batch that cannot be read becomes one message that says so, at the batch's last offset, so that consuming goes on behind
 * it.
 */

/**
 * Maximum decompressed bytes of a batch. Brokers take 1 MB by default, which holds at most 11 MB of tasks and 184,000 of them
 * (of 60 bytes, with zstd at level 19; with CloudEvents headers 7 MB and 24,000) [measured].
 */
export const MAX_BATCH_BYTES = 32 * 1024 * 1024;

/** A record takes at least 7 bytes; as an object it takes about 500. */
export const MAX_BATCH_RECORDS = 200_000;

/** Offset and length, before each batch and each message of a set. */
const PREFIX_BYTES = 12;
const MAGIC_AT = 16;
const BATCH_HEADER_BYTES = 61;
const CRC_ENDS_AT = 21;

const CODEC_MASK = 0x07;
const APPEND_TIME = 0x08;
const TRANSACTIONAL = 0x10;
const CONTROL = 0x20;

const crc32c = createRequire(import.meta.url)('kafkajs/src/protocol/recordBatch/crc32C/index.js') as (
  bytes: Buffer,
) => number;

/** The messages of one batch, and their decompressed size in bytes. */
interface DecodedBatch {
  readonly messages: FetchedMessage[];
  readonly bytes: number;
}

/** Yields the batches, or messages of a set, in order. An incomplete one at the end is left out. */
export function* batchesIn(records: Buffer): Generator<Buffer> {
  for (let at = 0; at + PREFIX_BYTES <= records.length; ) {
    const end = at + PREFIX_BYTES + Math.max(records.readInt32BE(at + 8), 0);
    if (end > records.length) return;
    yield records.subarray(at, end);
    at = end;
  }
}

/** Reads one batch. Never throws: see above. */
export async function decodeBatch(batch: Buffer): Promise<DecodedBatch> {
  try {
    const magic = batch.length > MAGIC_AT ? batch.readInt8(MAGIC_AT) : -1;
    if (magic === 2) return await recordBatch(batch);
    if (magic === 0 || magic === 1) return await messageOfSet(batch, magic);
    throw new Malformed(`message format ${magic} is unknown`);
  } catch (error) {
    return { messages: [unreadableBatch(batch, error as Error)], bytes: batch.length };
  }
}

interface BatchHeader {
  readonly first: bigint;
  readonly lastDelta: number;
  readonly attributes: number;
  readonly firstTime: number;
  readonly maxTime: number;
  readonly context: FetchedMessage['batchContext'];
  readonly count: number;
}

function headerOf(batch: Buffer): BatchHeader {
  const reader = new ByteReader(batch);
  const first = reader.int64();
  reader.take(CRC_ENDS_AT - 8);
  const attributes = reader.int16();
  const lastDelta = reader.int32();
  const [firstTime, maxTime] = [Number(reader.int64()), Number(reader.int64())];
  const producerId = reader.int64().toString();
  reader.take(6);
  const context = { producerId, inTransaction: (attributes & TRANSACTIONAL) !== 0 };
  return { first, lastDelta, attributes, firstTime, maxTime, context, count: reader.int32() };
}

async function recordBatch(batch: Buffer): Promise<DecodedBatch> {
  if (batch.length < BATCH_HEADER_BYTES) throw new Malformed('the batch is shorter than its header');
  if (crc32c(batch.subarray(CRC_ENDS_AT)) !== batch.readUInt32BE(CRC_ENDS_AT - 4)) {
    throw new Malformed('the checksum (CRC-32C) is wrong');
  }
  const header = headerOf(batch);
  const { count, first, lastDelta } = header;
  if (count < 0 || lastDelta < 0) throw new Malformed(`${count} records to offset +${lastDelta}`);
  if (count > MAX_BATCH_RECORDS) throw new Malformed(`it has ${count} records; the maximum is ${MAX_BATCH_RECORDS}`);
  const messages: FetchedMessage[] = [];
  const bytes = await unpacked(header.attributes, batch.subarray(BATCH_HEADER_BYTES));
  const reader = new ByteReader(bytes);
  for (let i = 0; i < count; i++) messages.push(record(reader, header));
  if (reader.left > 0) throw new Malformed(`${reader.left} bytes follow its ${count} records`);
  const last = first + BigInt(lastDelta);
  // Compaction may have removed the last records, or all: the offset must advance all the same.
  if (messages.at(-1)?.offset !== String(last)) messages.push(placeholderAt(last));
  return { messages, bytes: bytes.length };
}

async function unpacked(attributes: number, bytes: Buffer): Promise<Buffer> {
  const codec = attributes & CODEC_MASK;
  try {
    return await decompress(codec, bytes, MAX_BATCH_BYTES);
  } catch (error) {
    throw new Malformed(`compression (${CODEC_NAMES[codec] ?? codec}): ${(error as Error).message}`);
  }
}

function record(from: ByteReader, { first, lastDelta, attributes, firstTime, maxTime, context }: BatchHeader) {
  const reader = new ByteReader(from.take(from.varint()));
  reader.int8();
  const time = firstTime + reader.varint();
  const delta = reader.varint();
  if (delta < 0 || delta > lastDelta) throw new Malformed(`offset +${delta} in a batch that ends at +${lastDelta}`);
  const message: FetchedMessage = {
    offset: String(first + BigInt(delta)),
    timestamp: String((attributes & APPEND_TIME) !== 0 ? maxTime : time),
    key: reader.takeOrNull(reader.varint()),
    value: reader.takeOrNull(reader.varint()),
    headers: headers(reader),
    isControlRecord: (attributes & CONTROL) !== 0,
    batchContext: context,
  };
  return message;
}

const NO_HEADERS: FetchedMessage['headers'] = Object.freeze({});

/** Of a repeated header, the first value. */
function headers(reader: ByteReader): FetchedMessage['headers'] {
  const count = reader.varint();
  if (count <= 0) return NO_HEADERS;
  const found: Record<string, Buffer | undefined> = Object.create(null);
  for (let i = 0; i < count; i++) {
    const name = reader.text(reader.varint());
    const value = reader.takeOrNull(reader.varint());
    if (value !== null && !(name in found)) found[name] = value;
  }
  return found;
}

function unreadableBatch(batch: Buffer, error: Error): FetchedMessage {
  const first = batch.readBigInt64BE(0);
  return {
    offset: String(first + BigInt(trustedDelta(batch))),
    timestamp: '-1',
    key: null,
    value: batch,
    headers: NO_HEADERS,
    isControlRecord: false,
    batchContext: NO_PRODUCER,
    unreadable: { reason: `a batch that cannot be read: ${error.message}`, firstOffset: String(first) },
  };
}

/**
 * The number of offsets that an unreadable batch covers, less one. Trusts the header if it matches the number of records, as in
 * all batches that producers write. Otherwise the header may be damaged, too, and the batch is skipped offset by offset.
 */
function trustedDelta(batch: Buffer): number {
  if (batch.length < BATCH_HEADER_BYTES || batch.readInt8(MAGIC_AT) !== 2) return 0;
  const { count, lastDelta } = headerOf(batch);
  return lastDelta > 0 && count === lastDelta + 1 ? lastDelta : 0;
}

/** Decodes a message of a set. A compressed message holds another set, whose last message has the outer offset. */
async function messageOfSet(entry: Buffer, magic: number): Promise<DecodedBatch> {
  const outer = message(entry, magic);
  const codec = outer.attributes & CODEC_MASK;
  if (codec === 0) return { messages: [outer.message], bytes: entry.length };
  const bytes = await unpacked(codec, outer.message.value ?? Buffer.alloc(0));
  const messages: FetchedMessage[] = [];
  for (const inner of batchesIn(bytes)) {
    if (messages.length === MAX_BATCH_RECORDS) throw new Malformed(`it has more than ${MAX_BATCH_RECORDS} messages`);
    messages.push(message(inner, magic).message);
  }
  const last = messages.at(-1);
  if (last === undefined) throw new Malformed('a compressed message is empty');
  const base = BigInt(outer.message.offset) - BigInt(last.offset);
  // From format 1 on, the inner offsets count from 0.
  return {
    messages: messages.map((one) => ({ ...one, offset: String(BigInt(one.offset) + base) })),
    bytes: bytes.length,
  };
}

function message(entry: Buffer, magic: number): { attributes: number; message: FetchedMessage } {
  const reader = new ByteReader(entry);
  const offset = reader.int64().toString();
  reader.int32();
  if (crc32(entry.subarray(MAGIC_AT)) !== reader.uint32()) throw new Malformed('the checksum (CRC-32) is wrong');
  if (reader.int8() !== magic) throw new Malformed('it mixes messages of two formats');
  const attributes = reader.int8();
  const timestamp = magic === 0 ? '-1' : reader.int64().toString();
  const key = reader.takeOrNull(reader.int32());
  const value = reader.takeOrNull(reader.int32());
  const rest = { headers: NO_HEADERS, isControlRecord: false, batchContext: NO_PRODUCER };
  return { attributes, message: { offset, timestamp, key, value, ...rest } };
}
