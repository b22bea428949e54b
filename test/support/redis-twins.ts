import { readFileSync } from 'node:fs';
import type { ChainableCommander } from 'ioredis';
import { expect } from 'vitest';
import { Keyspace } from '../../prove/redis/keyspace.ts';
import { ModelRedis } from '../../prove/redis/model-redis.ts';
import { Failure, type Reply, Status } from '../../prove/redis/reply.ts';
import type { RedisClient } from '../../src/redis/connection.ts';

/** The value of a key when a script starts. */
export type Content =
  | { readonly kind: 'none' }
  | { readonly kind: 'list' }
  | { readonly kind: 'string'; readonly text: string; readonly ttl: boolean }
  | { readonly kind: 'zset'; readonly members: readonly (readonly [string, number])[]; readonly ttl: boolean };

/** One call of a script: the values of its keys, and its arguments. */
export interface Call {
  readonly contents: readonly Content[];
  readonly args: readonly string[];
}

export const TTL_MS = 1_000_000;

/** Times this close to the server's clock, ms, are compared roughly, by their distance from it. */
const NEAR_MS = 10_000_000;
const ROUGH_MS = 100_000;

/** In INFO: each server has its own. */
const REPLICATION_ID = /^[0-9a-f]{40}$/;

/** Commands about one key when its value is read. */
const ASKED = 4;

/** Runs one script on a real Redis and on the model of Redis. */
export class RedisTwins {
  readonly #real: RedisClient;
  readonly #model = new ModelRedis();
  readonly #prefix: string;
  readonly #lua: string;
  #now = 0;

  /** @param file of the script, from the project's root */
  constructor(real: RedisClient, prefix: string, file: string) {
    this.#real = real;
    this.#prefix = prefix;
    this.#lua = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    this.#model.defineCommand('under_test', this.#lua);
  }

  /** The server's clock, ms. */
  async now(): Promise<number> {
    const [seconds, micros] = await this.#real.time();
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  }

  /** Runs the script on both with the same values, and expects the same reply and the same values afterwards. */
  async expectSame({ contents, args }: Call): Promise<void> {
    const names = contents.map((_content, i) => `${this.#prefix}:{t}:${i}`);
    this.#now = await this.now();
    this.#model.keyspace = new Keyspace(this.#now);
    const filling = this.#real.pipeline();
    for (const [i, content] of contents.entries()) this.#fill(filling, String(names[i]), content);
    await filling.exec();
    const real = await this.#realReply(names, args);
    const reply = plain(this.#model.runScript('under_test', names, args));
    expect(this.#rough(reply)).toEqual(this.#rough(real));
    const left = await this.#inReal(names);
    expect(this.#rough(names.map((name) => this.#inModel(name)))).toEqual(this.#rough(left));
  }

  close(): void {
    this.#model.close();
  }

  async #realReply(names: readonly string[], args: readonly string[]): Promise<unknown> {
    try {
      return await this.#real.eval(this.#lua, names.length, ...names, ...args);
    } catch (error) {
      return said(String(error));
    }
  }

  /** @param filling is sent to the real one by the caller */
  #fill(filling: ChainableCommander, key: string, content: Content): void {
    const { keyspace } = this.#model;
    filling.del(key);
    if (content.kind === 'list') {
      filling.lpush(key, 'not ours');
      keyspace.put(key, { kind: 'list' });
    }
    if (content.kind === 'string') {
      filling.set(key, content.text);
      keyspace.put(key, { kind: 'string', text: content.text });
    }
    if (content.kind === 'zset') {
      for (const [member, score] of content.members) filling.zadd(key, score, member);
      const members = content.members.map(([member, score]) => ({ member, score }));
      keyspace.put(key, { kind: 'zset', members: members.sort(inOrder) });
    }
    if ('ttl' in content && content.ttl) {
      filling.pexpire(key, TTL_MS);
      keyspace.expireAt(key, keyspace.now + TTL_MS);
    }
  }

  /** Asks for a value of each kind: the reply for another kind is an error, and is not looked at. */
  async #inReal(keys: readonly string[]): Promise<unknown[]> {
    const asking = this.#real.pipeline();
    for (const key of keys) asking.type(key).pexpiretime(key).get(key).zrange(key, '0', '-1', 'WITHSCORES');
    const replies = ((await asking.exec()) ?? []).map(([, reply]) => reply);
    return keys.map((_key, i) => {
      const [kind, expires, text, members] = replies.slice(i * ASKED, (i + 1) * ASKED);
      if (kind === 'string') return { kind, text, expires };
      return kind === 'zset' ? { kind, members, expires } : { kind, expires };
    });
  }

  #inModel(key: string): unknown {
    const { keyspace } = this.#model;
    const value = keyspace.get(key);
    const expires = keyspace.expiresAt(key) ?? (value === undefined ? -2 : -1);
    if (value?.kind === 'string') return { ...value, expires };
    if (value?.kind !== 'zset') return { kind: value?.kind ?? 'none', expires };
    return { kind: 'zset', members: value.members.flatMap(({ member, score }) => [member, String(score)]), expires };
  }

  /** The two clocks differ a little, and so do the times that the scripts take from them. */
  #rough(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#rough(item));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.#rough(item)]));
    }
    if (typeof value === 'string' && REPLICATION_ID.test(value)) return 'a replication id';
    if (typeof value === 'string' && value.startsWith('fresh.'))
      return value.replace(/^[\w.]+/, 'fresh, with the time');
    if (typeof value === 'number' && value > TTL_MS / 2 && value < NEAR_MS)
      return `${Math.round(value / ROUGH_MS)} left`;
    const distance = Number(value) - this.#now;
    const isNear = value !== '' && value !== null && Math.abs(distance) < NEAR_MS;
    return isNear ? `now and ${Math.round(distance / ROUGH_MS)}` : value;
  }
}

function inOrder(a: { member: string; score: number }, b: { member: string; score: number }): number {
  return a.score - b.score || (a.member < b.member ? -1 : 1);
}

function plain(reply: Reply): unknown {
  if (reply instanceof Status) return reply.text;
  return reply instanceof Failure ? said(reply.text) : reply;
}

/** The message of an assertion of the script or the server, without the text that the server adds. */
function said(message: string): unknown {
  return { failed: /[\w-]+: (bad \w+|arguments left over)|WRONGTYPE|not an integer/.exec(message)?.[0] ?? message };
}
