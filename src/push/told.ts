/**
 * The difference between what a live answer shows and what a watch was told last.
 *
 * A watch stores the head that it was told, not a single time: uploads commit in another order than that of their times, and a
 * single cursor would lose the slower one.
 */
import type { Id } from '../contracts/id.ts';
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
 * @param now ms since 1970 UTC @returns highest first, muted ones included
 */
export function newsIn(head: Head, told: ToldHead | undefined, now: number): Key[] {
  if (told === undefined) return [];
  const ofContacts = entriesByContact(told);
  return head.entries.filter((key) => {
    const entries = ofContacts.get(key.id) ?? [];
    const latest = latestUntil(now, entries);
    if (isAhead(key, now) && entries.some(({ at }) => at === key.at)) return false;
    return latest === undefined ? isAbove(key, told.floor) : key.at > latest.at;
  });
}

interface ToldLimits {
  /** Entries that are kept at most. */
  readonly most: number;
  /** ms since 1970 UTC. */
  readonly now: number;
}

/**
 * What the watch has been told once it was told what is new in this head. For a contact that stays, the latest time is kept, so
 * that a photo that is hidden and shown again is news once. One that has left the head is kept while there is room, for
 * the same reason; below the new floor it is not needed. A photo that is dated ahead is kept beside that, while it is shown: it must
 * not silence the contact until its time comes.
 */
export function toldAfter(head: Head, told: ToldHead | undefined, { most, now }: ToldLimits): ToldHead {
  const ofContacts = entriesByContact(told);
  const shown = head.entries.flatMap((key) => toldOfContact(key, ofContacts.get(key.id) ?? [], now));
  const ids = new Set(shown.map(({ id }) => id));
  const left = (told?.entries ?? []).filter((key) => !ids.has(key.id) && isAbove(key, head.floor));
  const entries = [...shown, ...left.slice(0, Math.max(0, most - shown.length))].sort(byKeyDescending);
  return { entries, floor: head.floor, ...(told?.relation === undefined ? {} : { relation: told.relation }) };
}

/** What is kept of a contact once this was told. Below a photo that is dated ahead, what is there by now is not news. */
function toldOfContact(key: Key, before: readonly Key[], now: number): Key[] {
  const latest = latestUntil(now, before);
  if (isAhead(key, now)) return [key, latest ?? { id: key.id, at: now }];
  return [{ id: key.id, at: Math.max(key.at, latest?.at ?? 0) }];
}

const isAhead = ({ at }: Key, now: number) => at > now;

/** Of one contact. */
function latestUntil(now: number, entries: readonly Key[]): Key | undefined {
  return entries.filter((key) => !isAhead(key, now)).toSorted(byKeyDescending)[0];
}

function entriesByContact(told: ToldHead | undefined): ReadonlyMap<Id, readonly Key[]> {
  return Map.groupBy(told?.entries ?? [], ({ id }) => id);
}

/**
 * What a watch counts as told when it is new or its filter has changed: what the filter shows at first is not news, but what is
 * dated after the change is, and so is what was news under the old one, if the new one shows it too.
 * @param head under the new filter, of this relation
 * @param told under the old filter; undefined: nothing
 * @param before under the old filter, read after `head`, so that no change falls between them
 * @param times ms since 1970 UTC; `since`: when the watch was created or changed
 */
export function toldUnder(
  relation: Relation,
  head: Head,
  told: ToldHead | undefined,
  before: Head | undefined,
  { since, now }: { readonly since: number; readonly now: number },
): ToldHead {
  const ofContacts = entriesByContact(told);
  const shown = new Set(before?.entries.map(({ id }) => id));
  const passedBefore = (key: Key) =>
    ofContacts.has(key.id) || shown.has(key.id) || (before?.reach !== undefined && isAbove(before.reach, key));
  const owed = new Set(newsIn(head, told, now).filter(passedBefore));
  const entries = head.entries.flatMap((key) => {
    const known = ofContacts.get(key.id) ?? [];
    if (owed.has(key)) return latestUntil(now, known) ?? { id: key.id, at: 0 };
    const isLater = key.at > since && !isAhead(key, now);
    return toldOfContact(isLater ? { id: key.id, at: since } : key, known, now);
  });
  const { floor } = head;
  const lowest = floor !== undefined && floor.at > since ? { id: floor.id, at: since } : floor;
  return { entries: entries.toSorted(byKeyDescending), floor: lowest, relation };
}

/**
 * May there be news below what the head shows? There may if it does not reach the floor that the watch was told: what is in between may
 * have been committed after that.
 */
export function mayHaveMore(head: Head, told: ToldHead | undefined): boolean {
  return told !== undefined && head.reach !== undefined && isAbove(head.reach, told.floor);
}

/** The same after these sources were delivered, whatever the head shows by now: nothing but they was told. */
export function toldOf(sources: readonly NewSource[], told: Told, now: number): Told {
  const after = { ...told };
  for (const { kind, id, at } of sources) {
    const known = after[kind];
    if (known === undefined) continue; // told nothing: its first head is still to be recorded
    const others = known.entries.filter((key) => key.id !== id);
    const entries = toldOfContact({ id, at }, entriesByContact(known).get(id) ?? [], now);
    after[kind] = { ...known, entries: [...others, ...entries].sort(byKeyDescending) };
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
