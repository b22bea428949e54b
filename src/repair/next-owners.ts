import type { Id } from '../contracts/id.ts';
import type { Database } from '../mysql/database.ts';
import { type OwnersWanted, readNextOwners, readOwnersAmong } from '../mysql/users.ts';

/** Ids are taken to be dense where at least one in so many is a user's. */
const DENSE = 8;

/** Relationships read at once where ids are sparse. */
const ROWS_AT_ONCE = 20_000;

/**
 * The next users who own relationships, by id: `count` or more, or fewer where ids are sparse; none only at the end.
 *
 * Ids given out one after the other are best asked for by name: a look-up each, whatever the users have. Others (made
 * from the time, say) are found in the order of the relationships' own index.
 * @throws DatabaseUnavailable
 */
export async function nextOwners(database: Database, wanted: OwnersWanted, count: number): Promise<Id[]> {
  const candidates = idsAfter(wanted, count);
  if (candidates.length === 0) return [];
  const near = await readOwnersAmong(database, candidates);
  if (near.length * DENSE >= candidates.length) return near.sort(byId);
  return (await readNextOwners(database, wanted, ROWS_AT_ONCE)).sort(byId);
}

function idsAfter({ after, to }: OwnersWanted, count: number): Id[] {
  const ids: Id[] = [];
  for (let id = BigInt(after) + 1n; id <= BigInt(to) && ids.length < count; id++) ids.push(String(id));
  return ids;
}

/** For sorting, the least first. */
export function byId(a: Id, b: Id): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
