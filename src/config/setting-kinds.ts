import { isIP } from 'node:net';
import { z } from 'zod';
import { GREATEST_BIT, MOST_NAMED, namedRelation, TAKEN_NAMES } from '../contracts/relation.ts';

/**
 * Kinds of settings, as zod schemas from text to value. Their messages follow the setting's name in a sentence
 * ("RECENCY_PORT must be …") and never repeat the text, which may be a secret: where it is none, it is added in one place (config.ts).
 */

/** A whole number within bounds, both included. */
export function whole(least: number, most: number) {
  const message = `must be a whole number from ${least} to ${most}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .refine((value) => value >= least && value <= most, message);
}

/** A number from 0 to `most`, with or without a fraction. */
export function factor(most: number) {
  const message = `must be a number from 0 to ${most}`;
  return z
    .string()
    .regex(/^\d{1,9}(\.\d{1,6})?$/, message)
    .transform(Number)
    .refine((value) => value <= most, message);
}

/** A timeout in ms: never 0, which could mean at once or for ever. */
export function timeoutMs(most = 3_600_000) {
  return whole(1, most);
}

export function oneOf<const T extends readonly string[]>(...values: T) {
  return z.enum(values, { error: () => `must be one of ${values.join(', ')}` });
}

/** @param pattern what the whole text must match @param rule the same for people, after "must be" */
export function matching(pattern: RegExp, rule: string) {
  return z.string().regex(pattern, `must be ${rule}`);
}

/** How other clients ask for TLS in an address. mysql2 would ignore it and connect in plain text. */
const TLS_IN_URL = /^(use_?)?(ssl|tls)/i;

export const mysqlUrl = z
  .string()
  .refine((text) => {
    const url = URL.parse(text);
    return url !== null && url.protocol === 'mysql:' && url.hostname !== '' && url.pathname.length > 1;
  }, 'must be mysql://user:password@host:3306/database')
  .refine(
    (text) => [...(URL.parse(text)?.searchParams.keys() ?? [])].every((key) => !TLS_IN_URL.test(key)),
    'must not ask for TLS by itself: set RECENCY_MYSQL_TLS',
  );

/** One or more of these words, each once, separated by commas. */
export function someOf<const T extends string>(words: readonly T[]) {
  const message = `must be one or more of ${words.join(', ')}, each once, separated by commas`;
  return z
    .string()
    .transform((text) => text.split(',').map((word) => word.trim()) as T[])
    .refine((given) => given.every((word) => words.includes(word)) && new Set(given).size === given.length, message);
}

/** Names of bits: `bell:0,close:1`. */
export const bitNames = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine(
    (parts) => {
      const named = parts.flatMap((part) => namedRelation(part) ?? []);
      const isEachOnce = (some: readonly unknown[]) => new Set(some).size === parts.length;
      const names = isEachOnce(named.map(({ name }) => name));
      return parts.length <= MOST_NAMED && names && isEachOnce(named.map(({ bit }) => bit));
    },
    `must be up to ${MOST_NAMED} names and bits, each once, as in bell:0,close:1: names of up to 32 lower-case letters, digits and underscores that begin with a letter, other than ${TAKEN_NAMES.join(', ')}; bits from 0 to ${GREATEST_BIT}`,
  );

const HOST_PORT = String.raw`(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:]+\]):\d{1,5}`;

const SENTINELS = new RegExp(
  String.raw`^rediss?\+sentinel://([^/@?#]*@)?${HOST_PORT}(,${HOST_PORT})*/[A-Za-z0-9._-]+(/\d{1,5})?$`,
);

/** One address, several of a cluster separated by commas, or Sentinels and the name of a master that they know. */
export const redisUrls = z
  .string()
  .refine(
    (text) => SENTINELS.test(text) || text.split(',').every((one) => isUrlOf(one, 'redis:', 'rediss:')),
    'must be redis://user:password@host:6379 (rediss:// with TLS), several of a cluster, separated by commas, or redis+sentinel://user:password@host:26379,host:26379/NAME (rediss+sentinel:// with TLS)',
  );

function isUrlOf(text: string, ...protocols: string[]): boolean {
  const url = URL.parse(text.trim());
  return url !== null && protocols.includes(url.protocol) && url.hostname !== '';
}

const BROKER = new RegExp(`^${HOST_PORT}$`);

export const brokers = z
  .string()
  .transform((text) => text.split(',').map((broker) => broker.trim()))
  .refine((list) => list.every((broker) => BROKER.test(broker)), 'must be host:port, or several, separated by commas');

const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];

/**
 * The number of proxies in a row, or the addresses and networks of all of them. Never any address: then clients could
 * lie.
 */
export const trustedProxies = z.string().transform((text, context): number | string[] => {
  if (/^([1-9]|[12]\d|3[0-2])$/.test(text)) return Number(text);
  const networks = text.split(',').map((network) => network.trim());
  if (!networks.every(isNetwork)) {
    const message =
      'must be a number of proxies from 1 to 32, or addresses and networks (10.0.0.0/8), separated by commas';
    context.issues.push({ code: 'custom', input: text, message });
  }
  return networks;
});

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return NAMED_NETWORKS.includes(text);
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** One setting: how its text is read, and what it is for. */
interface Setting<S extends z.ZodType, F extends string | undefined> {
  /** From the text in the environment to the value. */
  readonly schema: S;
  /** Undefined: there is no value unless one is given. */
  readonly fallback: F;
  /** What it is for, for people. */
  readonly says: string;
  /** It may be read from a file (`NAME_FILE`), and is hidden when shown: all of it, or the passwords in its URLs. */
  readonly secret?: 'hidden' | 'url';
}

/** Defines a setting. */
export function setting<S extends z.ZodType, F extends string | undefined>(
  schema: S,
  fallback: F,
  says: string,
  secret?: 'hidden' | 'url',
): Setting<S, F> {
  return { schema, fallback, says, ...(secret ? { secret } : {}) };
}
