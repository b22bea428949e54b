import type { Constants } from './constants.ts';
import { fanOutCost } from './load.ts';
import { at } from './memory.ts';
import type { Site } from './site.ts';

/** One photo of somebody whom very many follow. */
export interface Celebrity {
  readonly followers: number;
  /** From the task until the last follower's index has it: one consumer does it all. */
  readonly seconds: number;
  readonly mysqlStatements: number;
  readonly redisCalls: number;
}

export function celebrityOf({ celebrityFollowers: followers, transport }: Site, constants: Constants): Celebrity {
  return { followers, seconds: at(constants.uploadSeconds[transport], followers), ...fanOutCost(followers) };
}
