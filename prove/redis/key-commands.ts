import { arg, type Command, WrongType } from './command.ts';
import { Status } from './reply.ts';

const NO_KEY = -2;
const NO_EXPIRY = -1;

export const KEY_COMMANDS: Readonly<Record<string, Command>> = {
  DEL: (keyspace, keys) => keys.filter((key) => keyspace.delete(key)).length,
  UNLINK: (keyspace, keys) => keys.filter((key) => keyspace.delete(key)).length,

  TYPE: (keyspace, args) => new Status(keyspace.get(arg(args, 0))?.kind ?? 'none'),

  PEXPIRE: (keyspace, args) => {
    const key = arg(args, 0);
    const exists = keyspace.get(key) !== undefined;
    keyspace.expireAt(key, keyspace.now + Number(arg(args, 1)));
    return exists ? 1 : 0;
  },

  PEXPIREAT: (keyspace, args) => {
    const key = arg(args, 0);
    const exists = keyspace.get(key) !== undefined;
    keyspace.expireAt(key, Number(arg(args, 1)));
    return exists ? 1 : 0;
  },

  PEXPIRETIME: (keyspace, args) => {
    const key = arg(args, 0);
    return keyspace.get(key) === undefined ? NO_KEY : (keyspace.expiresAt(key) ?? NO_EXPIRY);
  },

  PTTL: (keyspace, args) => {
    const key = arg(args, 0);
    if (keyspace.get(key) === undefined) return NO_KEY;
    const at = keyspace.expiresAt(key);
    return at === undefined ? NO_EXPIRY : at - keyspace.now;
  },

  TIME: (keyspace) => [String(Math.floor(keyspace.now / 1000)), String((keyspace.now % 1000) * 1000)],

  GET: (keyspace, args) => {
    const value = keyspace.get(arg(args, 0));
    if (value !== undefined && value.kind !== 'string') throw new WrongType();
    return value?.text ?? null;
  },

  INCR: (keyspace, args) => {
    const value = keyspace.get(arg(args, 0));
    if (value !== undefined && value.kind !== 'string') throw new WrongType();
    const next = Number(value?.text ?? 0) + 1;
    keyspace.put(arg(args, 0), { kind: 'string', text: String(next) });
    return next;
  },

  SET: (keyspace, [key = '', text = '', ...options]) => {
    keyspace.delete(key);
    keyspace.put(key, { kind: 'string', text });
    if (options[0]?.toUpperCase() === 'PX') keyspace.expireAt(key, keyspace.now + Number(options[1]));
    return new Status('OK');
  },
};
