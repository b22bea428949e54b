import type { Id } from '../contracts/id.ts';
import { isSuspended } from '../mysql/pairs.ts';
import { type Operation, step } from './protocol.ts';

export interface RebuildReport {
  readonly rebuilt: readonly Id[];
  /** Lost every race: begin again later. */
  readonly unsettled: readonly Id[];
  /** A key of the wrong type is in the way; whoever put it there must take it away. */
  readonly obstructed: readonly Id[];
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
 * Builds the users' indexes anew from MySQL. Refill, backfill, repair and the first build are all this.
 * @param users each once
 */
export function* rebuild(users: readonly Id[]): Operation<RebuildReport> {
  const rebuilt: Id[] = [];
  const obstructed: Id[] = [];
  let waiting = users;
  for (let attempt = 0; attempt < ATTEMPTS && waiting.length > 0; attempt++) {
    const nonces = yield* step('claim', waiting);
    const claimed = waiting.filter((_user, i) => nonces[i] !== '');
    obstructed.push(...waiting.filter((_user, i) => nonces[i] === ''));
    if (claimed.length === 0) return { rebuilt, unsettled: [], obstructed, suspended: [] };
    const seen = nonces.filter((nonce) => nonce !== '');
    const { epoch, tops } = yield* step('topContacts', claimed);
    if (isSuspended(epoch)) return { rebuilt, unsettled: [], obstructed, suspended: claimed };
    const outcomes = yield* step(
      'replace',
      epoch,
      claimed.map((user, i) => ({ user, seen: seen[i] ?? '', top: tops[i] ?? [] })),
    );
    rebuilt.push(...claimed.filter((_user, i) => outcomes[i] === 'replaced'));
    obstructed.push(...claimed.filter((_user, i) => outcomes[i] === 'wrong_type'));
    waiting = claimed.filter((_user, i) => outcomes[i] === 'raced');
  }
  return { rebuilt, unsettled: waiting, obstructed, suspended: [] };
}
