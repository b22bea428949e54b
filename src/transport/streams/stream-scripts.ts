import { defineScript, type RedisClient, type Script } from '../../redis/connection.ts';

const SHARED = new URL('./lua/shared.lua', import.meta.url);

/** A script of this folder, by the name of its file. */
export function streamScript(client: RedisClient, name: string): Script {
  const file = new URL(`./lua/${name}.lua`, import.meta.url);
  return defineScript(client, `stream_${name.replaceAll('-', '_')}`, file, { shared: SHARED });
}

/**
 * The keys of a stream's scripts: the stream, and beside it, in the same slot of a cluster, what only we write: its origin, what was
 * delivered and what was removed by us. Version 0.1.0 does not know it.
 */
export function streamKeys(stream: string): readonly [stream: string, marks: string] {
  return [stream, /\{[^}]+\}/.test(stream) ? `${stream}:marks` : `${stream}:marks:{${stream}}`];
}
