import { type AnswerCertainty, certaintyOfAll } from './certainty-of-all.ts';
import type { RecentAnswer, RecentQuery } from './recent-answer.ts';
import type { RecentContacts } from './recent-contacts.ts';

/** How many sources of several kinds there are, and what holds for all of them. */
export interface CountOverKinds extends AnswerCertainty {
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
