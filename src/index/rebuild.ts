import type { Id } from '../contracts/id.ts';
import { UserError } from '../contracts/user-error.ts';
import { isSuspended } from '../mysql/epoch-token.ts';
import type { TopContacts } from '../mysql/statements/top-contacts.ts';
import { type Epoch, FORGOTTEN, type Nonce, type ReplaceOutcome, type ReplaceRequest } from './contact-index.ts';
import { type Operation, step } from './protocol.ts';

export interface RebuildReport {
  readonly rebuilt: readonly Id[];
  /** They have too few rows for an index to pay, or none: no index is kept. */
  readonly small: readonly Id[];
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
type Sorted = { readonly [K in 'rebuilt' | 'small' | 'forgotten' | 'obstructed' | 'slow']: Id[] };

type Claim = Omit<ReplaceRequest, 'top'>;

/**
 * Builds the users' indexes from MySQL. The first build, refill, backfill and repair all use it. See protocol.ts.
 *
 * First it asks who has so many rows that an index pays. The others' indexes are dropped: that is always safe, whatever else is
 * being written, because without an index plain SQL answers.
 *
 * One statement may answer for only the first of the users; the nonces of the others, which were claimed before it, remain valid
 * for the next statement.
 *
 * A forgotten user stays forgotten: a rebuild that was requested earlier finds its nonce gone and cannot claim another.
 * @param users each once
 * @param asked these users' indexes are requested now, whether forgotten or not (a retry after a lost race is not such a request)
 */
export function* rebuild(users: readonly Id[], asked = false): Operation<RebuildReport> {
  const sorted: Sorted = { rebuilt: [], small: [], forgotten: [], obstructed: [], slow: [] };
  const allowances = yield* step('allowances', users);
  const paying = new Map(users.flatMap((user, i) => (allowances[i] === undefined ? [] : [[user, allowances[i]]])));
  sorted.small.push(...users.filter((user) => !paying.has(user)));
  if (sorted.small.length > 0) yield* step('drop', sorted.small);
  let waiting: readonly Id[] = [...paying.keys()];
  for (let attempt = 0; attempt < ATTEMPTS && waiting.length > 0; attempt++) {
    const nonces = yield* step('claim', waiting, asked && attempt === 0);
    let claimed = waiting.map((user, i): Claim => ({ user, seen: nonces[i] ?? '', allowance: paying.get(user) ?? 0 }));
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
  const requests = read.map((claim, i) => ({ ...claim, top: tops[i] ?? [] }));
  const empty = requests.filter(({ top }) => top.length === 0).map(({ user }) => user);
  const owners = new Set(empty.length > 0 ? yield* step('owners', empty) : []);
  const unknown = new Set(empty.filter((user) => !owners.has(user)));
  if (unknown.size > 0) yield* step('drop', [...unknown]);
  sorted.small.push(...unknown);
  const kept = requests.filter(({ user }) => !unknown.has(user));
  if (kept.length === 0) return [];
  const outcomes = yield* step('replace', epoch, kept);
  const are = (outcome: ReplaceOutcome) => kept.filter((_, i) => outcomes[i] === outcome).map(({ user }) => user);
  sorted.rebuilt.push(...are('replaced'));
  sorted.obstructed.push(...are('wrong_type'));
  return are('raced');
}
