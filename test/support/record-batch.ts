import { createRequire } from 'node:module';

const crc32c = createRequire(import.meta.url)('kafkajs/src/protocol/recordBatch/crc32C/index.js') as (
  b: Buffer,
) => number;

interface RecordBatchParts {
  readonly first?: number;
  /** Default: the number of records, minus one. */
  readonly lastDelta?: number;
  readonly count?: number;
  /** Codec 0–7; plus 16: in a transaction; plus 32: control records. */
  readonly attributes?: number;
  readonly producerId?: number;
  /** The bytes after the header, compressed as the attributes say. */
  readonly payload: Buffer;
}

/** A batch of format 2 with the right checksum. https://kafka.apache.org/41/implementation/message-format/ */
export function recordBatch({ first = 0, count = 1, payload, ...parts }: RecordBatchParts): Buffer {
  const { lastDelta = count - 1, attributes = 0, producerId = -1 } = parts;
  const head = Buffer.alloc(61);
  head.writeBigInt64BE(BigInt(first), 0);
  head.writeInt32BE(49 + payload.length, 8);
  head.writeInt8(2, 16);
  head.writeInt16BE(attributes, 21);
  head.writeInt32BE(lastDelta, 23);
  head.writeBigInt64BE(1_700_000_000_000n, 27);
  head.writeBigInt64BE(1_700_000_000_000n, 35);
  head.writeBigInt64BE(BigInt(producerId), 43);
  head.writeInt32BE(count, 57);
  const batch = Buffer.concat([head, payload]);
  batch.writeUInt32BE(crc32c(batch.subarray(21)), 17);
  return batch;
}

/** One record of a batch. */
export function record(
  delta: number,
  value: Buffer | null,
  key: Buffer | null = null,
  headers: [string, string][] = [],
) {
  const parts = [Buffer.from([0]), varint(0), varint(delta), sized(key), sized(value), varint(headers.length)];
  for (const [name, text] of headers) parts.push(sized(Buffer.from(name)), sized(Buffer.from(text)));
  const body = Buffer.concat(parts);
  return Buffer.concat([varint(body.length), body]);
}

/** The control record that ends a transaction: 0 aborts, 1 commits. */
export function controlBatch(first: number, producerId: number, type: 0 | 1): Buffer {
  const payload = record(0, Buffer.alloc(6), Buffer.from([0, 0, 0, type]));
  return recordBatch({ first, producerId, attributes: 0x30, payload });
}

function sized(bytes: Buffer | null): Buffer {
  return bytes === null ? varint(-1) : Buffer.concat([varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value < 0 ? -value * 2 - 1 : value * 2;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) + 128);
  return Buffer.from([...bytes, left]);
}

interface FetchedPartition {
  readonly partition?: number;
  readonly errorCode?: number;
  readonly aborted?: readonly { producerId: number; firstOffset: number }[];
  readonly records: Buffer;
}

/** A fetch response, version 11, for one topic `t`. */
export function fetchResponse(partitions: readonly FetchedPartition[]): Buffer {
  const parts = [int32(0), int16(0), int32(0), int32(1), int16(1), Buffer.from('t'), int32(partitions.length)];
  for (const { partition = 0, errorCode = 0, aborted = [], records } of partitions) {
    parts.push(int32(partition), int16(errorCode), int64(1_000), int64(1_000), int64(0), int32(aborted.length));
    for (const { producerId, firstOffset } of aborted) parts.push(int64(producerId), int64(firstOffset));
    parts.push(int32(-1), int32(records.length), records);
  }
  return Buffer.concat(parts);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes;
}
