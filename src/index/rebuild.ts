import type { Id } from '../contracts/id.ts';
import type { Key } from '../contracts/key.ts';
import { UserError } from '../contracts/user-error.ts';
import { isSuspended } from '../mysql/epoch.ts';
import type { TopContacts } from '../mysql/top-contacts.ts';
import { type Epoch, FORGOTTEN, type Nonce, type ReplaceOutcome } from './contact-index.ts';
import { type Operation, step } from './protocol.ts';

export interface RebuildReport {
  readonly rebuilt: readonly Id[];
  /** MySQL has no row about them, so no index is kept. */
  readonly unknown: readonly Id[];
  /** Forgotten since this rebuild was requested, so no index is built. */
  readonly forgotten: readonly Id[];
  /** Lost every race: to be started again later. */
  readonly unsettled: readonly Id[];
  /** A foreign key of the wrong type is in the way; an operator must remove it. */
  readonly obstructed: readonly Id[];
  /** Reading all of their contacts takes longer than a statement may: to be built by a worker with a longer timeout. */
  readonly slow: readonly Id[];
  /** The epoch is suspended: no index is built until the consumers have caught up after a loss. */
  readonly suspended: readonly Id[];
}

/** An index was requested while the epoch is suspended. */
export class EpochSuspended extends UserError {
  override readonly name = 'EpochSuspended';

  /** @param why the epoch is suspended */
  constructor(why = 'tasks were lost') {
    super(
      `No index is built while the epoch is suspended (${why}). A new epoch begins when the consumers have caught up; \`recency epoch show\` says what they are waiting for.`,
    );
  }
}

/** How often a rebuild is attempted before it is left for later. */
const ATTEMPTS = 5;

/** The users so far, by outcome. */
type Sorted = { readonly [K in 'rebuilt' | 'unknown' | 'forgotten' | 'obstructed' | 'slow']: Id[] };

interface Claim {
  readonly user: Id;
  readonly seen: Nonce;
}

/**
 * Builds the users' indexes from MySQL. The first build, refill, backfill and repair all use it. See protocol.ts.
 *
 * One statement may answer for only the first of the users; the nonces of the others, which were claimed before it, remain valid
 * for the next statement.
 *
 * A forgotten user stays forgotten: a rebuild that was requested earlier finds its nonce gone and cannot claim another.
 * @param users each once
 * @param asked these users' indexes are requested now, whether forgotten or not (a retry after a lost race is not such a request)
 */
export function* rebuild(users: readonly Id[], asked = false): Operation<RebuildReport> {
  const sorted: Sorted = { rebuilt: [], unknown: [], forgotten: [], obstructed: [], slow: [] };
  let waiting = users;
  for (let attempt = 0; attempt < ATTEMPTS && waiting.length > 0; attempt++) {
    const nonces = yield* step('claim', waiting, asked && attempt === 0);
    let claimed = waiting.map((user, i) => ({ user, seen: nonces[i] ?? '' }));
    sorted.obstructed.push(...usersWith('', claimed));
    sorted.forgotten.push(...usersWith(FORGOTTEN, claimed));
    claimed = claimed.filter(({ seen }) => seen !== '' && seen !== FORGOTTEN);
    const raced: Id[] = [];
    while (claimed.length > 0) {
      const wanted = claimed.map(({ user }) => user);
      const { epoch, tops } = yield* step('topContacts', wanted);
      if (isSuspended(epoch)) return { ...sorted, unsettled: [], suspended: [...wanted, ...raced] };
      const read = claimed.slice(0, tops.length);
      if (read.length > 0) raced.push(...(yield* replaceAll(epoch, read, tops, sorted)));
      else sorted.slow.push(...wanted.slice(0, 1));
      claimed = claimed.slice(Math.max(read.length, 1));
    }
    waiting = raced;
  }
  return { ...sorted, unsettled: waiting, suspended: [] };
}

function usersWith(nonce: Nonce, claims: readonly Claim[]): Id[] {
  return claims.filter(({ seen }) => seen === nonce).map(({ user }) => user);
}

/**
 * Writes the indexes. An empty one is kept only for a user who has relationships, all of which a plain query would have to read;
 * not for one whom MySQL does not know, because anyone may ask for such ids.
 * @returns the users who lost their race
 */
function* replaceAll(epoch: Epoch, read: readonly Claim[], tops: TopContacts['tops'], sorted: Sorted): Operation<Id[]> {
  const empty = read.filter((_claim, i) => tops[i]?.length === 0).map(({ user }) => user);
  const owners = new Set(empty.length > 0 ? yield* step('owners', empty) : []);
  const isKept = (user: Id, top: readonly Key[]) => top.length > 0 || owners.has(user);
  const requests = read.map((claim, i) => {
    const top = tops[i] ?? [];
    return { ...claim, top: isKept(claim.user, top) ? top : undefined };
  });
  const outcomes = yield* step('replace', epoch, requests);
  const are = (outcome: ReplaceOutcome) => read.filter((_, i) => outcomes[i] === outcome).map(({ user }) => user);
  sorted.rebuilt.push(...are('replaced'));
  sorted.unknown.push(...are('removed'));
  sorted.obstructed.push(...are('wrong_type'));
  return are('raced');
}
