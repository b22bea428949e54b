import { beforeAll, expect, it, vi } from 'vitest';
import { SettledDeadLetters } from '../../src/transport/settled-dead-letters.ts';
import { StreamsDeadLetters } from '../../src/transport/streams/dead-letters.ts';
import { ask, startTestApi, type TestApi } from '../support/api.ts';
import { freshPrefix } from '../support/servers.ts';
import { freshStores, type Stores } from '../support/stores.ts';
import { recordedStream } from '../support/stream-record.ts';

let api: TestApi;
let stores: Stores;
let onRedis: StreamsDeadLetters;
let letters: SettledDeadLetters;

beforeAll(async () => {
  stores = await freshStores();
  const stream = freshPrefix();
  onRedis = new StreamsDeadLetters({ client: stores.redis, stream, recorded: recordedStream(stores.redis, stream) });
  let time = 1;
  letters = new SettledDeadLetters({
    ...{ letters: onRedis, database: stores.primary, place: stream },
    clock: () => time++,
  });
  api = await startTestApi(stores, { deadLetters: letters });
});

async function put(type: string, body = Buffer.from('{}')): Promise<string> {
  const delivery = { position: 'x', body, headers: { ce_type: type }, timestamp: 1 };
  await letters.put([{ delivery, failure: { errorClass: 'InvalidTask', message: 'is wrong', attempts: 1 } }]);
  return String((await letters.list({ limit: 100 })).at(-1)?.id);
}

const post = (what: string, body: unknown) =>
  ask(api, `/v1/dead-letters/${what}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const listed = async () => {
  const { body } = await ask(api, '/v1/dead-letters');
  return (body as { dead_letters: { id: string }[] }).dead_letters.map(({ id }) => id);
};

it('dead letters are listed, shown, replayed once, and discarded by id or by type, with a reason', async () => {
  const [one, two, three] = [await put('a'), await put('b'), await put('b')];
  expect(await listed()).toEqual([one, two, three]);
  expect((await ask(api, `/v1/dead-letters?limit=1&after=${one}`)).body).toMatchObject({ dead_letters: [{ id: two }] });
  const { body: letter } = await ask(api, `/v1/dead-letters/${one}`);
  expect(letter).toMatchObject({ id: one, body: '{}', headers: { 'dlq-exception-message': 'is wrong' } });

  expect(await post('replay', { ids: [one, '9-9'] })).toMatchObject({
    status: 200,
    body: { replayed: 1, missing: ['9-9'] },
  });
  expect(await listed()).toEqual([two, three]);
  expect(await post('discard', { type: 'b', why: 'of a test' })).toMatchObject({
    status: 200,
    body: { discarded: [two, three], missing: [] },
  });
  expect(await listed()).toEqual([]);
  const four = await put('c');
  expect(await post('discard', { ids: [four], why: 'too' })).toMatchObject({ body: { discarded: [four] } });
  expect(api.log.filter(({ msg }) => /over the API/.test(String(msg)))).toMatchObject([
    { letters: [one, '9-9'], replayed: 1 },
    { discarded: [two, three], why: 'of a test' },
    { discarded: [four], why: 'too' },
  ]);
});

it('those that were dealt with cost few calls, however many they are', async () => {
  for (let i = 0; i < 40; i++) await put('many');
  const reads = vi.spyOn(onRedis, 'list');
  const single = vi.spyOn(onRedis, 'get');
  expect((await letters.discard({ type: 'many' }, 'of a test')).discarded).toHaveLength(40);
  expect([reads.mock.calls.length, single.mock.calls.length]).toEqual([1, 0]);
  const left = await put('left');
  reads.mockClear();
  expect((await letters.list({ limit: 1 })).map(({ id }) => id)).toEqual([left]);
  expect(reads.mock.calls.length).toBeLessThan(10);
  await letters.discard([left], 'of a test');
});

it('every letter of a type is discarded, however many there are', async () => {
  const delivery = { position: 'x', body: Buffer.from('{}'), headers: { ce_type: 'thousands' }, timestamp: 1 };
  const failure = { errorClass: 'InvalidTask', message: 'is wrong', attempts: 1 };
  await letters.put(Array.from({ length: 1_100 }, () => ({ delivery, failure })));
  expect((await letters.discard({ type: 'thousands' }, 'of a test')).discarded).toHaveLength(1_100);
  expect(await letters.list({ limit: 1 })).toEqual([]);
});

it('the first reason of a letter stays', async () => {
  const id = await put('d');
  const settled = async () =>
    (await stores.primary.rows('SELECT outcome, why, settled_at FROM recency_settled_letters WHERE id = ?', [id]))[0];
  await letters.discard([id], 'the first');
  const first = await settled();
  expect(first?.slice(0, 2)).toEqual(['discarded', 'the first']);
  await letters.discard([id], 'another');
  expect(await settled()).toEqual(first);
  await letters.replay([id]);
  expect((await settled())?.slice(0, 2)).toEqual(['replayed', 'the first']);
});

it('what cannot be done is a problem, and changes nothing', async () => {
  const large = await put('large', Buffer.alloc(70_000));
  for (const [what, body, status] of [
    ['replay', { ids: [large] }, 409],
    ['replay', { ids: [] }, 400],
    ['discard', { why: 'neither' }, 400],
    ['discard', { ids: [large], type: 'large', why: 'both' }, 400],
    ['discard', { ids: [large], why: ' ' }, 400],
    ['discard', { ids: [large] }, 400],
  ] as const) {
    expect([what, body, (await post(what, body)).status]).toEqual([what, body, status]);
  }
  expect(await ask(api, '/v1/dead-letters/9-9')).toMatchObject({ status: 404, body: { code: 'letter_unknown' } });
  expect((await ask(api, '/v1/dead-letters?after=x')).status).toBe(400);
  expect((await ask(api, '/v1/dead-letters/replay')).status).toBe(405);
  expect(await listed()).toEqual([large]);
});
