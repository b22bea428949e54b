import { GREATEST_ID, type Id } from '../contracts/id.ts';
import type { Database } from '../mysql/database.ts';
import { readLastOwner, readNextOwner } from '../mysql/users.ts';
import { byId, nextOwners } from './next-owners.ts';

const POINTS_AT_ONCE = 16;

/** Users looked for at once when the sample is filled up. */
const OWNERS_AT_ONCE = 500;

/**
 * Some users who own relationships, by id: each the next one from a random point, so that none of the others is read.
 * Where that finds too few (there are hardly more), the rest is filled up from the first.
 * @param random from 0 up to 1
 * @returns `count` users, or all when there are no more
 * @throws DatabaseUnavailable
 */
export async function sampleUsers(database: Database, count: number, random: () => number): Promise<Id[]> {
  const range = await readOwnerRange(database);
  if (range === undefined) return [];
  const { last } = range;
  const found = new Set<Id>();
  for (let points = 0; points < 2 * count && found.size < count; points += POINTS_AT_ONCE) {
    const asked = Array.from({ length: Math.min(POINTS_AT_ONCE, count - found.size) }, () =>
      pointWithin(range, random()),
    );
    const owners = await Promise.all(asked.map((after) => readNextOwner(database, { after, to: last })));
    for (const owner of owners) if (owner !== undefined) found.add(owner);
  }
  await fillUp(database, found, count, last);
  return [...found].sort(byId);
}

/** The least and the greatest id of those who own relationships. */
export interface OwnerRange {
  readonly first: Id;
  readonly last: Id;
}

/** Undefined: nobody owns any. @throws DatabaseUnavailable */
export async function readOwnerRange(database: Database): Promise<OwnerRange | undefined> {
  const last = await readLastOwner(database, GREATEST_ID);
  if (last === undefined) return undefined;
  return { first: (await readNextOwner(database, { after: '0', to: last })) ?? last, last };
}

/**
 * From one below the first id to one below the last: a site's ids may begin anywhere, and whoever comes behind a gap is
 * found from all of it. The thousandth of a billionth is near enough.
 */
export function pointWithin({ first, last }: OwnerRange, random: number): string {
  const steps = 10n ** 12n;
  const ids = BigInt(last) - BigInt(first) + 1n;
  return String(BigInt(first) - 1n + (ids * BigInt(Math.floor(random * Number(steps)))) / steps);
}

async function fillUp(database: Database, found: Set<Id>, count: number, last: Id): Promise<void> {
  let after: Id | '0' = '0';
  while (found.size < count) {
    const owners = await nextOwners(database, { after, to: last }, OWNERS_AT_ONCE);
    for (const id of owners) if (found.size < count) found.add(id);
    const end = owners.at(-1);
    if (end === undefined) return;
    after = end;
  }
}
