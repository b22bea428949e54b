import { arg, type Command, expectNone, numberOf, WrongType } from './command.ts';
import { Failure, Status } from './reply.ts';

/** As Redis writes them: no space, no leading zero. */
const INTEGER = /^(0|-?[1-9]\d*)$/;

export const KEY_COMMANDS: Readonly<Record<string, Command>> = {
  DEL: (keyspace, keys) => keys.filter((key) => keyspace.delete(key)).length,
  UNLINK: (keyspace, keys) => keys.filter((key) => keyspace.delete(key)).length,

  /** Nobody listens: what is told may be lost. */
  SPUBLISH: () => 0,

  TYPE: (keyspace, args) => new Status(keyspace.get(arg(args, 0))?.kind ?? 'none'),

  EXISTS: (keyspace, keys) => keys.filter((key) => keyspace.get(key) !== undefined).length,

  TIME: (keyspace) => [String(Math.floor(keyspace.now / 1000)), String((keyspace.now % 1000) * 1000)],

  /** Of a master that is never promoted. */
  INFO: () => `role:master\r\nmaster_replid:${'0'.repeat(40)}\r\n`,

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

  PEXPIRE: (keyspace, args) => {
    const key = arg(args, 0);
    if (keyspace.get(key) === undefined) return 0;
    keyspace.expireAt(key, keyspace.now + numberOf('PEXPIRE', arg(args, 1)));
    return 1;
  },

  SET: (keyspace, [key = '', text = '', ...options]) => {
    const { px, onlyNew, keepsTtl } = setOptions(options);
    if (onlyNew && keyspace.get(key) !== undefined) return null;
    const expiresAt = px === undefined ? keyspace.expiresAt(key) : keyspace.now + px;
    keyspace.delete(key);
    keyspace.put(key, { kind: 'string', text });
    if (expiresAt !== undefined && (px !== undefined || keepsTtl)) keyspace.expireAt(key, expiresAt);
    return new Status('OK');
  },
};

function setOptions(options: readonly string[]): {
  px: number | undefined;
  onlyNew: boolean;
  keepsTtl: boolean;
} {
  const words = options.map((word) => word.toUpperCase());
  const at = words.indexOf('PX');
  const px = at < 0 ? undefined : numberOf('SET', words[at + 1] ?? '');
  if (at >= 0) words.splice(at, 2);
  const [onlyNew, keepsTtl] = [words.includes('NX'), words.includes('KEEPTTL')];
  expectNone(
    'SET',
    words.filter((word) => word !== 'NX' && word !== 'KEEPTTL'),
  );
  return { px, onlyNew, keepsTtl };
}
