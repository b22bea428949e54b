import type { Id } from '../../src/contracts/id.ts';
import type { Menu } from '../site/actions.ts';
import type { Site } from '../site/site.ts';

/**
 * What may befall the protocol from outside:
 * - `crash`      a worker loses what it is doing; its tasks come again
 * - `resend`     a command is done, its reply is lost, and the client sends it again
 * - `duplicate`  a task is delivered twice
 * - `rebuild`    somebody builds an index: a read that found it cold or low, a backfill, a repair
 * - `evict`      one of a user's two keys disappears
 * - `drop`       both do: expired, flushed
 * - `forget`     the user is forgotten: both go, and a note stays, which nobody lifts here
 * - `epoch`      a new epoch begins
 * - `loss`       tasks are lost; that is noticed, and a new epoch begins
 * - `suspend`    tasks are lost; that is noticed, and the epoch is suspended until, at any later moment, a new one begins
 * - `failover`   Redis goes on from a replica that lagged; that is noticed, and a new epoch begins
 * - `wipe`       Redis loses everything, the delay queue and the cursors as well; that is noticed, and a new epoch begins
 */
export type Fault =
  | 'crash'
  | 'resend'
  | 'duplicate'
  | 'rebuild'
  | 'evict'
  | 'drop'
  | 'forget'
  | 'epoch'
  | 'loss'
  | 'suspend'
  | 'failover'
  | 'wipe';

/** What is searched in one go: every interleaving of everything that may happen here. */
export interface Scenario {
  readonly name: string;
  /** The users whose indexes are kept and checked. */
  readonly users: readonly Id[];
  readonly max: number;
  readonly min: number;
  /** Followers in a page of a fan-out. */
  readonly pageSize: number;
  readonly site: Site;
  /** The indexes when it begins. */
  readonly index: 'warm' | 'cold' | 'placeholder';
  readonly menu: Menu;
  /** How many of the menu's actions happen. */
  readonly actions: number;
  readonly faults: readonly Fault[];
  /** How many of the faults happen at the most. */
  readonly faultsAtMost: number;
  readonly workers: number;
  /** May a task be delivered before its transaction is committed: none, those that carry a version, or any? */
  readonly publish: 'after' | 'versioned before' | 'before';
  /** Do contact tasks carry the version of their row? */
  readonly versions: boolean;
  /** Where re-checks may be lost; undefined, as it is: nowhere. */
  readonly rechecks?: 'in Redis' | 'dropped with the index';
  /** Does a trim leave no more than min, instead of max? */
  readonly trimsToMin?: true;
  /** What happens to the epoch otherwise than it should when tasks are lost: nothing before the end, or its return then. */
  readonly suspends?: 'at the end' | 'and resumes';
  /** Whom a fan-out visits; undefined, as it is: everybody who has a row with its owner. */
  readonly fanOuts?: 'related';
  /** How often a lost race is run again at once; undefined: as often as the product does. */
  readonly attempts?: number;
}
