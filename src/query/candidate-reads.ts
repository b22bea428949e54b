import type { Id } from '../contracts/id.ts';
import { readCandidates, readCandidatesOfMany } from '../mysql/statements/candidates.ts';
import type { LiveContacts } from '../mysql/statements/contacts.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import { SharedReads } from './shared-reads.ts';

/** The candidates of one answer as MySQL has them now. */
export type LiveRows = Pick<LiveContacts, 'epoch' | 'contacts' | 'isReplica'>;

export interface CandidatesOfUser {
  readonly user: Id;
  readonly candidates: readonly Id[];
}

/** The candidates of each answer that are related to the user and have an upload, in no order. */
export function candidateReads(database: KindDatabase): SharedReads<CandidatesOfUser, LiveRows> {
  return new SharedReads<CandidatesOfUser, LiveRows>(database, {
    one: ({ user, candidates }, deadline) => readCandidates(database, user, candidates, deadline),
    many: async (asked) => {
      const { epoch, contacts, isReplica } = await readCandidatesOfMany(database, mergedByUser(asked));
      return asked.map(({ user, candidates }) => {
        const wanted = new Set(candidates);
        const own = (contacts.get(user) ?? []).filter(({ id }) => wanted.has(id));
        return { epoch, contacts: own, isReplica };
      });
    },
  });
}

/** Each user once: some may be asked about twice at the same moment. */
function mergedByUser(asked: readonly CandidatesOfUser[]): CandidatesOfUser[] {
  return Array.from(
    Map.groupBy(asked, ({ user }) => user),
    ([user, own]) => ({
      user,
      candidates: [...new Set(own.flatMap(({ candidates }) => candidates))],
    }),
  );
}
