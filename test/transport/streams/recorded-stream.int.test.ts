import { randomInt } from 'node:crypto';
import { fc } from '@fast-check/vitest';
import { Redis } from 'ioredis';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../../src/mysql/database.ts';
import { type StreamRecord, streamRecord } from '../../../src/mysql/stream-record.ts';
import { ConsumerGroup } from '../../../src/transport/streams/consumer-group.ts';
import { isBefore } from '../../../src/transport/streams/entries.ts';
import { RecordedStream, StreamNotOnRecord } from '../../../src/transport/streams/recorded-stream.ts';
import { streamKeys } from '../../../src/transport/streams/stream-scripts.ts';
import { cases } from '../../support/cases.ts';
import { closeAtEnd, freshPrefix, redisUrl } from '../../support/servers.ts';
import { freshStores } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

const SERVERS = [0, 1, 2] as const;
type Server = (typeof SERVERS)[number];

const ADD_UNRECORDED = `
local now = redis.call('TIME')
local ms = string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000))
local added = redis.pcall('XADD', KEYS[1], ms .. '-' .. ARGV[1], 'n', '-1')
return added.err and redis.call('XADD', KEYS[1], '*', 'n', '-1') or added`;

/** What happens at once. */
type Event =
  /** `held`: its process stops for so many steps between adding and recording. */
  | {
      readonly what: 'publish';
      readonly by: 0 | 1;
      readonly at: Server;
      readonly entries: number;
      readonly held: number;
    }
  /** Somebody who records nothing, as version 0.1.0. */
  | { readonly what: 'publish unrecorded'; readonly at: Server }
  | { readonly what: 'consume' }
  | { readonly what: 'consumers move'; readonly to: Server }
  /** A replica is promoted, or a copy is loaded. `whole`: with the keys beside the stream. */
  | { readonly what: 'copy'; readonly from: Server; readonly to: Server; readonly whole: boolean }
  | { readonly what: 'save'; readonly at: Server }
  | { readonly what: 'go back'; readonly at: Server; readonly whole: boolean }
  | { readonly what: 'delete'; readonly at: Server; readonly whole: boolean };

const server = fc.constantFrom(...SERVERS);
const publish = fc.record({
  what: fc.constant('publish' as const),
  by: fc.constantFrom(0 as const, 1 as const),
  at: server,
  entries: fc.integer({ min: 1, max: 4 }),
  held: fc.nat({ max: 3 }),
});
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 6, arbitrary: publish },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('publish unrecorded' as const), at: server }) },
  { weight: 4, arbitrary: fc.constant({ what: 'consume' as const }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('consumers move' as const), to: server }) },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant('copy' as const), from: server, to: server, whole: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('save' as const), at: server }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('go back' as const), at: server, whole: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('delete' as const), at: server, whole: fc.boolean() }) },
);
const history = fc.array(fc.array(event, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 14 });

interface Publisher {
  readonly stream: RecordedStream;
  /** For so many steps between adding and recording. */
  readonly stopping: { held: number };
  /** Calls that have not ended. */
  busy: number;
}

/** Several Redis servers as several streams of one, with one record in MySQL. */
class World {
  readonly #redis: Redis;
  readonly #record: StreamRecord;
  readonly #streams: readonly string[];
  readonly #publishers: readonly (readonly Publisher[])[];
  /** The ends of the steps; a publish that is held waits for a later one. */
  readonly #ends: PromiseWithResolvers<void>[];
  readonly #saved = new Map<Server, readonly (Buffer | null)[]>();
  readonly #publishing: Promise<void>[] = [];
  readonly #started = new Set<number>();
  readonly #counted = new Set<number>();
  readonly #excused = new Set<number>();
  readonly #consumed = new Set<number>();
  #step = 0;
  #consumersAt: Server = 0;

  constructor(redis: Redis, database: Database, steps: number) {
    this.#ends = Array.from({ length: steps }, () => Promise.withResolvers<void>());
    const prefix = freshPrefix();
    this.#redis = redis;
    this.#record = streamRecord(database, prefix);
    this.#streams = SERVERS.map((one) => `${prefix}:${one}`);
    this.#publishers = [0, 1].map(() => SERVERS.map((one) => this.#publisher(one)));
  }

  async play(steps: readonly (readonly Event[])[]): Promise<void> {
    for (const events of steps) {
      await Promise.all(events.map((one) => this.#happens(one)));
      this.#ends[this.#step++]?.resolve();
    }
    await Promise.all(this.#publishing);
    await this.#consume();
  }

  /** Entries that count, and that neither a consumer has had nor a new epoch makes up for. */
  get missed(): number[] {
    return [...this.#counted].filter((entry) => !this.#consumed.has(entry) && !this.#excused.has(entry));
  }

  /** Is a task taken where the consumers are? */
  async isTaken(): Promise<boolean> {
    await this.#open(this.#consumersAt).add([['n', '0']]);
    return true;
  }

  #open(at: Server, record = this.#record): RecordedStream {
    return new RecordedStream({ client: this.#redis, stream: this.#streams[at] ?? '', record });
  }

  #publisher(at: Server): Publisher {
    const record = this.#record;
    const stopping = { held: 0 };
    const replace: StreamRecord['replace'] = async (known, next) => {
      await Promise.all(this.#ends.slice(this.#step, this.#step + stopping.held).map(({ promise }) => promise));
      return await record.replace(known, next);
    };
    const stream = this.#open(at, { read: () => record.read(), replace });
    return { stream, stopping, busy: 0 };
  }

  async #happens(one: Event): Promise<void> {
    const redis = this.#redis;
    switch (one.what) {
      case 'publish':
        return await this.#publish(one);
      case 'publish unrecorded':
        // As if never two in the same millisecond on two servers: by Redis's choice these would have the same id.
        return void (await redis.eval(ADD_UNRECORDED, 1, this.#streams[one.at] ?? '', randomInt(1, 2 ** 24)));
      case 'consume':
        return await this.#consume();
      case 'consumers move':
        this.#consumersAt = one.to;
        return;
      case 'copy':
        return await this.#load(one.to, await this.#dump(one.from), one.whole);
      case 'save':
        this.#saved.set(one.at, await this.#dump(one.at));
        return;
      case 'go back':
        return await this.#load(one.at, this.#saved.get(one.at) ?? [null, null], one.whole);
      case 'delete':
        return await this.#load(one.at, [null, null], one.whole);
    }
  }

  async #publish({ by, at, entries, held }: Event & { what: 'publish' }): Promise<void> {
    const numbers = Array.from({ length: entries }, () => this.#started.size + 1).map((n, i) => n + i);
    for (const n of numbers) this.#started.add(n);
    const publisher = this.#publishers[by]?.[at];
    if (publisher === undefined) return;
    const isFree = publisher.busy++ === 0; // otherwise it waits for one that is held
    if (isFree) publisher.stopping.held = held;
    const done = publisher.stream.add(numbers.map((n) => ['n', String(n)])).then(
      () => {
        for (const n of numbers) this.#counted.add(n);
      },
      (error: unknown) => expect(error).toBeInstanceOf(StreamNotOnRecord),
    );
    this.#publishing.push(done.finally(() => publisher.busy--));
    if (isFree && held === 0) await done;
  }

  async #consume(): Promise<void> {
    const at = this.#consumersAt;
    const stream = this.#streams[at] ?? '';
    const recorded = this.#open(at);
    for (;;) {
      const compared = await recorded.compare();
      const entries = await this.#redis.xrange(stream, '-', '+');
      if (compared.isSame) {
        const upTo = await recorded.keepUp(compared);
        for (const [, [, n]] of entries) this.#consumed.add(Number(n));
        const trimmable = entries.map(([id]) => id).filter((id) => !isBefore(upTo, id));
        const last = trimmable.at(-1);
        if (last !== undefined) await this.#redis.xtrim(stream, 'MINID', last);
        return;
      }
      for (const n of this.#started) this.#excused.add(n); // a new epoch: the change of each was committed before
      if (await recorded.restart(compared)) return;
    }
  }

  async #dump(at: Server): Promise<readonly (Buffer | null)[]> {
    return await Promise.all(streamKeys(this.#streams[at] ?? '').map((key) => this.#redis.dumpBuffer(key)));
  }

  async #load(at: Server, copies: readonly (Buffer | null)[], whole: boolean): Promise<void> {
    const all = this.#redis.multi();
    for (const [i, key] of streamKeys(this.#streams[at] ?? '').entries()) {
      const copy = copies[i];
      if (i > 0 && !whole) continue;
      if (copy) all.restore(key, 0, copy, 'REPLACE');
      else all.del(key);
    }
    await all.exec();
  }
}

describe('a stream on record', () => {
  let database: Database;
  const redis = new Redis(redisUrl());
  closeAtEnd(() => redis.disconnect());
  beforeAll(async () => {
    database = (await freshStores()).primary;
  });

  it('has all that counts as added, or its consumers find that it has not; then entries are taken again', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const world = new World(redis, database, steps.length);
        await world.play(steps);
        expect(world.missed).toEqual([]);
        expect(await world.isTaken()).toBe(true);
      }),
      { numRuns: cases(2_000) },
    );
  }, 120_000);

  it.each([
    ['is another', false],
    ['was the master, and has the same and more', true],
  ])('takes no entry on a server that %s, once its consumers have found that', async (_, isFormer) => {
    const prefix = freshPrefix();
    const record = streamRecord(database, prefix);
    const streams = ['here', 'there'].map((name) => `${prefix}:${name}`) as [string, string];
    const [here, there] = streams.map((stream) => new RecordedStream({ client: redis, stream, record })) as [
      ...[RecordedStream, RecordedStream],
    ];
    if (isFormer) {
      await there.add([['n', '0']]);
      const [from, to] = [streamKeys(streams[1]), streamKeys(streams[0])];
      for (const [i, key] of from.entries())
        await redis.restore(to[i] ?? '', 0, await redis.dumpBuffer(key), 'REPLACE');
    }
    await there.add([['n', '1']]);
    const compared = await here.compare();
    expect(compared).toMatchObject({ isSame: false, now: { added: isFormer ? 1 : 0 } });
    await there.add([['n', '2']]); // counts, and so is to be reported as well
    expect(await here.restart(compared)).toBe(false);
    expect(await here.restart(await here.compare())).toBe(true);
    expect(await here.isSame()).toBe(true);
    for (let i = 0; i < 2; i++) await expect(there.add([['n', '3']])).rejects.toThrow(StreamNotOnRecord);
    expect([await here.isSame(), await there.isSame()]).toEqual([true, false]);
    await here.add([['n', '4']]);
    expect([await here.isSame(), await there.isSame()]).toEqual([true, false]);
  });

  it('keeps its origin, and no other note, when its consumers create it', async () => {
    const stream = freshPrefix();
    const recorded = new RecordedStream({ client: redis, stream, record: streamRecord(database, stream) });
    await recorded.keepUp(await recorded.compare()); // a publisher that has not added anything yet
    const [, notes] = streamKeys(stream);
    await redis.set(notes, JSON.stringify({ ...JSON.parse((await redis.get(notes)) ?? ''), trimmed: 7 }));
    const group = new ConsumerGroup({ client: redis, stream, group: 'g', consumer: 'c' });
    await group.create();
    expect(await recorded.isSame()).toBe(true);
    expect(await group.state()).toMatchObject({ isForeign: false, isMoved: false });
  });

  it('is on record as far as its consumers have seen it, also where others have added to it', async () => {
    const stream = freshPrefix();
    const record = streamRecord(database, stream);
    const recorded = new RecordedStream({ client: redis, stream, record });
    await recorded.add([['n', '1']]);
    const last = String(await redis.xadd(stream, '*', 'n', '2')); // as version 0.1.0 does
    expect(await recorded.keepUp(await recorded.compare())).toBe(last);
    expect(await record.read()).toMatchObject({ added: 2, last });
    await redis.xtrim(stream, 'MINID', last);
    expect(await recorded.isSame()).toBe(true);
    await redis.del(stream);
    await redis.xadd(stream, '*', 'n', '3');
    expect(await recorded.isSame()).toBe(false);
  });

  it('is never set back on record by a publisher that others have overtaken', async () => {
    const stream = freshPrefix();
    const record = streamRecord(database, stream);
    const overtaken = Promise.withResolvers<void>();
    const slow = new RecordedStream({
      ...{ client: redis, stream },
      record: { ...record, replace: (known, next) => overtaken.promise.then(() => record.replace(known, next)) },
    });
    const quick = new RecordedStream({ client: redis, stream, record });
    await quick.add([['n', '0']]);
    const adding = slow.add([['n', '1']]);
    await until(async () => (await redis.xlen(stream)) === 2);
    await quick.add([['n', '2']]);
    overtaken.resolve();
    await adding;
    expect(await record.read()).toMatchObject({ added: 3 });
  });

  it('is replaced on record only by the one who knows it', async () => {
    const record = streamRecord(database, freshPrefix());
    const points = Array.from({ length: 9 }, (_, i) => ({ origin: 'a', added: i, last: `${i}-0` }));
    const [first, second] = points as [(typeof points)[0], (typeof points)[0]];
    expect(await record.read()).toBeUndefined();
    const begun = await Promise.all(points.map((point) => record.replace(undefined, point)));
    expect(begun.filter(Boolean)).toHaveLength(1);
    const known = await record.read();
    expect(await record.replace({ origin: 'a', added: 99, last: '0-0' }, first)).toBe(false);
    expect(await record.read()).toEqual(known);
    const next = { ...second, origin: 'b' };
    expect(await record.replace(known, next)).toBe(true);
    const moved = await Promise.all(points.map((point) => record.replace(next, point)));
    expect(moved.filter(Boolean)).toHaveLength(1);
    expect(await record.read()).toEqual(points[moved.indexOf(true)]);
  });
});
