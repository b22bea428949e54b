import type { Id } from '../../src/contracts/id.ts';
import type { KindName } from '../../src/contracts/kind.ts';
import type { KeepRules } from '../../src/index/allowance.ts';
import type { Menu } from '../site/actions.ts';
import type { Site } from '../site/site.ts';

/**
 * External faults:
 * - `crash`      a worker loses its work; its tasks are delivered again
 * - `resend`     a command is done, its reply is lost, and the client sends it again
 * - `duplicate`  a task is delivered twice
 * - `rebuild`    an index is built: by a read that found it cold or low, a backfill or a repair
 * - `read`       an index is read, which renews its allowance
 * - `evict`      one of a user's two keys disappears
 * - `drop`       both do: expired, flushed
 * - `forget`     the user is forgotten: both keys go, and a note stays, which nothing lifts here
 * - `epoch`      a new epoch begins
 * - `loss`       tasks are lost; that is noticed, and a new epoch begins
 * - `suspend`    tasks are lost; that is noticed, and the epoch is suspended until, at any later moment, a new one begins
 * - `failover`   a lagging replica is promoted; that is noticed, and a new epoch begins
 * - `stray`      a plan is lost while nobody works, and nobody notices; the next upload of its owner makes up for it
 * - `wipe`       Redis loses everything, the delay queue and the notes of plans as well; that is noticed, and a new epoch begins
 */
export type Fault =
  | 'crash'
  | 'resend'
  | 'duplicate'
  | 'rebuild'
  | 'read'
  | 'evict'
  | 'drop'
  | 'forget'
  | 'epoch'
  | 'loss'
  | 'suspend'
  | 'failover'
  | 'stray'
  | 'wipe';

/** One search: every interleaving of everything that may happen here. */
export interface Scenario {
  readonly name: string;
  /** Those in use. */
  readonly kinds: readonly KindName[];
  /** The users whose indexes, one of each kind, are kept and checked. */
  readonly users: readonly Id[];
  readonly max: number;
  readonly min: number;
  /** Followers in a page of a fan-out; of more there are segments. */
  readonly pageSize: number;
  /** Followers of a segment; undefined: as many as in a page. */
  readonly segmentSize?: number;
  readonly site: Site;
  /** Which indexes pay; undefined: all, for ever. */
  readonly rules?: KeepRules;
  /** The initial indexes. */
  readonly index: 'warm' | 'cold' | 'placeholder';
  readonly menu: Menu;
  /** How many of the menu's actions happen. */
  readonly actions: number;
  readonly faults: readonly Fault[];
  /** Maximum number of faults. */
  readonly faultsAtMost: number;
  readonly workers: number;
  /** May a task be delivered before its transaction is committed: none, those that carry a version, or any? */
  readonly publish: 'after' | 'versioned before' | 'before';
  /** Do contact tasks carry the version of their row? */
  readonly versions: boolean;
  /** Where re-checks may be lost; undefined, as in the product: nowhere. */
  readonly rechecks?: 'in Redis' | 'dropped with the index';
  /** Does a trim leave no more than min, instead of max? */
  readonly trimsToMin?: true;
  /** A deviation in how the epoch changes when tasks are lost: not before the end, or back again then. */
  readonly suspends?: 'at the end' | 'and resumes';
  /** The users that a fan-out visits; undefined, as in the product: all who have a row with its owner. */
  readonly fanOuts?: 'related';
  /** Pairs whose rows cannot be read when they are asked for; a rebuild can read them. */
  readonly unreadable?: readonly { readonly user: Id; readonly contact: Id }[];
  /** Immediate retries of a lost race; undefined: as many as the product makes. */
  readonly attempts?: number;
}
