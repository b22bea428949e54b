import type { Id } from '../contracts/id.ts';
import { isSuspended } from '../mysql/pairs.ts';
import type { ReplaceOutcome } from './contact-index.ts';
import { type Operation, step } from './protocol.ts';

export interface RebuildReport {
  readonly rebuilt: readonly Id[];
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
export class EpochSuspended extends Error {
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

/**
 * Builds the users' indexes anew from MySQL. Refill, backfill, repair and the first build are all this. One statement may
 * answer for the first of the users only; the others' nonces, read before, stay good for the next.
 * @param users each once
 */
export function* rebuild(users: readonly Id[]): Operation<RebuildReport> {
  const rebuilt: Id[] = [];
  const obstructed: Id[] = [];
  const slow: Id[] = [];
  let waiting = users;
  for (let attempt = 0; attempt < ATTEMPTS && waiting.length > 0; attempt++) {
    const nonces = yield* step('claim', waiting);
    obstructed.push(...waiting.filter((_user, i) => nonces[i] === ''));
    let claimed = waiting.map((user, i) => ({ user, seen: nonces[i] ?? '' })).filter(({ seen }) => seen !== '');
    const raced: Id[] = [];
    while (claimed.length > 0) {
      const wanted = claimed.map(({ user }) => user);
      const { epoch, tops } = yield* step('topContacts', wanted);
      if (isSuspended(epoch)) return { rebuilt, unsettled: [], obstructed, slow, suspended: [...wanted, ...raced] };
      const read = claimed.slice(0, tops.length);
      if (read.length > 0) {
        const requests = read.map((claim, i) => ({ ...claim, top: tops[i] ?? [] }));
        const outcomes = yield* step('replace', epoch, requests);
        const are = (outcome: ReplaceOutcome) => wanted.filter((_user, i) => outcomes[i] === outcome);
        rebuilt.push(...are('replaced'));
        obstructed.push(...are('wrong_type'));
        raced.push(...are('raced'));
      } else slow.push(...wanted.slice(0, 1));
      claimed = claimed.slice(Math.max(read.length, 1));
    }
    waiting = raced;
  }
  return { rebuilt, unsettled: waiting, obstructed, slow, suspended: [] };
}
