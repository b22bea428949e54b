import { arg, type Command, expectNone, numberOf, WrongType } from './command.ts';
import { Failure, Status } from './reply.ts';

/** As Redis writes them: no space, no leading zero. */
const INTEGER = /^(0|-?[1-9]\d*)$/;

export const KEY_COMMANDS: Readonly<Record<string, Command>> = {
  DEL: (keyspace, keys) => keys.filter((key) => keyspace.delete(key)).length,
  UNLINK: (keyspace, keys) => keys.filter((key) => keyspace.delete(key)).length,

  TYPE: (keyspace, args) => new Status(keyspace.get(arg(args, 0))?.kind ?? 'none'),

  EXISTS: (keyspace, keys) => keys.filter((key) => keyspace.get(key) !== undefined).length,

  TIME: (keyspace) => [String(Math.floor(keyspace.now / 1000)), String((keyspace.now % 1000) * 1000)],

  MGET: (keyspace, keys) =>
    keys.map((key) => {
      const value = keyspace.get(key);
      return value?.kind === 'string' ? value.text : null;
    }),

  GET: (keyspace, args) => {
    const value = keyspace.get(arg(args, 0));
    if (value !== undefined && value.kind !== 'string') throw new WrongType();
    return value?.text ?? null;
  },

  MSET: (keyspace, pairs) => {
    for (let i = 0; i < pairs.length; i += 2) {
      keyspace.delete(arg(pairs, i));
      keyspace.put(arg(pairs, i), { kind: 'string', text: arg(pairs, i + 1) });
    }
    return new Status('OK');
  },

  INCR: (keyspace, args) => {
    const value = keyspace.get(arg(args, 0));
    if (value !== undefined && value.kind !== 'string') throw new WrongType();
    const text = value?.text ?? '0';
    const next = Number(text) + 1;
    if (!INTEGER.test(text) || !Number.isSafeInteger(next))
      return new Failure('ERR value is not an integer or out of range');
    keyspace.put(arg(args, 0), { kind: 'string', text: String(next) });
    return next;
  },

  SET: (keyspace, [key = '', text = '', ...options]) => {
    const { px, onlyNew } = setOptions(options);
    if (onlyNew && keyspace.get(key) !== undefined) return null;
    keyspace.delete(key);
    keyspace.put(key, { kind: 'string', text });
    if (px !== undefined) keyspace.expireAt(key, keyspace.now + px);
    return new Status('OK');
  },
};

function setOptions(options: readonly string[]): { px: number | undefined; onlyNew: boolean } {
  const words = options.map((word) => word.toUpperCase());
  const at = words.indexOf('PX');
  const px = at < 0 ? undefined : numberOf('SET', words[at + 1] ?? '');
  if (at >= 0) words.splice(at, 2);
  const onlyNew = words.includes('NX');
  expectNone(
    'SET',
    words.filter((word) => word !== 'NX'),
  );
  return { px, onlyNew };
}
