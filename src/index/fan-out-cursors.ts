import type { Id } from '../contracts/id.ts';

/**
 * How far an unfinished fan-out has come: the followers up to `after` were refreshed after every one of `tasks` was
 * received. It stands only for those tasks: a change that came later may have missed the first pages.
 */
export interface FanOutCursor {
  readonly owner: Id;
  /** The last follower of the last finished page. */
  readonly after: Id;
  /** Positions of the deliveries that were received before the first page was read. */
  readonly tasks: readonly string[];
}
