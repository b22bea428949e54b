import { byKeyDescending } from '../contracts/key.ts';
import type { RecentAnswer } from './recent-answer.ts';

/** What an answer says of itself, whatever its rows are. */
export type AnswerCertainty = Omit<RecentAnswer, 'contacts' | 'more'>;

/**
 * What holds for answers of several kinds together: the least certain of them decides, and the floor is the highest.
 * @param answers at least one
 */
export function certaintyOfAll(answers: readonly AnswerCertainty[]): AnswerCertainty {
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
