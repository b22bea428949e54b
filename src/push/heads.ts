import type { Id } from '../contracts/id.ts';
import type { KindName } from '../contracts/kind.ts';
import { chunks } from '../index/chunks.ts';
import type { RecentAnswer } from '../query/recent-answer.ts';
import type { RecentBatch } from '../query/recent-batch.ts';
import { Deadline } from '../timing/deadline.ts';
import type { CheckSteps, HeadAsked } from './check-steps.ts';
import type { Head } from './told.ts';

export interface HeadsOptions {
  /** The answers of each kind in use. */
  readonly answers: ReadonlyMap<KindName, Pick<RecentBatch, 'find'>>;
  /** Entries of a head: as many as an index always holds, so that it is answered from there. */
  readonly limit: number;
  /** Time limit of one question, ms. */
  readonly deadlineMs: number;
}

/** Users in one question. */
const USERS_A_QUESTION = 100;

/** The heads of live answers, asked for many users at once. */
export function headsFrom({ answers, limit, deadlineMs }: HeadsOptions): CheckSteps['heads'] {
  return async (asked) => {
    const heads = new Map<HeadAsked, Head | undefined>();
    const ask = async (some: readonly HeadAsked[]) => {
      const [{ kind, relation } = { kind: 'contacts', relation: 'any' } as const] = some;
      const query = { relation, limit, deadline: new Deadline(deadlineMs) };
      const users = some.map(({ user }) => user);
      const found = await answers.get(kind)?.find(users, query); // a kind that is no longer in use has no heads
      for (const one of some) heads.set(one, found === undefined ? NOTHING : headIn(found.outcomes.get(one.user)));
    };
    const alike = [...Map.groupBy(asked, ({ kind, relation }) => `${kind} ${relation}`).values()];
    for (const some of alike.flatMap((group) => chunks(group, USERS_A_QUESTION))) await ask(some);
    return asked.map((one) => heads.get(one));
  };
}

const NOTHING: Head = { entries: [], floor: undefined };

/** Undefined: there is no answer, or one that may lack the latest changes. */
function headIn(
  outcome: { readonly answer: RecentAnswer } | { readonly error: unknown } | undefined,
): Head | undefined {
  if (outcome === undefined || !('answer' in outcome) || !outcome.answer.exact) return undefined;
  const { contacts, more } = outcome.answer;
  const entries = contacts.map(({ id, at }: { id: Id; at: number }) => ({ id, at }));
  return { entries, floor: more ? entries.at(-1) : undefined };
}
