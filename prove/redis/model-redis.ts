import type { RedisClient } from '../../src/redis/connection.ts';
import { doCommand } from './commands.ts';
import { Keyspace } from './keyspace.ts';
import { LuaEngine } from './lua-engine.ts';
import { Failure, type Reply, Status } from './reply.ts';

/** Changes the text of a script when it is loaded: takes a rule out of it. */
export type ScriptPatch = (name: string, source: string) => string;

/** A Redis in memory behind the part of a client that the product uses: its own scripts, on a model of the commands. */
export class ModelRedis {
  keyspace = new Keyspace(0);
  readonly #engine = new LuaEngine();
  readonly #patch: ScriptPatch;

  constructor(patch: ScriptPatch = (_name, source) => source) {
    this.#patch = patch;
  }

  /** As the product's classes want it. */
  get client(): RedisClient {
    return this as unknown as RedisClient;
  }

  /** Makes `this[name]` run the script, as ioredis does. */
  defineCommand(name: string, { lua }: { lua: string }): void {
    this.#engine.define(name, this.#patch(name, lua));
    const call = (numberOfKeys: number, ...rest: (string | number)[]) => {
      const words = rest.map(String);
      return this.#settle(() => this.runScript(name, words.slice(0, numberOfKeys), words.slice(numberOfKeys)));
    };
    Object.defineProperty(this, name, { value: call });
  }

  /** The script's reply; a script that fails has still done what it did before, as in Redis. */
  runScript(name: string, keys: readonly string[], args: readonly string[]): Reply {
    return this.#engine.run(name, keys, args, (words) => doCommand(this.keyspace, words));
  }

  close(): void {
    this.#engine.close();
  }

  get(key: string): Promise<unknown> {
    return this.#command('GET', key);
  }

  set(...words: (string | number)[]): Promise<unknown> {
    return this.#command('SET', ...words);
  }

  unlink(...keys: string[]): Promise<unknown> {
    return this.#command('UNLINK', ...keys);
  }

  zrem(key: string, ...members: string[]): Promise<unknown> {
    return this.#command('ZREM', key, ...members);
  }

  #command(...words: (string | number)[]): Promise<unknown> {
    return this.#settle(() => doCommand(this.keyspace, words.map(String)));
  }

  /** Done at once; only the reply comes later. An error reply rejects, as from ioredis. */
  #settle(work: () => Reply): Promise<unknown> {
    const reply = work();
    if (!(reply instanceof Failure)) return Promise.resolve(reply instanceof Status ? reply.text : reply);
    const error = new Error(reply.text);
    error.name = 'ReplyError';
    return Promise.reject(error);
  }
}
