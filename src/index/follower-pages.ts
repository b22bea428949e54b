/** The followers of uploaders, where a row among them cannot even be found without an error: one in the view's WHERE, or in a join. */
import { GREATEST_ID, type Id, middleId } from '../contracts/id.ts';
import type { FollowerRange } from '../mysql/statements/followers.ts';
import type { Pair } from '../mysql/statements/pairs.ts';
import { isolatingParts, type Operation, step } from './protocol.ts';
import { type RefreshReport, reportOfCold, signal } from './refresh.ts';
import { halvesOf, type Search, type SetAside } from './set-aside.ts';
import { storeFaultOf } from './store-fault.ts';

interface FollowerPages {
  /** In the order of the ranges. Each by id; one of `limit` users or more may not be all of its range. */
  readonly pages: readonly (readonly Id[])[];
  /** The pairs between them that cannot be read. */
  readonly unreadable: readonly SetAside<Pair>[];
}

/** Where the followers of one owner have more such rows, everything that is read together fails, and its tasks are halved. */
const MOST_UNREADABLE = 10;

/**
 * Reads a page of each range. Where that fails by the fault of a row, the range is halved, and halves of it, down to that user:
 * among all ids in 64 steps.
 * @param wanted each of another owner
 * @throws what reading throws where it takes too long, or where more rows cannot be read than are looked for
 */
export function* readFollowers(wanted: readonly FollowerRange[], limit: number): Operation<FollowerPages> {
  const found = new Map(wanted.map(({ owner }): [Id, Id[]] => [owner, []]));
  const failed = yield* isolatingParts(wanted, amongRanges(), function* (ranges) {
    const open = ranges.filter(({ owner }) => (found.get(owner)?.length ?? 0) < limit);
    if (open.length === 0) return;
    const pages = yield* step('followers', open, limit);
    for (const [i, { owner }] of open.entries()) found.get(owner)?.push(...(pages[i] ?? []));
  });
  return { pages: [...found.values()], unreadable: failed.map(pairOf) };
}

/** What was not applied must not be certified: these users have no index. @param onRefresh told of the pairs, to set them aside */
export function* dropUnreadable(
  unreadable: readonly SetAside<Pair>[],
  onRefresh?: (report: RefreshReport) => void,
): Operation<void> {
  if (unreadable.length === 0) return;
  const users = new Set(unreadable.map(({ item }) => item.user));
  yield* step('drop', [...users]);
  yield* signal(users);
  onRefresh?.({ ...reportOfCold(0), failed: unreadable });
}

/**
 * A row that is found has failed in every range around it: it is not tried again. What takes too long is no row's fault, and
 * halves of it may take as long.
 */
function amongRanges(): Search<readonly FollowerRange[]> {
  const unreadable = new Map<Id, number>();
  return {
    attempts: 1,
    halve: (ranges, error) => {
      const [range] = ranges;
      if (ranges.length > 1 || range === undefined) return halvesOf(ranges);
      if (storeFaultOf(error) === 'slow') throw error;
      const middle = middleId(range.after, range.through ?? GREATEST_ID);
      if (middle !== undefined) return [[{ ...range, through: middle }], [{ ...range, after: middle }]];
      const count = (unreadable.get(range.owner) ?? 0) + 1;
      if (count > MOST_UNREADABLE) throw error;
      unreadable.set(range.owner, count);
      return undefined;
    },
  };
}

function pairOf({ item: [range], error, attempts }: SetAside<readonly FollowerRange[]>): SetAside<Pair> {
  if (range === undefined) throw error;
  return { item: { user: range.through ?? GREATEST_ID, contact: range.owner }, error, attempts };
}
