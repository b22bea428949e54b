import { randomInt } from 'node:crypto';
import { fc } from '@fast-check/vitest';
import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import type { Database } from '../../../src/mysql/database.ts';
import { type StreamRecord, streamRecord } from '../../../src/mysql/stream-record.ts';
import { isBefore } from '../../../src/transport/streams/entries.ts';
import { RecordedStream, StreamNotOnRecord } from '../../../src/transport/streams/recorded-stream.ts';
import { streamKeys } from '../../../src/transport/streams/stream-scripts.ts';
import { freshPrefix } from '../../support/servers.ts';

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
/** Steps, and what happens at once in each. */
export const history = fc.array(fc.array(event, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 14 });

interface Publisher {
  readonly stream: RecordedStream;
  /** For so many steps between adding and recording. */
  readonly stopping: { held: number };
  /** Calls that have not ended. */
  busy: number;
}

/** Several Redis servers as several streams of one, with one record in MySQL. */
export class World {
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
