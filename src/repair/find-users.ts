import { GREATEST_ID, type Id } from '../contracts/id.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import type { UserRange } from '../mysql/statements/users.ts';
import { findLastUser, findNextUser, findNextUsers, findUsersAmong } from './unreadable-users.ts';

/** Ids count as dense if at least one in this many belongs to a user. */
const DENSE = 8;

/** Relationships read per statement where ids are sparse. */
const ROWS_AT_ONCE = 20_000;

/** Random points looked up side by side. */
const POINTS_AT_ONCE = 16;

/** Users looked up at once when a sample is topped up. */
const USERS_AT_ONCE = 500;

/**
 * The next users by id who have relationships: `count` or more, or fewer where ids are sparse; none only at the end.
 *
 * Consecutive ids are looked up one by one in a single statement, which costs the same whatever the users have. Sparse ids
 * (made from the time, say) are found in the order of the relationships' own index.
 * @throws DatabaseUnavailable
 */
export async function nextUsers(database: KindDatabase, wanted: UserRange, count: number): Promise<Id[]> {
  const candidates = idsAfter(wanted, count);
  if (candidates.length === 0) return [];
  const near = await findUsersAmong(database, candidates);
  if (near.length * DENSE >= candidates.length) return near.toSorted(byId);
  return (await findNextUsers(database, wanted, ROWS_AT_ONCE)).toSorted(byId);
}

function idsAfter({ after, to }: UserRange, count: number): Id[] {
  const ids: Id[] = [];
  for (let id = BigInt(after) + 1n; id <= BigInt(to) && ids.length < count; id++) ids.push(String(id));
  return ids;
}

/** For sorting, lowest first. */
function byId(a: Id, b: Id): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** The lowest and the highest id of the users who have relationships. */
export interface IdSpan {
  readonly first: Id;
  readonly last: Id;
}

/** Undefined: nobody has relationships. @throws DatabaseUnavailable */
export async function readIdSpan(database: KindDatabase): Promise<IdSpan | undefined> {
  const last = await findLastUser(database, { after: '0', to: GREATEST_ID });
  if (last === undefined) return undefined;
  return { first: (await findNextUser(database, { after: '0', to: last })) ?? last, last };
}

/**
 * A point from one below the first id to one below the last: a site's ids may start anywhere, and the first user after a
 * gap is found from all of the gap. A resolution of a trillion steps is enough.
 */
export function pointWithin({ first, last }: IdSpan, random: number): string {
  const steps = 10n ** 12n;
  const ids = BigInt(last) - BigInt(first) + 1n;
  return String(BigInt(first) - 1n + (ids * BigInt(Math.floor(random * Number(steps)))) / steps);
}

/**
 * A sample of users who have relationships, by id: each is the first user after a random point, so that no others are
 * read. Where that finds too few (there are hardly more), the sample is topped up from the first user on.
 * @param random from 0 up to 1
 * @returns `count` users, or all if there are no more
 * @throws DatabaseUnavailable
 */
export async function sampleUsers(database: KindDatabase, count: number, random: () => number): Promise<Id[]> {
  const span = await readIdSpan(database);
  if (span === undefined) return [];
  const { last } = span;
  const found = new Set<Id>();
  for (let points = 0; points < 2 * count && found.size < count; points += POINTS_AT_ONCE) {
    const size = Math.min(POINTS_AT_ONCE, count - found.size);
    const asked = Array.from({ length: size }, () => pointWithin(span, random()));
    const users = await Promise.all(asked.map((after) => findNextUser(database, { after, to: last })));
    for (const user of users) if (user !== undefined) found.add(user);
  }
  await topUp(database, found, count, last);
  return [...found].sort(byId);
}

async function topUp(database: KindDatabase, found: Set<Id>, count: number, last: Id): Promise<void> {
  let after: Id | '0' = '0';
  while (found.size < count) {
    const users = await nextUsers(database, { after, to: last }, USERS_AT_ONCE);
    for (const id of users) if (found.size < count) found.add(id);
    const end = users.at(-1);
    if (end === undefined) return;
    after = end;
  }
}

/**
 * Draws users who have relationships, without end. Half of them are random, so that a few seconds' users represent
 * everybody; the other half come in turn, so that everybody is drawn at some time: random points seldom find users who
 * are close together, and mostly find those who follow a large gap.
 */
export class UserDraw {
  readonly #database: KindDatabase;
  readonly #random: () => number;
  #turn: Id | '0' | undefined;

  /** @param random from 0 up to 1 */
  constructor(database: KindDatabase, random: () => number) {
    this.#database = database;
    this.#random = random;
  }

  /** Up to `count` users, each once; none only if there are none. @throws DatabaseUnavailable */
  async next(count: number): Promise<Id[]> {
    const span = await readIdSpan(this.#database);
    if (span === undefined) return [];
    const inTurn = Math.floor(count / 2 + this.#random());
    const drawn = new Set<Id>();
    for (let i = 0; i < count; i++) drawn.add(await (i < inTurn ? this.#nextInTurn(span) : this.#anyone(span)));
    return [...drawn];
  }

  async #anyone(span: IdSpan): Promise<Id> {
    return (await this.#nextAfter(pointWithin(span, this.#random()), span)) ?? span.last;
  }

  async #nextInTurn(span: IdSpan): Promise<Id> {
    // A random start, so that a process that takes over does not repeat the same users.
    const after = this.#turn ?? pointWithin(span, this.#random());
    this.#turn = (await this.#nextAfter(after, span)) ?? span.first;
    return this.#turn;
  }

  #nextAfter(after: Id | '0', { last }: IdSpan): Promise<Id | undefined> {
    return findNextUser(this.#database, { after, to: last });
  }
}
