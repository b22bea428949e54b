/**
 * The difference between what a live answer shows and what a watch was told last.
 *
 * A watch stores the head that it was told, not a single time: uploads commit in another order than that of their times, and a
 * single cursor would lose the slower one.
 */
import { byKeyDescending, isAbove, type Key } from '../contracts/key.ts';
import type { KindName } from '../contracts/kind.ts';
import type { NewSource, Outgoing, Told, ToldHead } from '../contracts/watch.ts';

/** What a live answer shows of one kind: everything that the user may see above the floor. */
export interface Head {
  /** Highest first. */
  readonly entries: readonly Key[];
  /** The lowest entry, if the answer has more below it; undefined: these are all. */
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
  return { entries, floor: head.floor };
}

/** The same after these sources were delivered, whatever the head shows by now: nothing but they was told. */
export function toldOf(sources: readonly NewSource[], told: Told): Told {
  const after = { ...told };
  for (const { kind, id, at } of sources) {
    const known = after[kind];
    if (known === undefined) continue; // told nothing: its first head is still to be recorded
    const { entries, floor } = known;
    const before = entries.find((key) => key.id === id)?.at ?? 0;
    const others = entries.filter((key) => key.id !== id);
    after[kind] = { entries: [...others, { id, at: Math.max(at, before) }].sort(byKeyDescending), floor };
  }
  return after;
}

/** Those of an outgoing notification that the user may still see: the source has that upload, or a later one. */
export function stillVisible({ sources }: Outgoing, heads: Heads): NewSource[] {
  return sources.filter(({ kind, id, at }) => heads[kind]?.entries.some((key) => key.id === id && key.at >= at));
}

/** Do these say the same? */
export function isSameTold(a: ToldHead | undefined, b: ToldHead): boolean {
  return a !== undefined && JSON.stringify([a.entries, a.floor]) === JSON.stringify([b.entries, b.floor]);
}
