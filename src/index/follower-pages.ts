/** The followers of uploaders, where a row among them cannot even be found without an error: one in the view's WHERE, or in a join. */
import type { Id } from '../contracts/id.ts';
import type { FollowerRange } from '../mysql/statements/followers.ts';
import type { Pair } from '../mysql/statements/pairs.ts';
import { isolatingParts, type Operation, step } from './protocol.ts';
import { type RefreshReport, reportOfCold, signal } from './refresh.ts';
import { type Halve, halvesOf, type SetAside } from './set-aside.ts';

interface FollowerPages {
  /** In the order of the ranges. Each by id; one of `limit` users or more may not be all of its range. */
  readonly pages: readonly (readonly Id[])[];
  /** The pairs between them that cannot be read. */
  readonly unreadable: readonly SetAside<Pair>[];
}

/** The last id. */
const LAST_ID = 2n ** 64n - 1n;

/** With more such rows in what is read together, it fails as a whole, and its tasks are halved. */
const MOST_UNREADABLE = 10;

/**
 * Reads a page of each range. Where that fails by the fault of a row, the range is halved, and halves of it, down to that user:
 * among all ids in 64 steps.
 * @param wanted each of another owner
 * @throws what reading a range throws that cannot be halved any more
 */
export function* readFollowers(wanted: readonly FollowerRange[], limit: number): Operation<FollowerPages> {
  const found = new Map(wanted.map(({ owner }): [Id, Id[]] => [owner, []]));
  const failed = yield* isolatingParts(wanted, halvingRanges(), function* (ranges) {
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

function halvingRanges(): Halve<readonly FollowerRange[]> {
  let unreadable = 0;
  return (ranges) => {
    const [range] = ranges;
    if (ranges.length > 1 || range === undefined) return halvesOf(ranges);
    const [after, through] = endsOf(range);
    if (through - after === 1n) unreadable++;
    if (through - after === 1n || unreadable > MOST_UNREADABLE) return undefined;
    const middle = String((after + through) / 2n);
    return [[{ ...range, through: middle }], [{ ...range, after: middle, through: String(through) }]];
  };
}

function endsOf({ after, through }: FollowerRange): readonly [after: bigint, through: bigint] {
  return [BigInt(after), through === undefined ? LAST_ID : BigInt(through)];
}

function pairOf({ item: [range], error, attempts }: SetAside<readonly FollowerRange[]>): SetAside<Pair> {
  if (range === undefined) throw error;
  const [after, through] = endsOf(range);
  if (through - after !== 1n) throw error;
  return { item: { user: String(through), contact: range.owner }, error, attempts };
}
