import type { Id } from '../contracts/id.ts';
import type { Pair, PairRow } from '../mysql/pairs.ts';
import type { ApplyOutcome, ApplyRequest, Change, Nonce } from './contact-index.ts';
import { type Operation, step } from './protocol.ts';
import { rebuild } from './rebuild.ts';

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

/**
 * Makes the index of each pair's user say of the pair's contact what MySQL says. See protocol.ts.
 * What loses its race too often is deferred. Rebuilds that become due are done here, before anything is acknowledged.
 * @param hints at most PAIRS_A_CALL, each pair once
 */
export function* refresh(hints: readonly Hint[]): Operation<RefreshReport> {
  const outcomes = { applied: 0, rebuild_due: 0, raced: 0, cold: 0, dropped: 0, wrong_type: 0 };
  const due: Id[] = [];
  const behind: Hint[] = [];
  let waiting: ReadonlyMap<Id, readonly Hint[]> = Map.groupBy(hints, (hint) => hint.user);
  for (let attempt = 0; attempt < ATTEMPTS && waiting.size > 0; attempt++) {
    const round = yield* tryOnce(waiting, attempt === 0 ? behind : []);
    for (const [user, outcome] of round) {
      outcomes[outcome]++;
      if (outcome === 'rebuild_due') due.push(user);
    }
    waiting = new Map([...waiting].filter(([user]) => round.get(user) === 'raced'));
  }
  const { rebuilt, unsettled } = due.length > 0 ? yield* rebuild(due) : { rebuilt: [], unsettled: [] };
  const pairs = [...waiting.values()].flat();
  if (pairs.length > 0 || unsettled.length > 0) yield* step('defer', { pairs, rebuilds: unsettled });
  return { outcomes, rebuilt: rebuilt.length, behind };
}

/**
 * Nonces, then rows, then the write. A user without a nonce is cold: nothing to do. But a task with a version may come
 * before its commit: then the commit, and before that a rebuild, may come between the nonces and the rows. So those
 * rows are offered to the cold as well, and the script says who still is.
 */
function* tryOnce(users: ReadonlyMap<Id, readonly Hint[]>, behind: Hint[]): Operation<Map<Id, ApplyOutcome>> {
  const named = [...users.keys()];
  const nonces = yield* step('nonces', named);
  const seen = new Map<Id, Nonce>(named.map((user, i) => [user, nonces[i] ?? '']));
  const hints = [...users.values()].flat();
  const mayBeEarly = hints.some((hint) => hint.version !== undefined);
  const asked = hints.filter((hint) => mayBeEarly || seen.get(hint.user) !== '');
  const result = new Map<Id, ApplyOutcome>(named.map((user) => [user, 'cold']));
  if (asked.length === 0) return result;

  const { epoch, rows } = yield* step('pairs', asked);
  const rowOf = new Map(rows.map((row) => [`${row.user} ${row.contact}`, row]));
  const find = (hint: Hint) => rowOf.get(`${hint.user} ${hint.contact}`);
  behind.push(...asked.filter((hint) => isBehind(hint, find(hint))));

  const requests: ApplyRequest[] = [...Map.groupBy(asked, (hint) => hint.user)].map(([user, of]) => ({
    user,
    seen: seen.get(user) ?? '',
    changes: of.map((hint) => changeOf(hint, find(hint))),
  }));
  const outcomes = yield* step('apply', epoch, requests);
  for (const [i, { user }] of requests.entries()) result.set(user, outcomes[i] ?? 'raced');
  return result;
}

function changeOf(pair: Pair, row: PairRow | undefined): Change {
  return { id: pair.contact, at: row?.related ? row.lastUploadAt : 0 };
}

function isBehind(hint: Hint, row: PairRow | undefined): boolean {
  if (hint.version === undefined) return false;
  return row === undefined || BigInt(row.version) < BigInt(hint.version);
}
