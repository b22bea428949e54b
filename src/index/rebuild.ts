import type { Id } from '../contracts/id.ts';
import type { Key } from '../contracts/key.ts';
import { UserError } from '../contracts/user-error.ts';
import { isSuspended } from '../mysql/epoch.ts';
import type { TopContacts } from '../mysql/top-contacts.ts';
import { type Epoch, FORGOTTEN, type Nonce, type ReplaceOutcome } from './contact-index.ts';
import { type Operation, step } from './protocol.ts';

export interface RebuildReport {
  readonly rebuilt: readonly Id[];
  /** MySQL has no row of theirs: no index is kept. */
  readonly unknown: readonly Id[];
  /** Forgotten since this rebuild was asked for: no index is built. */
  readonly forgotten: readonly Id[];
  /** Lost every race: begin again later. */
  readonly unsettled: readonly Id[];
  /** A key of the wrong type is in the way; whoever put it there must take it away. */
  readonly obstructed: readonly Id[];
  /** Reading all of their contacts takes longer than a statement may: to be built by who has the time. */
  readonly slow: readonly Id[];
  /** The epoch is suspended: no index is built before the consumers have caught up after a loss. */
  readonly suspended: readonly Id[];
}

/** Somebody asked for indexes while none may be built. */
export class EpochSuspended extends UserError {
  override readonly name = 'EpochSuspended';

  /** @param why the epoch is suspended */
  constructor(why = 'tasks were lost') {
    super(
      `No index is built while the epoch is suspended (${why}). A new epoch begins when the consumers have caught up; \`recency epoch show\` tells what they wait for.`,
    );
  }
}

/** How often a lost race is run again at once. */
const ATTEMPTS = 5;

/** What became of the users so far. */
type Sorted = { readonly [K in 'rebuilt' | 'unknown' | 'forgotten' | 'obstructed' | 'slow']: Id[] };

interface Claim {
  readonly user: Id;
  readonly seen: Nonce;
}

/**
 * Builds the users' indexes anew from MySQL. Refill, backfill, repair and the first build are all this. One statement may
 * answer for the first of the users only; the others' nonces, read before, stay good for the next.
 *
 * A user who was forgotten stays so: a rebuild that was asked for before finds its nonce gone, and may not claim another.
 * @param users each once
 * @param asked somebody asks for these very users now, forgotten or not; a rebuild that lost a race to that does not
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
 * Writes the indexes. One of nobody is kept only where the user has relationships, all of which plain SQL would have to read:
 * anybody may ask for a user whom MySQL does not know.
 * @returns who lost their race
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
