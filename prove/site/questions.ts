import type { Id } from '../../src/contracts/id.ts';
import { byKeyDescending, type Key } from '../../src/contracts/key.ts';
import type { KindName } from '../../src/contracts/kind.ts';
import type { FollowerRange } from '../../src/mysql/statements/followers.ts';
import type { Pair, PairRow, PairRows } from '../../src/mysql/statements/pairs.ts';
import type { TopContacts } from '../../src/mysql/statements/top-contacts.ts';
import type { TruthRow } from './site.ts';

/** One snapshot of what the product reads from MySQL. */
export interface Snapshot {
  readonly epoch: string;
  readonly rows: readonly TruthRow[];
}

/** What the views of one kind say. */
export function ofKind({ epoch, rows }: Snapshot, kind: KindName): Snapshot {
  return { epoch, rows: rows.filter((row) => row.kind === kind) };
}

/** The questions of `SystemOfRecord` about one kind, each answered from one snapshot. */
export const QUESTIONS = {
  pairs({ epoch, rows }: Snapshot, wanted: readonly Pair[]): PairRows {
    const isWanted = (row: TruthRow) =>
      wanted.some(({ user, contact }) => row.user === user && row.contact === contact);
    return { epoch, rows: rows.filter(isWanted).map(pairRow) };
  },

  neighbours({ epoch, rows }: Snapshot, wanted: readonly Pair[]): PairRows {
    const [first, last] = [wanted[0], wanted.at(-1)] as [Pair, Pair];
    const isBetween = ({ user }: TruthRow) => BigInt(user) >= BigInt(first.user) && BigInt(user) <= BigInt(last.user);
    const followers = rows.filter((row) => row.contact === first.contact && row.related && isBetween(row));
    return { epoch, rows: followers.map(pairRow) };
  },

  topContacts({ epoch, rows }: Snapshot, users: readonly Id[], count: number): TopContacts {
    return { epoch, tops: users.map((user) => keysOf(rows, user).slice(0, count)) };
  },

  owners({ rows }: Snapshot, users: readonly Id[]): Id[] {
    return users.filter((user) => rows.some((row) => row.user === user));
  },

  /** How many rows each user has. */
  sizes({ rows }: Snapshot, users: readonly Id[]): number[] {
    return users.map((user) => rows.filter((row) => row.user === user).length);
  },

  /** @param which the users that a fan-out visits; undefined, as in the product: all who have a row */
  followers({ rows }: Snapshot, wanted: readonly FollowerRange[], limit: number, which?: 'related'): Id[][] {
    return wanted.map(({ owner, after, through }) =>
      rows
        .filter((row) => row.contact === owner && (row.related || which !== 'related'))
        .filter((row) => BigInt(row.user) > BigInt(after))
        .filter((row) => through === undefined || BigInt(row.user) <= BigInt(through))
        .map((row) => row.user)
        .sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))
        .slice(0, limit),
    );
  },

  followerAt(snapshot: Snapshot, from: FollowerRange, count: number, which?: 'related'): Id | undefined {
    return QUESTIONS.followers(snapshot, [from], count, which)[0]?.[count - 1];
  },
};

function pairRow({ user, contact, related, at, version }: TruthRow): PairRow {
  return { user, contact, related, lastUploadAt: at, version };
}

/** All that an index of this user may hold, highest key first. @param rows of one kind */
export function keysOf(rows: readonly TruthRow[], user: Id): Key[] {
  return rows
    .filter((row) => row.user === user && row.related && row.at > 0)
    .map(({ contact, at }) => ({ id: contact, at }))
    .sort(byKeyDescending);
}
