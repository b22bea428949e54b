import { byKeyDescending } from '../contracts/key.ts';
import type { RecentAnswer, RecentQuery } from './recent-answer.ts';
import type { RecentContacts } from './recent-contacts.ts';

/** How many sources of several kinds there are, and what holds for all of them. */
export interface CountOverKinds extends Omit<RecentAnswer, 'contacts' | 'more'> {
  /** At most the limit of the query. */
  readonly count: number;
  /** There are more than `count`. */
  readonly atLeast: boolean;
  /** Of each kind, in order. */
  readonly answers: readonly RecentAnswer[];
}

/**
 * Counts the sources that each of these kinds has for the same question. The kinds are asked side by side. Each answer is a
 * count of rows of its own snapshot, so the sum is never below zero, nor above what there was.
 * @param kinds at least one
 * @throws what an answer throws
 */
export async function countOverKinds(
  kinds: readonly Pick<RecentContacts, 'find'>[],
  query: RecentQuery,
): Promise<CountOverKinds> {
  const answers = await Promise.all(kinds.map((kind) => kind.find(query)));
  const all = answers.reduce((sum, { contacts }) => sum + contacts.length, 0);
  return {
    count: Math.min(all, query.limit),
    atLeast: all > query.limit || answers.some(({ more }) => more),
    answers,
    ...certaintyOfAll(answers),
  };
}

/** What holds for all of these answers together: the least certain of them decides. @param answers at least one */
function certaintyOfAll(answers: readonly RecentAnswer[]): Omit<RecentAnswer, 'contacts' | 'more'> {
  const lags = answers.map(({ lagMs }) => lagMs);
  const [highest] = answers.flatMap(({ floor }) => floor ?? []).sort(byKeyDescending);
  // The reason of an answer that is not exact says more than that of one which the database gave.
  const [first] = answers.toSorted((a, b) => Number(a.exact) - Number(b.exact)).flatMap(({ reason }) => reason ?? []);
  return {
    source: answers.every(({ source }) => source === 'index') ? 'index' : 'database',
    exact: answers.every(({ exact }) => exact),
    complete: answers.every(({ complete }) => complete),
    floor: highest,
    reason: first,
    replica: answers.some(({ replica }) => replica),
    asOf: Math.min(...answers.map(({ asOf }) => asOf)),
    lagMs: lags.includes(undefined) ? undefined : Math.max(...lags.map((lag) => lag ?? 0)),
    timing: {
      index: Math.max(...answers.map(({ timing }) => timing.index)),
      db: Math.max(...answers.map(({ timing }) => timing.db)),
    },
  };
}
