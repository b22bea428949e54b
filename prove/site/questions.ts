import type { Id } from '../../src/contracts/id.ts';
import { byKeyDescending, type Key } from '../../src/contracts/key.ts';
import type { FollowersWanted } from '../../src/index/system-of-record.ts';
import type { Pair, PairRow } from '../../src/mysql/pairs.ts';
import type { TopContacts } from '../../src/mysql/top-contacts.ts';
import type { TruthRow } from './site.ts';

/** One snapshot of what the product reads of MySQL. */
export interface Snapshot {
  readonly epoch: string;
  readonly rows: readonly TruthRow[];
}

/** The questions of `SystemOfRecord`, each answered from one snapshot. */
export const QUESTIONS = {
  pairs({ epoch, rows }: Snapshot, wanted: readonly Pair[]): { epoch: string; rows: PairRow[] } {
    const isWanted = (row: TruthRow) =>
      wanted.some(({ user, contact }) => row.user === user && row.contact === contact);
    const found = rows
      .filter(isWanted)
      .map(({ user, contact, related, at, version }) => ({ user, contact, related, lastUploadAt: at, version }));
    return { epoch, rows: found };
  },

  topContacts({ epoch, rows }: Snapshot, users: readonly Id[], count: number): TopContacts {
    return { epoch, tops: users.map((user) => keysOf(rows, user).slice(0, count)) };
  },

  followers({ rows }: Snapshot, wanted: readonly FollowersWanted[], limit: number): Id[][] {
    return wanted.map(({ owner, after }) =>
      rows
        .filter((row) => row.contact === owner && row.related && BigInt(row.user) > BigInt(after))
        .map((row) => row.user)
        .sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))
        .slice(0, limit),
    );
  },
};

/** All that an index of this user may hold, highest key first. */
export function keysOf(rows: readonly TruthRow[], user: Id): Key[] {
  return rows
    .filter((row) => row.user === user && row.related && row.at > 0)
    .map(({ contact, at }) => ({ id: contact, at }))
    .sort(byKeyDescending);
}
