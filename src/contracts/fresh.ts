import { type GtidSet, parseGtidSet } from './gtid.ts';
import { type Id, isId } from './id.ts';

/** The request header that names changes which the answer must show. */
export const FRESH_HEADER = 'Recency-Fresh';

/** Changes that one request may name. */
export const MOST_FRESH = 8;

/** A relation that has changed: between a user and something that the user follows. */
export interface RelationChange {
  /** The kind's name for one of what it follows: `contact`. */
  readonly kind: string;
  readonly user: Id;
  /** What the user follows. */
  readonly id: Id;
  /** The version that the user's row has since the change; undefined: any. */
  readonly version?: string;
}

/** The content of the header. */
export interface FreshHeader {
  /** Each relation of each user once, with the newest version named. */
  readonly changes: readonly RelationChange[];
  /** What a replica must have applied before it may answer. */
  readonly gtids: GtidSet | undefined;
}

/** The header is not valid. The message says why. */
export class InvalidFresh extends Error {
  override readonly name = 'InvalidFresh';
}

const TOKEN = /^([a-z_]+)=(.*)$/;
const GTID = 'gtid';

/** Before the relation, the user whose it is: `contact=42/7@3`. */
const OF_USER = /^(?:([^/]*)\/)?([^/]*)$/;

/**
 * Parses `contact=7@3, group=12, gtid=SET`. Tokens of several changes, and several headers, are joined by commas. A relation
 * is one of each user of the request, or of the one that it names: `contact=42/7@3`.
 * @param users of the request, each once
 * @param kinds the names that are known here
 * @throws InvalidFresh
 */
export function parseFresh(header: string, users: readonly Id[], kinds: readonly string[]): FreshHeader {
  const named = new Set<string>();
  const changes = new Map<string, RelationChange>();
  const gtids: string[] = [];
  for (const [name, value] of tokensOf(header)) {
    if (name === GTID) gtids.push(value);
    else {
      const { user, ...change } = changeOf(name, value, kinds);
      if (user !== undefined && !users.includes(user)) throw new InvalidFresh('names a user who is not asked for');
      named.add(`${change.kind} ${user ?? '*'} ${change.id}`);
      for (const one of user === undefined ? users : [user]) addChange(changes, { ...change, user: one });
    }
  }
  if (named.size > MOST_FRESH) throw new InvalidFresh(`names more than ${MOST_FRESH} relations`);
  return { changes: [...changes.values()], gtids: gtids.length > 0 ? gtidsOf(gtids.join(',')) : undefined };
}

/** A GTID set contains commas itself: what follows it without a name belongs to it. */
function tokensOf(header: string): [name: string, value: string][] {
  const tokens: [name: string, value: string][] = [];
  for (const element of header.split(',').map((part) => part.trim())) {
    const [, name, value] = TOKEN.exec(element) ?? [];
    const last = tokens.at(-1);
    if (name !== undefined && value !== undefined) tokens.push([name, value.trim()]);
    else if (element !== '' && last?.[0] === GTID) last[1] += `,${element}`;
    else if (element !== '') throw new InvalidFresh('has a part that is not NAME=VALUE');
  }
  return tokens;
}

/** The user is undefined where the token names none. */
type NamedChange = Omit<RelationChange, 'user'> & { readonly user: Id | undefined };

function changeOf(kind: string, value: string, kinds: readonly string[]): NamedChange {
  if (!kinds.includes(kind)) throw new InvalidFresh(`knows ${[...kinds, GTID].join(', ')}, and nothing else`);
  const [relation = '', version, ...rest] = value.split('@');
  const [, user, id] = OF_USER.exec(relation) ?? [];
  const isWrong = [user, version].some((given) => given !== undefined && !isId(given));
  if (!isId(id) || isWrong || rest.length > 0) {
    const forms = `${kind}=7, ${kind}=7@3 or, of user 42, ${kind}=42/7@3`;
    throw new InvalidFresh(`${kind} must be an id, or an id and a version from 1: ${forms}`);
  }
  return { kind, user, id, ...(version === undefined ? {} : { version }) };
}

function addChange(changes: Map<string, RelationChange>, change: RelationChange): void {
  const name = `${change.kind} ${change.user} ${change.id}`;
  const known = changes.get(name);
  if (known === undefined || BigInt(change.version ?? 0) > BigInt(known.version ?? 0)) changes.set(name, change);
}

function gtidsOf(text: string): GtidSet {
  const gtids = parseGtidSet(text);
  if (gtids !== undefined) return gtids;
  throw new InvalidFresh(
    'gtid must be a GTID set of MySQL (UUID:1-5) or GTIDs of MariaDB (0-1-5), all of the same server',
  );
}
