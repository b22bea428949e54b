import { InvalidArgument } from './errors.ts';
import { checkId, checkVersion, type Id, shown } from './id.ts';

/**
 * A pair that a read refreshes before it answers: `contact=7`, with a version `contact=7@3`, `group=12`. Several are joined by
 * a comma. It is a hint like a task, so one that is not needed does no harm.
 */
export type FreshToken = string;

/** What changed, as seen by the user who reads: one of those whom they follow. */
export interface Change {
  readonly contact?: Id;
  readonly group?: Id;
  /** The version that the relationship has since the change. A read then shows this version, or a later one. */
  readonly version?: string | number;
}

/** The most pairs that a read may name. */
export const MOST_PAIRS = 8;

const PAIR = /^([a-z_]+)=([0-9]+)(?:@([0-9]+))?$/;

interface Pair {
  readonly version: bigint | undefined;
  /** By the monotonic clock, ms. */
  readonly expires: number;
}

/** @throws InvalidArgument */
export function tokenOf({ contact, group, version }: Change): FreshToken {
  if ((contact === undefined) === (group === undefined)) {
    throw new InvalidArgument('contact', 'or group must be given: one of them');
  }
  const [kind, id] = contact === undefined ? ['group', group] : ['contact', contact];
  return `${kind}=${checkId(kind, id)}${version === undefined ? '' : `@${checkVersion('version', version)}`}`;
}

/** The users' changes that their next reads are to show. Each is forgotten after a time: by then its task has been applied. */
export class FreshTokens {
  /** By user, the one with the latest change last; of each, by `kind=id`, the latest change last. */
  readonly #users = new Map<Id, Map<string, Pair>>();
  readonly #keepMs: number;
  readonly #now: () => number;

  constructor({ keepMs, now }: { readonly keepMs: number; readonly now: () => number }) {
    this.#keepMs = keepMs;
    this.#now = now;
  }

  /** Remembers each pair of the token, in its highest version. @throws InvalidArgument */
  add(user: Id, token: FreshToken): void {
    const now = this.#now();
    const added = parse(token);
    const before = [...(this.#users.get(checkId('user', user)) ?? [])];
    const pairs = new Map(before.filter(([, { expires }]) => expires > now));
    for (const [source, version] of added) {
      const highest = higher(pairs.get(source)?.version, version);
      pairs.delete(source);
      pairs.set(source, { version: highest, expires: now + this.#keepMs });
    }
    this.#users.delete(user);
    this.#users.set(user, pairs);
    this.#forgetUsers(now);
  }

  /**
   * The value of the header for the user's next read; undefined: none is needed. Where there are more than eight pairs, the
   * eight of the latest changes.
   * @param given pairs of this read alone, which come first
   * @throws InvalidArgument
   */
  header(user: Id | undefined, given: FreshToken = ''): string | undefined {
    const now = this.#now();
    const kept = [...((user === undefined ? undefined : this.#users.get(user)) ?? [])];
    const versions = new Map(given === '' ? [] : [...parse(given)].reverse());
    for (const [source, { version, expires }] of kept.reverse()) {
      if (expires > now) versions.set(source, higher(versions.get(source), version));
    }
    const pairs = [...versions].slice(0, MOST_PAIRS);
    return pairs.length === 0 ? undefined : pairs.map(text).join(',');
  }

  /**
   * The value of the header for a read of several users; undefined: none is needed. Each change is named with its user. Where
   * there are more than eight, the eight latest.
   * @param given pairs of this read alone, which come first and are of each of the users
   * @throws InvalidArgument
   */
  headerOfMany(users: readonly Id[], given: FreshToken = ''): string | undefined {
    const now = this.#now();
    const own = given === '' ? [] : [...parse(given)].reverse().map(text);
    const kept = [...new Set(users)].flatMap((user) =>
      [...(this.#users.get(user) ?? [])].map(([source, pair]) => ({ ...pair, token: ofUser(user, source, pair) })),
    );
    const latest = kept.filter(({ expires }) => expires > now).sort((a, b) => b.expires - a.expires);
    const pairs = [...own, ...latest.map(({ token }) => token)].slice(0, MOST_PAIRS);
    return pairs.length === 0 ? undefined : pairs.join(',');
  }

  /** Users are in the order of their latest changes, so those to forget are the first. */
  #forgetUsers(now: number): void {
    for (const [user, pairs] of this.#users) {
      if ([...pairs.values()].some(({ expires }) => expires > now)) return;
      this.#users.delete(user);
    }
  }
}

/** @throws InvalidArgument */
function parse(token: FreshToken): Map<string, bigint | undefined> {
  const pairs = new Map<string, bigint | undefined>();
  for (const part of token.split(',')) {
    const [, kind, id, version] = PAIR.exec(part.trim()) ?? [];
    if (kind === undefined) throw new InvalidArgument('fresh', `is ${shown(token)}: pairs are written contact=7@3`);
    const source = `${kind}=${checkId(kind, id)}`;
    const given = version === undefined ? undefined : BigInt(checkVersion('version', version));
    pairs.set(source, higher(pairs.get(source), given));
  }
  return pairs;
}

function higher(one: bigint | undefined, other: bigint | undefined): bigint | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one > other ? one : other;
}

/** `contact=7` of user 42 is written `contact=42/7`. */
function ofUser(user: Id, source: string, { version }: Pair): string {
  return text([source.replace('=', `=${user}/`), version]);
}

function text([source, version]: readonly [string, bigint | undefined]): string {
  return version === undefined ? source : `${source}@${version}`;
}
