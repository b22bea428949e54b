import type { Id } from '../contracts/id.ts';
import { run, type Steps } from '../index/protocol.ts';
import { type RebuildReport, rebuild } from '../index/rebuild.ts';
import { StatementTooSlow } from '../mysql/database.ts';
import { type BuildBy, isGivenUp } from '../query/cold-builds.ts';
import { withinDeadline } from '../timing/deadline.ts';
import type { Urgency } from '../timing/limiter.ts';
import type { ProcessContext } from './run-process.ts';
import type { Stores } from './stores.ts';

interface OneBuild extends BuildBy {
  readonly urgency?: Urgency;
  /** Build the index even if it was forgotten. */
  readonly asked?: boolean;
}

/**
 * Builds one user's index. A build that takes too long is left to the consumers, who have more time; no answer is attempted then
 * in less time than was too short. A build that lost its race is left to them too if its rows have already served as the answer:
 * reading them all again would serve nobody here.
 */
export function buildOn(
  { steps, delayed }: { readonly steps: Steps; readonly delayed: Pick<Stores['delayed'], 'askForRebuild'> },
  { mysqlTimeoutMs }: Pick<ProcessContext['config'], 'mysqlTimeoutMs'>,
) {
  return async (user: Id, { deadline, onRows, urgency, asked = false }: OneBuild): Promise<RebuildReport> => {
    const heavy = deadline === undefined ? (urgency ?? 'answer') : 'answer';
    let isAnswered = false;
    const topContacts: Steps['topContacts'] = async (users) => {
      if (isAnswered) return { epoch: '', tops: [] };
      const found = await steps.topContacts(users, { deadline, heavy });
      isAnswered = onRows !== undefined && found.live !== undefined;
      if (found.live !== undefined) onRows?.(found.live);
      return found;
    };
    const running = run(rebuild([user], asked), { ...steps, topContacts });
    const report = await withinDeadline(deadline, running).catch((error: unknown) => {
      // Otherwise a user whose clients never wait long enough would stay cold for ever.
      if (isGivenUp(error)) delayed.askForRebuild(user).catch(() => undefined); // the next read tries again
      throw error;
    });
    if (report.slow.length === 0) return report;
    await delayed.askForRebuild(user);
    if (isAnswered || deadline === undefined || deadline.leftMs >= mysqlTimeoutMs) return report;
    throw new StatementTooSlow(`reading all contacts of a user takes longer than ${mysqlTimeoutMs} ms`);
  };
}
