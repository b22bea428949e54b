import { arg, type Command, WrongType } from './command.ts';
import type { Keyspace } from './keyspace.ts';

export const HASH_COMMANDS: Readonly<Record<string, Command>> = {
  HGET: (keyspace, args) => fieldsOf(keyspace, arg(args, 0)).get(arg(args, 1)) ?? null,

  HMGET: (keyspace, [key = '', ...names]) => {
    const fields = fieldsOf(keyspace, key);
    return names.map((name) => fields.get(name) ?? null);
  },

  HLEN: (keyspace, args) => fieldsOf(keyspace, arg(args, 0)).size,

  HSET: (keyspace, [key = '', ...pairs]) => {
    const fields = new Map(fieldsOf(keyspace, key));
    const before = fields.size;
    for (let i = 0; i < pairs.length; i += 2) fields.set(arg(pairs, i), arg(pairs, i + 1));
    keyspace.put(key, { kind: 'hash', fields });
    return fields.size - before;
  },

  HSETNX: (keyspace, args) => {
    const [key, name, value] = [arg(args, 0), arg(args, 1), arg(args, 2)];
    const fields = new Map(fieldsOf(keyspace, key));
    if (fields.has(name)) return 0;
    keyspace.put(key, { kind: 'hash', fields: fields.set(name, value) });
    return 1;
  },
};

function fieldsOf(keyspace: Keyspace, key: string): ReadonlyMap<string, string> {
  const value = keyspace.get(key);
  if (value === undefined) return new Map();
  if (value.kind !== 'hash') throw new WrongType();
  return value.fields;
}
