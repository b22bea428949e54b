import type { RedisClient } from '../../src/redis/connection.ts';
import { doCommand } from './commands.ts';
import { Keyspace } from './keyspace.ts';
import { LuaEngine } from './lua-engine.ts';
import { Failure, type Reply, Status } from './reply.ts';

/** A list stands for its items, as with ioredis. */
type Words = readonly (string | number | readonly string[])[];

/** Changes the text of a script when it is loaded, to remove a rule. */
export type ScriptPatch = (name: string, source: string) => string;

/** A Redis in memory behind the part of a client that the product uses: its own scripts, on a model of the commands. */
export class ModelRedis {
  keyspace = new Keyspace(0);
  readonly #engine = new LuaEngine();
  readonly #patch: ScriptPatch;

  constructor(patch: ScriptPatch = (_name, source) => source) {
    this.#patch = patch;
  }

  /** The interface that the product uses: a method per script, and `call` for other commands. */
  get client(): RedisClient {
    const own: Record<string, unknown> = {
      isCluster: false,
      defineCommand: (name: string, { lua }: { lua: string }) => {
        this.defineCommand(name, lua);
        own[name] = (numberOfKeys: number, ...rest: Words) => this.#script(name, numberOfKeys, rest.flat().map(String));
      },
    };
    const get = (_own: unknown, name: string | symbol) => own[String(name)] ?? this.#command(String(name));
    return new Proxy(own, { get }) as unknown as RedisClient;
  }

  defineCommand(name: string, lua: string): void {
    this.#engine.define(name, this.#patch(name, lua));
  }

  /** The script's reply. A failed script keeps its earlier writes, as in Redis. */
  runScript(name: string, keys: readonly string[], args: readonly string[]): Reply {
    return this.#engine.run(name, keys, args, (words) => doCommand(this.keyspace, words));
  }

  close(): void {
    this.#engine.close();
  }

  #command(name: string): (...words: Words) => Promise<unknown> {
    return (...words) => this.#settle(() => doCommand(this.keyspace, [name, ...words.flat().map(String)]));
  }

  #script(name: string, numberOfKeys: number, words: readonly string[]): Promise<unknown> {
    return this.#settle(() => this.runScript(name, words.slice(0, numberOfKeys), words.slice(numberOfKeys)));
  }

  /** Executes at once; only the reply is asynchronous. An error reply rejects, as from ioredis. */
  #settle(work: () => Reply): Promise<unknown> {
    const reply = work();
    if (!(reply instanceof Failure)) return Promise.resolve(reply instanceof Status ? reply.text : reply);
    const error = new Error(reply.text);
    error.name = 'ReplyError';
    return Promise.reject(error);
  }
}
