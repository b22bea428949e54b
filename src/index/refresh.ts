import type { Id } from '../contracts/id.ts';
import type { Pair, PairRow } from '../mysql/pairs.ts';
import type { ApplyOutcome, ApplyRequest, Change } from './contact-index.ts';
import { type Operation, step } from './protocol.ts';
import { type RebuildReport, rebuild } from './rebuild.ts';

/** A pair to look at again. `version`: its row must be at least that new, or the change is not visible yet. */
export interface Hint extends Pair {
  readonly version?: string;
}

export interface RefreshReport {
  /** Users by what became of them; a user may be counted under `raced` several times. */
  readonly outcomes: Readonly<Record<ApplyOutcome, number>>;
  readonly rebuilt: number;
  /** Hints whose row is still older than their version: look again later. What MySQL says was applied. */
  readonly behind: readonly Hint[];
}

/** Pairs in one call of a script. */
export const PAIRS_A_CALL = 500;

/** How often a lost race is run again at once, before the delay queue has it. */
const ATTEMPTS = 5;

const NOTHING_REBUILT: Pick<RebuildReport, 'rebuilt' | 'unsettled' | 'slow'> = { rebuilt: [], unsettled: [], slow: [] };

/**
 * Makes the index of each pair's user say of the pair's contact what MySQL says. See protocol.ts.
 * What loses its race too often is deferred. Rebuilds that become due are done here, before anything is acknowledged, or are
 * deferred where they take longer than a statement may.
 * @param hints at most PAIRS_A_CALL, each pair once
 * @param areNeighbours they are all of one contact's followers from the first to the last, by id, as they were a moment ago
 */
export function* refresh(hints: readonly Hint[], areNeighbours = false): Operation<RefreshReport> {
  const outcomes = { applied: 0, rebuild_due: 0, raced: 0, cold: 0, dropped: 0, wrong_type: 0 };
  const due: Id[] = [];
  const behind: Hint[] = [];
  let waiting: readonly UserHints[] = areNeighbours
    ? hints.map((hint) => [hint.user, [hint]])
    : [...Map.groupBy(hints, (hint) => hint.user)];
  for (let attempt = 0; attempt < ATTEMPTS && waiting.length > 0; attempt++) {
    const isFirst = attempt === 0;
    const round = yield* tryOnce(waiting, isFirst ? behind : [], isFirst && areNeighbours);
    for (const [i, [user]] of waiting.entries()) {
      const outcome = round[i] ?? 'raced';
      outcomes[outcome]++;
      if (outcome === 'rebuild_due') due.push(user);
    }
    waiting = waiting.filter((_user, i) => round[i] === 'raced');
  }
  const { rebuilt, unsettled, slow } = due.length > 0 ? yield* rebuild(due) : NOTHING_REBUILT;
  const pairs = waiting.flatMap(([_user, of]) => of);
  const rebuilds = [...unsettled, ...slow];
  if (pairs.length > 0 || rebuilds.length > 0) yield* step('defer', { pairs, rebuilds });
  return { outcomes, rebuilt: rebuilt.length, behind };
}

type UserHints = readonly [user: Id, hints: readonly Hint[]];

/**
 * Nonces, then rows, then the write. A user without a nonce is cold: nothing to do. But a task with a version may come
 * before its commit: then the commit, and before that a rebuild, may come between the nonces and the rows. So those
 * rows are offered to the cold as well, and the script says who still is.
 * @param behind gets the hints whose row is older than they say
 * @returns what became of each user
 */
function* tryOnce(users: readonly UserHints[], behind: Hint[], areNeighbours: boolean): Operation<ApplyOutcome[]> {
  const nonces = yield* step(
    'nonces',
    users.map(([user]) => user),
  );
  const mayBeEarly = users.some(([_user, hints]) => hints.some((hint) => hint.version !== undefined));
  const places = [...users.keys()].filter((place) => mayBeEarly || nonces[place] !== '');
  const asked = places.flatMap((place) => users[place]?.[1] ?? []);
  const result = users.map((): ApplyOutcome => 'cold');
  if (asked.length === 0) return result;

  const question = areNeighbours && 2 * asked.length > users.length ? 'neighbours' : 'pairs';
  const { epoch, rows } = yield* step(question, asked);
  const find = finder(rows);
  const requests = places.map((place): ApplyRequest => {
    const [user, hints] = users[place] as UserHints;
    return { user, seen: nonces[place] ?? '', changes: hints.map((hint) => changeOf(hint, find(hint), behind)) };
  });
  const outcomes = yield* step('apply', epoch, requests);
  for (const [i, place] of places.entries()) result[place] = outcomes[i] ?? 'raced';
  return result;
}

/** The row of a pair. Rows come in the order in which they are asked for, or nearly so. */
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

/** @param behind gets the hint when its row is older than it says */
function changeOf(hint: Hint, row: PairRow | undefined, behind: Hint[]): Change {
  if (hint.version !== undefined && isBehind(hint.version, row)) behind.push(hint);
  return { id: hint.contact, at: row?.related ? row.lastUploadAt : 0 };
}

function isBehind(version: string, row: PairRow | undefined): boolean {
  return row === undefined || BigInt(row.version) < BigInt(version);
}
