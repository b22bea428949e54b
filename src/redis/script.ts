import { readFileSync } from 'node:fs';
import { nameScript } from '../tracing/call-names.ts';
import type { RedisClient } from './connection.ts';
import { reply } from './unavailable.ts';

type Argument = string | number | Buffer;

type Call = (numberOfKeys: number, ...keysAndArguments: Argument[]) => Promise<unknown>;

/** One atomic operation: a Lua file, whose header is its contract. @throws RedisUnavailable, and the script's own errors */
export type Script = (keys: readonly string[], args: readonly Argument[]) => Promise<unknown>;

export interface ScriptOptions {
  /** Drop the flags that its first line declares, so that Redis judges each of its commands by itself. */
  readonly unflagged?: boolean;
}

/**
 * Loads a script and binds it to a client. It is called by its digest, and sent whole if the server does not know it (the
 * first time, and after SCRIPT FLUSH or a failover).
 */
export function defineScript(client: RedisClient, name: string, file: URL, options: ScriptOptions = {}): Script {
  const command = `recency_${name}`;
  const lua = readFileSync(file, 'utf8');
  const sent = options.unflagged ? lua.replace(/^#!lua.*/, '') : lua;
  client.defineCommand(command, { lua: sent });
  nameScript(sent, command);
  const call = (client as unknown as Record<string, Call>)[command] as Call;
  return (keys, args) => reply(call.call(client, keys.length, ...keys, ...args));
}
