import type { Id } from '../contracts/id.ts';
import type { Pair, PairRow } from '../mysql/statements/pairs.ts';
import type { ApplyOutcome, ApplyRequest, Change, Nonce } from './contact-index.ts';
import { isolating, type Operation, step, type VersionedPair } from './protocol.ts';
import { type RebuildReport, rebuild } from './rebuild.ts';
import type { SetAside } from './set-aside.ts';

/** A pair to look at again. `version`: the row must be at least this new, or the change is not visible yet. */
export interface Hint extends Pair {
  readonly version?: string;
}

/** Adds a pair once. If it is there with another version, the newest of them must be seen. */
export function addHint(hints: Map<string, Hint>, hint: Hint): void {
  const pair = `${hint.user} ${hint.contact}`;
  const known = hints.get(pair);
  const isNewer = BigInt(hint.version ?? 0) > BigInt(known?.version ?? 0); // versions begin at 1
  if (known === undefined || isNewer) hints.set(pair, hint);
}

export interface RefreshReport {
  /** Number of users by outcome. A user may be counted under `raced` several times. */
  readonly outcomes: Readonly<Record<ApplyOutcome, number>>;
  readonly rebuilt: number;
  /**
   * Hints whose row is still older than their version, for all that is known: look again later. What MySQL says now was
   * applied, unless they are among `failed`.
   */
  readonly behind: readonly VersionedPair[];
  /** Pairs that lost every race; they wait in the delay queue. */
  readonly unsettled: readonly Pair[];
  /** Hints that fail by themselves, alone: a row that cannot be read, an entry that cannot be written. Their users are cold. */
  readonly failed: readonly SetAside<Hint>[];
}

/** The nonces of users who have one. */
export type SeenNonces = ReadonlyMap<Id, Nonce>;

/** Pairs in one call of a script. */
export const PAIRS_A_CALL = 500;

/** How often a refresh is attempted before it goes into the delay queue. */
const ATTEMPTS = 5;

const NO_OUTCOMES: RefreshReport['outcomes'] = {
  applied: 0,
  rebuild_due: 0,
  raced: 0,
  cold: 0,
  dropped: 0,
  unread: 0,
  wrong_type: 0,
};

/** What refreshing users without an index comes to: nothing. */
export function reportOfCold(users: number): RefreshReport {
  return { outcomes: { ...NO_OUTCOMES, cold: users }, rebuilt: 0, behind: [], unsettled: [], failed: [] };
}

const NOTHING_REBUILT: Pick<RebuildReport, 'rebuilt' | 'unsettled' | 'slow'> = { rebuilt: [], unsettled: [], slow: [] };

/**
 * Brings the index of each pair's user up to date about the pair's contact, and signals it. See protocol.ts.
 *
 * A refresh that loses its race too often is delayed. A rebuild that becomes due is done here, before anything is
 * acknowledged, or delayed if it takes longer than a statement may.
 * @param hints at most PAIRS_A_CALL, each pair once
 */
export function* refresh(hints: readonly Hint[]): Operation<RefreshReport> {
  const report = yield* refreshUnsignalled(hints);
  yield* signal(new Set(hints.map(({ user }) => user)));
  return report;
}

/** Says that what these users see may have changed: after a refresh, whatever its outcome, and before its task is acknowledged. */
export function* signal(users: ReadonlySet<Id>): Operation<void> {
  if (users.size > 0) yield* step('signal', [...users]);
}

/**
 * A refresh whose caller signals it, together with others.
 *
 * A pair that fails alone holds up no other. The change of it is not in the index, so its user has none from here on: what is
 * built later is read later.
 * @param areNeighbours they are all followers of one contact between the first and the last, by id, as of a moment ago
 * @param seen the nonces of these users, read since the change was committed; left out: they are read here
 */
export function* refreshUnsignalled(
  hints: readonly Hint[],
  areNeighbours = false,
  seen?: SeenNonces,
): Operation<RefreshReport> {
  const reports: RefreshReport[] = [];
  const failed = yield* isolating(hints, function* (some) {
    reports.push(yield* refreshTogether(some, areNeighbours, seen));
  });
  const [report, ...more] = reports;
  if (report !== undefined && more.length === 0 && failed.length === 0) return report;
  if (failed.length > 0) yield* step('drop', [...new Set(failed.map(({ item }) => item.user))]);
  const unseen = failed.map(({ item }) => item).filter(hasVersion);
  return {
    outcomes: sumOf(reports.map(({ outcomes }) => outcomes)),
    rebuilt: reports.reduce((sum, { rebuilt }) => sum + rebuilt, 0),
    behind: [...reports.flatMap(({ behind }) => behind), ...unseen],
    unsettled: reports.flatMap(({ unsettled }) => unsettled),
    failed,
  };
}

function hasVersion(hint: Hint): hint is VersionedPair {
  return hint.version !== undefined;
}

function sumOf(all: readonly RefreshReport['outcomes'][]): RefreshReport['outcomes'] {
  const sum: Record<ApplyOutcome, number> = { ...NO_OUTCOMES };
  for (const one of all) for (const [outcome, users] of Object.entries(one)) sum[outcome as ApplyOutcome] += users;
  return sum;
}

function* refreshTogether(
  hints: readonly Hint[],
  areNeighbours: boolean,
  seen: SeenNonces | undefined,
): Operation<RefreshReport> {
  const outcomes: Record<ApplyOutcome, number> = { ...NO_OUTCOMES };
  const due: Id[] = [];
  let behind: readonly VersionedPair[] = [];
  let waiting: readonly UserHints[] = areNeighbours
    ? hints.map((hint) => [hint.user, [hint]])
    : [...Map.groupBy(hints, (hint) => hint.user)];
  for (let attempt = 0; attempt < ATTEMPTS && waiting.length > 0; attempt++) {
    const isFirst = attempt === 0;
    const tried = yield* tryOnce(waiting, isFirst && areNeighbours, isFirst ? seen : undefined);
    if (isFirst) behind = tried.behind;
    for (const [i, [user]] of waiting.entries()) {
      const outcome = tried.outcomes[i] ?? 'raced';
      outcomes[outcome]++;
      if (outcome === 'rebuild_due') due.push(user);
    }
    waiting = waiting.filter((_user, i) => tried.outcomes[i] === 'raced');
  }
  const { rebuilt, unsettled, slow } = due.length > 0 ? yield* rebuild(due) : NOTHING_REBUILT;
  const pairs = waiting.flatMap(([_user, of]) => of);
  const rebuilds = [...unsettled, ...slow];
  if (pairs.length > 0 || rebuilds.length > 0) yield* step('defer', { pairs, rebuilds });
  return { outcomes, rebuilt: rebuilt.length, behind, unsettled: pairs, failed: [] };
}

type UserHints = readonly [user: Id, hints: readonly Hint[]];

interface Attempt {
  /** In the order of the users. */
  readonly outcomes: readonly ApplyOutcome[];
  /** Hints whose row is older than their version. */
  readonly behind: readonly VersionedPair[];
}

/**
 * Reads the nonces, then the rows, then writes. A user without a nonce is cold: there is nothing to do. But a task with a
 * version may arrive before its commit, and then the commit, and before that a rebuild, may come between the nonces and the
 * rows. So such rows are offered to cold users as well, and the script says who is still cold.
 */
function* tryOnce(
  users: readonly UserHints[],
  areNeighbours: boolean,
  seen: SeenNonces | undefined,
): Operation<Attempt> {
  const ids = users.map(([user]) => user);
  const nonces = seen === undefined ? yield* step('nonces', ids) : ids.map((user) => seen.get(user) ?? '');
  const mayBeEarly = users.some(([_user, hints]) => hints.some((hint) => hint.version !== undefined));
  const places = [...users.keys()].filter((place) => mayBeEarly || nonces[place] !== '');
  const asked = places.flatMap((place) => users[place]?.[1] ?? []);
  const outcomes = users.map((): ApplyOutcome => 'cold');
  if (asked.length === 0) return { outcomes, behind: [] };

  const question = areNeighbours && 2 * asked.length > users.length ? 'neighbours' : 'pairs';
  const { epoch, rows } = yield* step(question, asked);
  const find = finder(rows);
  const behind: VersionedPair[] = [];
  const changeOf = (hint: Hint): Change => {
    const row = find(hint);
    if (isBehind(hint, row)) behind.push(hint);
    return { id: hint.contact, at: row?.related ? row.lastUploadAt : 0 };
  };
  const requests = places.map((place): ApplyRequest => {
    const [user, hints] = users[place] as UserHints;
    return { user, seen: nonces[place] ?? '', changes: hints.map(changeOf) };
  });
  const applied = yield* step('apply', epoch, requests);
  for (const [i, place] of places.entries()) outcomes[place] = applied[i] ?? 'raced';
  return { outcomes, behind };
}

/** Finds the row of a pair. Rows come in, or nearly in, the order in which they are asked for. */
function finder(rows: readonly PairRow[]): (pair: Pair) => PairRow | undefined {
  let next = 0;
  let rowsOf: Map<Id, PairRow[]> | undefined;
  return ({ user, contact }) => {
    const row = rows[next];
    if (row?.user === user && row.contact === contact) return rows[next++];
    rowsOf ??= Map.groupBy(rows, (other) => other.user);
    return rowsOf.get(user)?.find((other) => other.contact === contact);
  };
}

/** The row is older than the hint's version: the change is not committed yet, or not here. */
export function isBehind(hint: Hint, row: PairRow | undefined): hint is VersionedPair {
  return hint.version !== undefined && (row === undefined || BigInt(row.version) < BigInt(hint.version));
}
