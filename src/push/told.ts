/**
 * The difference between what a live answer shows and what a watch was told last.
 *
 * A watch stores the head that it was told, not a single time: uploads commit in another order than that of their times, and a
 * single cursor would lose the slower one.
 */
import { byKeyDescending, isAbove, type Key } from '../contracts/key.ts';
import type { KindName } from '../contracts/kind.ts';
import type { Relation } from '../contracts/relation.ts';
import type { NewSource, Outgoing, Told, ToldHead } from '../contracts/watch.ts';

/** What a live answer shows of one kind: everything that the user may see from the reach on. */
export interface Head {
  /** Highest first. */
  readonly entries: readonly Key[];
  /** The lowest entry, if the answer has more below it; undefined: these are all. */
  readonly reach: Key | undefined;
  /**
   * Of a watch that was told this head, only what is above is news later; undefined: everything. It is some entries above the reach: the
   * next head still reaches it when others have come in, and so shows what was committed late.
   */
  readonly floor: Key | undefined;
}

export type Heads = Readonly<Partial<Record<KindName, Head>>>;

/**
 * What is new in a head. A contact that the watch was told of is news with a later time; another one only above the told
 * floor, because below it a contact moves up when others leave. Nothing is news to a watch that was told nothing yet.
 * @returns highest first, muted ones included
 */
export function newsIn(head: Head, told: ToldHead | undefined): Key[] {
  if (told === undefined) return [];
  const known = new Map(told.entries.map(({ id, at }) => [id, at]));
  return head.entries.filter((key) => {
    const before = known.get(key.id);
    return before === undefined ? isAbove(key, told.floor) : key.at > before;
  });
}

/**
 * What the watch has been told once it was told what is new in this head. For a contact that stays, the latest time is kept, so
 * that a photo that is hidden and shown again is news once. One that has left the head is kept while there is room, for
 * the same reason; below the new floor it is not needed.
 * @param most entries that are kept at most
 */
export function toldAfter(head: Head, told: ToldHead | undefined, most: number): ToldHead {
  const before = new Map(told?.entries.map(({ id, at }) => [id, at]));
  const shown = head.entries.map(({ id, at }) => ({ id, at: Math.max(at, before.get(id) ?? 0) }));
  const ids = new Set(shown.map(({ id }) => id));
  const left = (told?.entries ?? []).filter((key) => !ids.has(key.id) && isAbove(key, head.floor));
  const entries = [...shown, ...left.slice(0, Math.max(0, most - shown.length))].sort(byKeyDescending);
  return { entries, floor: head.floor, ...(told?.relation === undefined ? {} : { relation: told.relation }) };
}

/**
 * What a watch counts as told when its filter has changed: what the new filter shows at first is not news, but what was news
 * under the old one still is, if the new one shows it too.
 * @param head under the new filter, of this relation
 * @param told under the old filter; undefined: nothing
 * @param before under the old filter, read after `head`, so that no change falls between them
 */
export function toldUnder(
  relation: Relation,
  head: Head,
  told: ToldHead | undefined,
  before: Head | undefined,
): ToldHead {
  const known = new Map(told?.entries.map(({ id, at }) => [id, at]));
  const shown = new Set(before?.entries.map(({ id }) => id));
  const passedBefore = (key: Key) =>
    known.has(key.id) || shown.has(key.id) || (before?.reach !== undefined && isAbove(before.reach, key));
  const owed = new Set(newsIn(head, told).filter(passedBefore));
  const entries = head.entries.map((key) => (owed.has(key) ? { id: key.id, at: known.get(key.id) ?? 0 } : key));
  return { entries: entries.toSorted(byKeyDescending), floor: head.floor, relation };
}

/**
 * May there be news below what the head shows? There may if it does not reach the floor that the watch was told: what is in between may
 * have been committed after that.
 */
export function mayHaveMore(head: Head, told: ToldHead | undefined): boolean {
  return told !== undefined && head.reach !== undefined && isAbove(head.reach, told.floor);
}

/** The same after these sources were delivered, whatever the head shows by now: nothing but they was told. */
export function toldOf(sources: readonly NewSource[], told: Told): Told {
  const after = { ...told };
  for (const { kind, id, at } of sources) {
    const known = after[kind];
    if (known === undefined) continue; // told nothing: its first head is still to be recorded
    const before = known.entries.find((key) => key.id === id)?.at ?? 0;
    const others = known.entries.filter((key) => key.id !== id);
    after[kind] = { ...known, entries: [...others, { id, at: Math.max(at, before) }].sort(byKeyDescending) };
  }
  return after;
}

/** Those of an outgoing notification that the user may still see: the source has that upload, or a later one. */
export function stillVisible({ sources }: Pick<Outgoing, 'sources'>, heads: Heads): NewSource[] {
  return sources.filter(({ kind, id, at }) => heads[kind]?.entries.some((key) => key.id === id && key.at >= at));
}

/** Are there some that the heads say nothing about, because others have come above them? */
export function areSomeBelow(sources: readonly NewSource[], heads: Heads): boolean {
  return sources.some(({ kind, id, at }) => {
    const { entries = [], reach } = heads[kind] ?? {};
    return reach !== undefined && isAbove(reach, { id, at }) && !entries.some((key) => key.id === id);
  });
}

/** Do these say the same? */
export function isSameTold(a: ToldHead | undefined, b: ToldHead): boolean {
  return a !== undefined && JSON.stringify([a.entries, a.floor]) === JSON.stringify([b.entries, b.floor]);
}
