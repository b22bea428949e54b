import { readFileSync } from 'node:fs';
import type { RedisClient } from './connection.ts';
import { reply } from './unavailable.ts';

/** Commands in the form that check-permissions.lua expects; `@` stands for a key. */
const ALWAYS = [
  'PING',
  'INFO server',
  'INFO replication',
  'EVAL x 0',
  'EVALSHA x 0',
  'TIME',
  'GET @',
  'SET @ 1',
  'UNLINK @',
  'EXISTS @',
  'TYPE @',
];

const INDEX = [
  ...['MGET @', 'MSET @ 1', 'DEL @', 'PEXPIRE @ 1', 'PTTL @', 'SCAN 0'],
  ...['SADD @ 1', 'SREM @ 1', 'SMISMEMBER @ 1', 'ZMSCORE @ 1', 'ZREMRANGEBYSCORE @ 0 1'],
  ...[
    'ZADD @ 1 1',
    'ZREM @ 1',
    'ZCARD @',
    'ZSCORE @ 1',
    'ZRANGE @ 0 1',
    'ZREMRANGEBYRANK @ 0 1',
    'ZREVRANGE @ 0 1',
    'ZRANGEBYSCORE @ 0 1',
  ],
];

const STREAM = [
  ...['XADD @ * a 1', 'XLEN @', 'XRANGE @ - +', 'XREVRANGE @ + -', 'XTRIM @ MAXLEN 1', 'XACK @ g 1-1'],
  ...['XREADGROUP GROUP g c STREAMS @ >', 'XAUTOCLAIM @ g c 1 0', 'XCLAIM @ g c 1 1-1', 'XPENDING @ g'],
  ...['XGROUP CREATE @ g 0', 'XGROUP SETID @ g 0', 'XGROUP DELCONSUMER @ g c'],
  ...['XINFO STREAM @', 'XINFO GROUPS @', 'XINFO CONSUMERS @ g'],
];

/** What a Redis is used for. */
export interface RedisUses {
  readonly index: boolean;
  readonly tasks: boolean;
  readonly isCluster?: boolean;
  /** Its URL names a database other than 0. Without permission to SELECT, the client would silently stay in 0. */
  readonly selects?: boolean;
}

/** See unsettled-slots.ts. */
const CLUSTER = ['CLUSTER NODES', 'CLUSTER KEYSLOT x', 'CLUSTER COUNTKEYSINSLOT 0'];

function commandsOf({ index, tasks, isCluster = false, selects = false }: RedisUses): string[] {
  const some = [...(isCluster ? CLUSTER : []), ...(selects ? ['SELECT 0'] : [])];
  return [...ALWAYS, ...some, ...(index ? INDEX : []), ...(tasks ? STREAM : [])];
}

const CONTAINERS = new Set(['XGROUP', 'XINFO', 'CLUSTER']);

/** A command's name in ACL rules: `zadd`, `xgroup|create`. */
function ruleOf(command: string): string {
  const [name = '', subcommand = ''] = command.split(' ');
  return (CONTAINERS.has(name) ? `${name}|${subcommand}` : name).toLowerCase();
}

/** The minimal ACL rules of an account: its keys and its commands. A cluster's client also asks for the slots. */
export function aclRules(keyPrefix: string, uses: RedisUses): string[] {
  const commands = [
    ...new Set(commandsOf(uses).map(ruleOf)),
    ...(uses.isCluster ? ['cluster|slots', 'cluster|info', 'readonly'] : []),
  ];
  const hints = uses.index ? { keys: [`&${keyPrefix}:*`], commands: HINTS.map((command) => `+${command}`) } : NONE;
  return [`~${keyPrefix}:*`, ...hints.keys, '-@all', ...commands.map((command) => `+${command}`), ...hints.commands];
}

/** For the hints of streams and of notifiers, which work without them, only slower: no start is refused for their sake. */
const HINTS = ['spublish', 'ssubscribe', 'sunsubscribe'];

const NONE = { keys: [], commands: [] };

const SCRIPT = new URL('./lua/check-permissions.lua', import.meta.url);

/**
 * The ACL rules that this user lacks; empty: none.
 * @param key a key that Recency's user must be allowed to write
 * @throws RedisUnavailable, and other replies as they are, for example NOPERM when not even EVAL is allowed, or not on such a key
 */
export async function missingCommands(client: RedisClient, key: string, uses: RedisUses): Promise<string[]> {
  const denied = await reply(client.eval(readFileSync(SCRIPT, 'utf8'), 1, key, ...commandsOf(uses)));
  return [...new Set((denied as string[]).map((command) => `+${ruleOf(command)}`))];
}
