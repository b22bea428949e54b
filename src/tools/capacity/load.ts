import { FOLLOWERS_A_PAGE } from '../../index/fan-out.ts';
import { PAIRS_A_CALL } from '../../index/refresh.ts';
import type { Site } from './site.ts';

/** What is asked of a server: the least, when every batch of tasks is full, and the most, when each task is a batch. */
export interface Range {
  readonly least: number;
  readonly most: number;
}

/** In one second. */
export interface Load {
  readonly uploads: number;
  readonly contactTasks: number;
  readonly tasks: number;
  /** Users' indexes that are written. */
  readonly indexWrites: number;
  /** Answers. */
  readonly reads: number;
  readonly mysqlStatements: Range;
  readonly redisCalls: Range;
}

const SECONDS_A_DAY = 86_400;

/** A contact task is about both users. */
export const INDEXES_A_CONTACT_TASK = 2;

/** @param times the mean: 1 for the mean itself */
export function loadOf(site: Site, times: number): Load {
  const { users, uploadsPerDay, contactChangesPerDay, followersPerUploader: followers } = site;
  const uploads = (users * uploadsPerDay * times) / SECONDS_A_DAY;
  const contactTasks = (users * contactChangesPerDay * times) / SECONDS_A_DAY;
  const reads = (site.readsPerSecond * times) / site.peakFactor;
  const fanOut = fanOutCost(followers);
  return {
    uploads,
    contactTasks,
    tasks: uploads + contactTasks,
    indexWrites: uploads * followers + contactTasks * INDEXES_A_CONTACT_TASK,
    reads,
    mysqlStatements: {
      least: uploads * (1 + followers / PAIRS_A_CALL) + contactTasks * FULL_CALLS + reads,
      most: uploads * fanOut.mysqlStatements + contactTasks + reads,
    },
    redisCalls: {
      least: uploads * (1 + (2 * followers) / PAIRS_A_CALL) + 2 * contactTasks * FULL_CALLS + reads,
      most: uploads * fanOut.redisCalls + 2 * contactTasks + reads,
    },
  };
}

const FULL_CALLS = INDEXES_A_CONTACT_TASK / PAIRS_A_CALL;

/** What one fan-out that is alone in its batch asks of each server, as src/index/fan-out.ts does it. */
export function fanOutCost(followers: number): { mysqlStatements: number; redisCalls: number } {
  const calls = Math.ceil(followers / PAIRS_A_CALL); // of each: the nonces, the pairs, the write
  const morePages = Math.floor(followers / FOLLOWERS_A_PAGE); // a full page may not be the last
  const cursors = 1 + morePages + (morePages > 0 ? 1 : 0); // loaded, kept after each page, cleared
  return { mysqlStatements: 1 + morePages + calls, redisCalls: cursors + 2 * calls };
}
