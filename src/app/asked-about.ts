import type { Kind } from '../contracts/kind.ts';
import { ofKind } from '../mysql/kind-database.ts';
import type { Freshness } from '../query/fresh-reads.ts';
import type { RecentBatch } from '../query/recent-batch.ts';

/**
 * Answers where a reader names changes. The server that answers then is chosen without regard to the kind, so it is asked
 * about the kind here.
 */

export function askedAbout<Q extends { readonly freshness?: Freshness | undefined }, A>(
  kind: Kind,
  answers: { find(query: Q): Promise<A> },
): { find(query: Q): Promise<A> } {
  return {
    find: (query) => {
      const { freshness } = query;
      if (freshness?.database === undefined) return answers.find(query);
      const database = ofKind(freshness.database, kind);
      return answers.find({ ...query, freshness: { ...freshness, database } });
    },
  };
}

/** The same for the answers of many users. */
export function batchAbout(kind: Kind, batch: RecentBatch): Pick<RecentBatch, 'find'> {
  return {
    find: (users, query) => {
      const { freshness } = query;
      if (freshness?.database === undefined) return batch.find(users, query);
      const database = ofKind(freshness.database, kind);
      const of: typeof freshness.of = (user) => ({ ...freshness.of(user), database });
      return batch.find(users, { ...query, freshness: { database, of } });
    },
  };
}
