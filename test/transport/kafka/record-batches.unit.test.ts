import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { fc, test } from '@fast-check/vitest';
import lz4 from 'lz4-napi';
import snappy from 'snappy';
import { describe, expect, it } from 'vitest';
import { brokerFault } from '../../../src/transport/kafka/fetch-response.ts';
import type { FetchedMessage } from '../../../src/transport/kafka/fetched-message.ts';
import {
  batchesIn,
  decodeBatch,
  MAX_BATCH_BYTES,
  MAX_BATCH_RECORDS,
} from '../../../src/transport/kafka/record-batches.ts';
import { controlBatch, fetchResponse, record, recordBatch } from '../../support/record-batch.ts';

/** Written by Kafka's own library: see java/Batches.java. */
const JAVA = JSON.parse(readFileSync(new URL('../../support/java/batches.json', import.meta.url), 'utf8'));
const java = (name: string) => Buffer.from(JAVA[name], 'base64');

async function messagesOf(records: Buffer): Promise<FetchedMessage[]> {
  const messages: FetchedMessage[] = [];
  for (const batch of batchesIn(records)) messages.push(...(await decodeBatch(batch)).messages);
  return messages;
}

const shown = ({ offset, timestamp, key, value, headers }: FetchedMessage) => {
  const texts = Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, String(text)]));
  return { offset, timestamp, key: key && String(key), value: value && String(value), headers: texts };
};

/** What Batches.java writes. */
function written(magic: number) {
  return Array.from({ length: 20 }, (_, i) => ({
    offset: String(100 + i),
    timestamp: magic === 0 ? '-1' : String(1_700_000_000_000 + i),
    key: i % 7 === 0 ? null : `k${i}`,
    value: i % 11 === 5 ? null : `{"type":"recency.contact.added","user":"${42 + i}","contact":"7"}`,
    headers: magic === 2 ? { ce_id: `e${i}` } : {},
  }));
}

/** Format 0 with LZ4 has a wrong frame checksum (KAFKA-3160): it comes from clients before 2016, and is reported as unreadable. */
const READABLE = Object.keys(JAVA).filter((name) => name !== '0 lz4');

describe('batches as Kafka’s own library writes them', () => {
  it('cover every format and codec', () => {
    expect(Object.keys(JAVA)).toHaveLength(13);
  });

  it.each(READABLE)('are read: format %s', async (name) => {
    expect((await messagesOf(java(name))).map(shown)).toEqual(written(Number(name[0])));
  });

  it('are reported as unreadable in format 0 with LZ4', async () => {
    const [message, ...others] = await messagesOf(java('0 lz4'));
    expect(others).toEqual([]);
    expect(message).toMatchObject({ offset: '119', unreadable: { firstOffset: '119' } });
    expect(message?.unreadable?.reason).toMatch(/compression \(lz4\)/);
  });

  test.prop([fc.constantFrom(...Object.keys(JAVA)), fc.nat(), fc.integer({ min: 1, max: 255 })])(
    'with one byte changed are read unchanged or reported as unreadable, and never throw',
    async (name, place, change) => {
      const bytes = java(name);
      const at = place % bytes.length;
      bytes[at] = (bytes[at] as number) ^ change;
      const inPrefix = at < 16; // the offset, the length and the epoch: no checksum covers them
      const messages = await messagesOf(bytes);
      const values = written(Number(name[0])).map(({ key, value }) => ({ key, value }));
      for (const one of messages) {
        const { key, value } = shown(one);
        if (one.unreadable === undefined) expect(values).toContainEqual({ key, value });
      }
      if (!inPrefix && name.startsWith('2')) {
        expect(messages).toHaveLength(1);
        expect(messages[0]?.unreadable?.firstOffset).toBe('100');
      }
    },
  );

  it.each(['2 none', '2 gzip', '2 snappy', '2 lz4', '2 zstd'])('with a wrong checksum: %s', async (name) => {
    const bytes = java(name);
    bytes.writeUInt32BE(1, 17);
    const [message, ...others] = await messagesOf(bytes);
    expect(others).toEqual([]);
    expect(message).toMatchObject({ offset: '119', isControlRecord: false, unreadable: { firstOffset: '100' } });
    expect(message?.unreadable?.reason).toBe('a batch that cannot be read: the checksum (CRC-32C) is wrong');
    expect(message?.value?.equals(bytes)).toBe(true);
  });
});

describe('an unreadable batch', () => {
  const ZEROS = Buffer.alloc(MAX_BATCH_BYTES + 1);

  it.each<[string, number, () => Buffer]>([
    ['gzip', 1, () => gzipSync(ZEROS)],
    ['snappy', 2, () => snappy.compressSync(ZEROS)],
    ['lz4', 3, () => lz4.compressFrameSync(ZEROS)],
    ['zstd', 4, () => zstdCompressSync(ZEROS)],
  ])('comes to more than is taken: %s', async (name, codec, compress) => {
    const [message] = await messagesOf(recordBatch({ first: 7, count: 3, attributes: codec, payload: compress() }));
    expect(message).toMatchObject({ offset: '9', unreadable: { firstOffset: '7' } });
    expect(message?.unreadable?.reason).toMatch(`compression (${name}): it decompresses to more than 33554432 bytes`);
  });

  it('claims a large decompressed size, but has little data', async () => {
    const payload = Buffer.concat([Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f]), Buffer.alloc(10)]);
    const [message] = await messagesOf(recordBatch({ attributes: 2, payload }));
    expect(message?.unreadable?.reason).toMatch(/more than 33554432 bytes/);
  });

  it.each<[string, number, Buffer, RegExp]>([
    ['an unknown codec', 5, Buffer.alloc(10), /codec 5 is unknown/],
    ['no gzip', 1, Buffer.from('nonsense'), /compression \(gzip\): /],
    ['half a gzip', 1, gzipSync(record(0, null)).subarray(0, 12), /compression \(gzip\): /],
    ['no snappy', 2, Buffer.from([4, 255, 255]), /compression \(snappy\): /],
    [
      'half of Java’s snappy',
      2,
      Buffer.from('82534e41505059000000000100000001000000ff00', 'hex'),
      /ends after the batch/,
    ],
    ['no LZ4', 3, Buffer.from('nonsense'), /it is not an LZ4 frame/],
    ['half an LZ4 frame', 3, lz4.compressFrameSync(Buffer.alloc(1_000)).subarray(0, 20), /compression \(lz4\): /],
    ['two LZ4 frames', 3, Buffer.concat([1, 2].map(() => lz4.compressFrameSync(record(0, null)))), /more than one/],
    ['no zstd', 4, Buffer.from('nonsense'), /compression \(zstd\): /],
    ['records that end early', 0, record(0, Buffer.alloc(9)).subarray(0, 8), /bytes expected, but only/],
    ['bytes left over', 0, Buffer.concat([record(0, null), Buffer.alloc(3)]), /3 bytes follow its 1 records/],
    ['a record behind the end', 0, record(5, null), /offset \+5 in a batch that ends at \+0/],
    ['an endless number', 0, Buffer.alloc(11, 0xff), /more than 10 bytes/],
  ])('%s', async (_, attributes, payload, reason) => {
    const [message, ...others] = await messagesOf(recordBatch({ first: 5, attributes, payload }));
    expect(others).toEqual([]);
    expect(message?.offset).toBe('5');
    expect(message?.unreadable?.reason).toMatch(reason);
  });

  it('has too many records, or a negative number of them', async () => {
    for (const count of [MAX_BATCH_RECORDS + 1, -1]) {
      const [message] = await messagesOf(recordBatch({ first: 5, count, payload: Buffer.alloc(0) }));
      expect(message?.unreadable).toBeDefined();
    }
  });

  it('is skipped offset by offset when its end is unknown', async () => {
    const batch = recordBatch({ first: 5, count: 3, lastDelta: 1_000_000, payload: Buffer.alloc(3) });
    expect((await messagesOf(batch))[0]).toMatchObject({ offset: '5', unreadable: { firstOffset: '5' } });
  });

  it('is of an unknown format', async () => {
    const batch = recordBatch({ payload: Buffer.alloc(3) });
    batch.writeInt8(3, 16);
    expect((await messagesOf(batch))[0]?.unreadable?.reason).toMatch(/message format 3 is unknown/);
  });

  it('does not prevent reading the next one', async () => {
    const bad = recordBatch({ first: 5, count: 2, attributes: 6, payload: Buffer.alloc(9) });
    const good = recordBatch({ first: 7, payload: record(0, Buffer.from('x')) });
    const messages = await messagesOf(Buffer.concat([bad, good, good.subarray(0, 30)]));
    expect(messages.map(({ offset, unreadable }) => [offset, unreadable === undefined])).toEqual([
      ['6', false],
      ['7', true],
    ]);
  });
});

describe('a batch with little in it', () => {
  it('advances to its last offset if compaction removed the last records, or all', async () => {
    const some = recordBatch({ first: 5, count: 1, lastDelta: 9, payload: record(2, null) });
    const none = recordBatch({ first: 15, count: 0, lastDelta: 4, payload: Buffer.alloc(0) });
    const messages = await messagesOf(Buffer.concat([some, none]));
    expect(
      messages.map(({ offset, isControlRecord, isPlaceholder }) => [offset, isControlRecord, isPlaceholder]),
    ).toEqual([
      ['7', false, undefined],
      ['14', false, true],
      ['19', false, true],
    ]);
  });

  it('may have very many headers: the time is linear in their number', { timeout: 60_000 }, async () => {
    const headers = Array.from({ length: 100_000 }, (_, i): [string, string] => [`h${i}`, 'x']);
    headers.push(['__proto__', 'trap'], ['h0', 'second']);
    const batch = recordBatch({ payload: record(0, null, null, headers) });
    const [message] = await messagesOf(batch); // minutes, if it were quadratic
    expect(Object.keys(message?.headers ?? {})).toHaveLength(100_001);
    expect(String(message?.headers.h0)).toBe('x');
  });
});

interface Answer {
  responses: { partitions: { partition: number; errorCode: number; messages: FetchedMessage[] }[] }[];
}

const response = createRequire(import.meta.url)('kafkajs/src/protocol/requests/fetch/v11/response.js') as {
  decode(bytes: Buffer): Promise<Answer>;
  parse(answer: Answer): Promise<Answer>;
};
const Batch = createRequire(import.meta.url)('kafkajs/src/consumer/batch.js') as new (
  ...args: unknown[]
) => { messages: FetchedMessage[]; lastOffset(): string };

async function answered(...parts: Parameters<typeof fetchResponse>) {
  const { responses } = await response.parse(await response.decode(fetchResponse(...parts)));
  return responses.flatMap(({ partitions }) => partitions);
}

describe('the answer to a fetch', () => {
  const inTransaction = (first: number, producerId: number, value: string) =>
    recordBatch({ first, producerId, attributes: 0x10, payload: record(0, Buffer.from(value)) });

  const delivered = async (records: Buffer, aborted: { producerId: number; firstOffset: number }[], from = '0') => {
    const [partition] = await answered([{ records, aborted }]);
    const batch = new Batch('t', from, partition);
    const values = batch.messages.filter(({ isPlaceholder }) => !isPlaceholder).map(({ value }) => String(value));
    return { values, last: batch.lastOffset(), end: batch.messages.at(-1)?.offset };
  };

  it('delivers what was committed, and not what was aborted', async () => {
    const records = Buffer.concat([
      inTransaction(0, 1, 'aborted'),
      inTransaction(1, 2, 'committed'),
      controlBatch(2, 1, 0),
      recordBatch({ first: 3, payload: record(0, Buffer.from('plain')) }),
      inTransaction(4, 1, 'next'),
      controlBatch(5, 2, 1),
      controlBatch(6, 1, 1),
    ]);
    const { values, last } = await delivered(records, [{ producerId: 1, firstOffset: 0 }]);
    expect(values).toEqual(['committed', 'plain', 'next']);
    expect(last).toBe('6');
  });

  it('delivers what was committed after the ends of two aborted transactions', async () => {
    // kafkajs takes one aborted transaction a message into account: that of 2 after its end, and then drops `kept`.
    const records = Buffer.concat([
      controlBatch(10, 2, 0),
      controlBatch(11, 1, 0),
      inTransaction(12, 2, 'kept'),
      controlBatch(13, 2, 1),
    ]);
    const aborted = [
      { producerId: 1, firstOffset: 0 },
      { producerId: 2, firstOffset: 1 },
    ];
    expect((await delivered(records, aborted, '10')).values).toEqual(['kept']);
  });

  it('does not mistake a key of four zeros for the end of a transaction', async () => {
    const key = Buffer.alloc(4);
    const first = recordBatch({ producerId: 1, attributes: 0x10, payload: record(0, Buffer.from('a'), key) });
    const records = Buffer.concat([first, inTransaction(1, 1, 'b'), controlBatch(2, 1, 0)]);
    expect((await delivered(records, [{ producerId: 1, firstOffset: 0 }])).values).toEqual([]);
  });

  it('continues past a range of only aborted messages', async () => {
    const records = Buffer.concat([inTransaction(0, 1, 'a'), inTransaction(1, 1, 'b')]);
    expect(await delivered(records, [{ producerId: 1, firstOffset: 0 }])).toEqual({ values: [], last: '1', end: '1' });
  });

  it('delivers placeholders where offsets are missing, also among what is hidden', async () => {
    const damaged = recordBatch({ first: 9, count: 2, attributes: 6, payload: Buffer.alloc(9) });
    const records = Buffer.concat([controlBatch(0, 1, 1), controlBatch(3, 1, 1), inTransaction(4, 1, 'a'), damaged]);
    const [partition] = await answered([{ records, aborted: [{ producerId: 1, firstOffset: 4 }] }]);
    const { messages } = new Batch('t', '0', partition);
    expect(messages.map(({ offset, isPlaceholder }) => [offset, isPlaceholder])).toEqual([
      ['2', true],
      ['8', true],
      ['10', undefined],
    ]);
  });

  it('delivers a placeholder at the end of what is hidden, so that a gap before it is seen, too', async () => {
    const [partition] = await answered([{ records: Buffer.concat([controlBatch(7, 1, 1), controlBatch(8, 1, 1)]) }]);
    const { messages } = new Batch('t', '5', partition);
    expect(messages).toMatchObject([{ offset: '8', isPlaceholder: true, value: null }]);
  });

  it('is used for the other partitions if the broker cannot read one', async () => {
    const records = recordBatch({ payload: record(0, Buffer.from('x')) });
    const partitions = await answered([
      { partition: 0, errorCode: 2, records: Buffer.alloc(0) },
      { partition: 1, records },
    ]);
    expect(partitions.map(({ messages }) => messages.length)).toEqual([0, 1]);
    expect([0, 1].map((partition) => brokerFault('t', partition))).toEqual([2, undefined]);
    await answered([{ partition: 0, records }]);
    expect(brokerFault('t', 0)).toBeUndefined();
  });

  it.each([1, 6, 29])('leaves error %i to kafkajs', async (errorCode) => {
    await expect(answered([{ errorCode, records: Buffer.alloc(0) }])).rejects.toThrow();
  });

  it('yields a bounded number of messages, and every partition gets its turn', async () => {
    const payload = gzipSync(Buffer.concat(Array.from({ length: 100_000 }, (_, i) => record(i, null))));
    const records = recordBatch({ attributes: 1, count: 100_000, payload });
    const twice = Buffer.concat([records, recordBatch({ first: 100_000, attributes: 1, count: 100_000, payload })]);
    const seen = new Set<number>();
    for (let round = 0; round < 3; round++) {
      const partitions = await answered([0, 1, 2].map((partition) => ({ partition, records: twice })));
      const counts = partitions.map(({ messages }) => messages.length);
      expect(counts.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(200_000);
      for (const [partition, count] of counts.entries()) if (count > 0) seen.add(partition);
    }
    expect(seen.size).toBe(3);
  });
});
