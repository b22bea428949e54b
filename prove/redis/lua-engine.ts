import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { decode, encode, Failure, type Reply } from './reply.ts';

type Bindings = typeof import('lua-wasm-bindings/dist/lua.51.js');

const { lua, lauxlib, lualib } = withoutItsListeners(
  // The package is CommonJS without an exports map.
  () => createRequire(import.meta.url)('lua-wasm-bindings/dist/lua.51.js') as Bindings,
);

const HOST = readFileSync(new URL('./host.lua', import.meta.url), 'utf8');

/** Executes one command of a script. */
export type DoCommand = (words: readonly string[]) => Reply;

/** Runs scripts as Redis does, in an embedded Lua 5.1; its caller executes the commands. */
export class LuaEngine {
  readonly #state = lauxlib.luaL_newstate();

  constructor() {
    lualib.luaL_openlibs(this.#state);
    if (lauxlib.luaL_dostring(this.#state, HOST) !== 0) throw new Error(lua.lua_tostring(this.#state, -1));
  }

  /** @throws Error when the source does not compile */
  define(name: string, source: string): void {
    // Redis takes the first line for itself; the lines after it keep their numbers.
    const why = this.#call('define', name, source.replace(/^#!.*/, ''));
    if (why !== '') throw new Error(`the script ${name} does not compile: ${why}`);
  }

  /** The script's reply; a failed script replies with an error, as in Redis. */
  run(name: string, keys: readonly string[], args: readonly string[], doCommand: DoCommand): Reply {
    let answer = this.#call('begin', name, encode([keys, args]));
    while (answer.startsWith('C')) {
      const words = decode(answer.slice(1)) as readonly string[];
      answer = this.#call('resume', encode(doCommand(words)));
    }
    return answer.startsWith('E') ? new Failure(answer.slice(1)) : decode(answer.slice(1));
  }

  /** The engine cannot be used afterwards. */
  close(): void {
    lua.lua_close(this.#state);
  }

  #call(name: string, ...args: string[]): string {
    lua.lua_getglobal(this.#state, name);
    for (const arg of args) lua.lua_pushstring(this.#state, arg);
    const status = lua.lua_pcall(this.#state, args.length, 1, 0);
    const answer = lua.lua_tostring(this.#state, -1);
    lua.lua_settop(this.#state, 0);
    if (status !== 0) throw new Error(`the embedded Lua failed: ${answer}`);
    return answer;
  }
}

/** When loaded, the package installs itself as the handler of uncaught errors, which prints its whole source first. */
function withoutItsListeners<T>(load: () => T): T {
  const events = ['uncaughtException', 'unhandledRejection'] as const;
  const before = events.map((event) => process.listeners(event as 'uncaughtException'));
  const loaded = load();
  for (const [i, event] of events.entries()) {
    for (const listener of process.listeners(event as 'uncaughtException')) {
      if (!before[i]?.includes(listener)) process.off(event, listener);
    }
  }
  return loaded;
}
