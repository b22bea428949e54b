import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { CaptureGap } from '../../../src/capture/change-source.ts';
import { ConnectorMistake, readMessage } from '../../../src/capture/debezium/messages.ts';

const COLUMNS = new Map([
  ['id', 'bigint unsigned'],
  ['owner', 'bigint(20) unsigned'],
  ['n', 'bigint'],
  ['kind', 'varchar(40)'],
  ['shown', 'tinyint(1)'],
]);

const context = {
  topic: 'site.shop.posts',
  columnsOf: (schema: string, table: string) => (schema === 'shop' && table === 'posts' ? COLUMNS : undefined),
};

const source = {
  version: '3.5.0.Final',
  connector: 'mysql',
  name: 'site',
  db: 'shop',
  table: 'posts',
  ts_ms: 1_700_000_000_000,
};
const row = { id: 1, owner: 2, n: -5, kind: 'App\\Profile', shown: true, other: [1] };
const read = { id: '1', owner: '2', n: -5, kind: 'App\\Profile', shown: 1 };

type Json = Record<string, unknown> | null | string;

/** As JsonConverter writes it, without or with its schema. */
const forms: [string, (payload: Json) => Buffer][] = [
  ['without a schema', (payload) => Buffer.from(JSON.stringify(payload))],
  ['with its schema', (payload) => Buffer.from(JSON.stringify({ schema: { type: 'struct', fields: [] }, payload }))],
];

const event = (op: string, before: Json, after: Json): Json => ({
  before,
  after,
  source,
  op,
  ts_ms: 1,
  transaction: null,
});

describe.each(forms)('a message %s', (_form, bytes) => {
  const what = (payload: Json) => readMessage(bytes(payload), context);

  test.each(['c', 'r'])('of operation %s is an insert', (op) => {
    expect(what(event(op, null, row))).toEqual({
      is: 'change',
      at: source.ts_ms,
      change: { schema: 'shop', table: 'posts', kind: 'insert', before: undefined, after: read },
    });
  });

  test('of an update has both images, of a delete the one before', () => {
    const after = { ...row, owner: 9 };
    expect(what(event('u', row, after))).toMatchObject({
      change: { kind: 'update', before: read, after: { ...read, owner: '9' } },
    });
    expect(what(event('d', row, null))).toMatchObject({ change: { kind: 'delete', before: read, after: undefined } });
  });

  test.each([
    ['an update without the row before', event('u', null, row)],
    ['a delete without the row before', event('d', null, null)],
    ['an insert without its row', event('c', null, null)],
  ])('of %s is a gap', (_what, payload) => expect(() => what(payload)).toThrow(CaptureGap));

  test('of a truncated table, or of a statement, is that statement', () => {
    expect(what(event('t', null, null))).toEqual({ is: 'statement', schema: 'shop', text: 'TRUNCATE TABLE `posts`' });
    const ddl = 'ALTER TABLE posts DROP COLUMN owner';
    expect(what({ source, ts_ms: 1, databaseName: 'shop', schemaName: null, ddl, tableChanges: [] })).toEqual({
      is: 'statement',
      schema: 'shop',
      text: ddl,
    });
  });

  test.each([
    ['a heartbeat', { ts_ms: 1_700_000_000_000 }],
    [
      'the begin of a transaction',
      { status: 'BEGIN', id: 'file=1,pos=2', event_count: null, data_collections: null, ts_ms: 1 },
    ],
    ['the end of a transaction', { status: 'END', id: 'file=1,pos=2', event_count: 1, data_collections: [], ts_ms: 1 }],
    ['another table', { ...(event('c', null, row) as object), source: { ...source, table: 'likes' } }],
    ['a tombstone', null],
    ['a logical message', { op: 'm', message: { prefix: 'x', content: '' }, ts_ms: 1 }],
  ])('of %s is nothing', (_what, payload) => expect(what(payload)).toEqual({ is: 'nothing' }));

  test('that a transform has unwrapped, or of an unknown operation, is the connector’s mistake', () => {
    expect(() => what(row)).toThrow(ConnectorMistake);
    expect(() => what(row)).toThrow('ExtractNewRecordState');
    expect(() => what(event('x', null, row))).toThrow('unknown operation x');
  });
});

test('a bare tombstone is nothing, and what is not JSON names the converter', () => {
  expect(readMessage(null, context)).toEqual({ is: 'nothing' });
  const avro = Buffer.from([0, 0, 0, 0, 1, 2, 3]);
  expect(() => readMessage(avro, context)).toThrow(ConnectorMistake);
  expect(() => readMessage(avro, context)).toThrow('JsonConverter');
});

test('a column that the row has not is missing, not NULL', () => {
  const { owner: _owner, ...rest } = row;
  const value = Buffer.from(JSON.stringify(event('c', null, rest)));
  const { owner: _read, ...without } = read;
  expect(readMessage(value, context)).toMatchObject({ change: { after: without } });
  const seen = readMessage(value, context);
  expect(seen.is === 'change' && 'owner' in (seen.change.after ?? {})).toBe(false);
});

/** As Java's BigInteger.toByteArray: the fewest bytes of the two's complement. */
function toByteArray(value: bigint): Buffer {
  for (let length = 1; ; length++) {
    if (BigInt.asIntN(length * 8, value) !== value) continue;
    return Buffer.from(
      BigInt.asUintN(length * 8, value)
        .toString(16)
        .padStart(length * 2, '0'),
      'hex',
    );
  }
}

describe('an unsigned BIGINT is exact', () => {
  const greatest = 2n ** 64n - 1n;
  const id = fc.oneof(
    fc.bigInt({ min: 0n, max: greatest }),
    fc.constantFrom(0n, 1n, 127n, 128n, 255n, 2n ** 53n + 1n, 2n ** 63n - 1n, 2n ** 63n, greatest - 1n, greatest),
  );
  /** Text instead of JSON.stringify, which cannot write such numbers. */
  const message = (field: string) => {
    const text = JSON.stringify(event('c', null, { ...row, id: '?' })).replace('"?"', field);
    const seen = readMessage(Buffer.from(text), context);
    return seen.is === 'change' ? seen.change.after?.id : undefined;
  };

  test.prop([id])('in every mode of the connector', (value) => {
    expect(message(BigInt.asIntN(64, value).toString())).toBe(value.toString()); // long
    expect(message(JSON.stringify(toByteArray(value).toString('base64')))).toBe(value.toString()); // precise
    expect(message(value.toString())).toBe(value.toString()); // precise, decimal.format=NUMERIC
  });

  test('and NULL is NULL, and a signed one stays negative', () => {
    expect(message('null')).toBe(null);
    const text = JSON.stringify(event('c', null, { ...row, n: '?' })).replace('"?"', '-9223372036854775808');
    expect(readMessage(Buffer.from(text), context)).toMatchObject({ change: { after: { n: '-9223372036854775808' } } });
  });
});
