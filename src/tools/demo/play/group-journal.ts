import type { Id } from '../../../contracts/id.ts';
import type { JournalPhoto } from './journal-photo.ts';
import { type Span, Timeline } from './timeline.ts';

/** A photo in the pool of a group, from the time it was added on. Added again, it is another one. */
export interface PooledPhoto {
  readonly group: Id;
  readonly photo: JournalPhoto;
  /** When it was added, ms since 1970 UTC. */
  readonly at: number;
  /** Whether it is in the pool, while there is such a photo: who deletes a photo takes it from all pools. */
  readonly timeline: Timeline<boolean>;
}

/** What the site has committed of groups, and when, as the journal has it of people. */
export class GroupJournal {
  readonly #members = new Map<Id, Map<Id, Timeline<boolean>>>();
  readonly #pools = new Map<Id, PooledPhoto[]>();
  readonly #now: () => number;

  /** @param now ms, monotonic; the clock of the reads too */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Records a membership that exists before anything is changed or read. */
  rememberMembership(user: Id, group: Id, active: boolean): void {
    this.#groupsOf(user).set(group, new Timeline(active));
  }

  /** Records a photo that is in a pool before anything is changed or read. */
  rememberPooled(group: Id, photo: JournalPhoto, at: number): void {
    this.#add({ group, photo, at, timeline: new Timeline(true) });
  }

  /** The user's current and former groups. */
  groupsOf(user: Id): [group: Id, isMember: boolean][] {
    return Array.from(this.#members.get(user) ?? [], ([group, timeline]) => [group, timeline.latest]);
  }

  isMember(user: Id, group: Id): boolean {
    return this.#members.get(user)?.get(group)?.latest ?? false;
  }

  /** The photos now in the pool. */
  pooledIn(group: Id): PooledPhoto[] {
    const pooled = this.#pools.get(group) ?? [];
    return pooled.filter(({ photo, timeline }) => timeline.latest && photo.timeline.latest !== undefined);
  }

  /** Whether the user may have been a member at some moment of the span. */
  wasMember(user: Id, group: Id, span: Span): boolean {
    const states = this.#members.get(user)?.get(group)?.within(span) ?? [];
    return [...states].some(({ state }) => state);
  }

  /** The photos added to the pool at this time: current, removed, and being added. */
  pooledOfTime(group: Id, at: number): PooledPhoto[] {
    return (this.#pools.get(group) ?? []).filter((pooled) => pooled.at === at);
  }

  /** @param commit makes this change in the database */
  async changeMembership(user: Id, group: Id, isMember: boolean, commit: () => Promise<unknown>): Promise<void> {
    const groups = this.#groupsOf(user);
    const timeline = groups.get(group) ?? new Timeline(false);
    groups.set(group, timeline);
    await timeline.change(isMember, this.#now, commit);
  }

  /** @param at ms since 1970 UTC @param commit adds the photo to the pool */
  async addToPool(group: Id, photo: JournalPhoto, at: number, commit: () => Promise<unknown>): Promise<void> {
    const pooled: PooledPhoto = { group, photo, at, timeline: new Timeline(false) };
    this.#add(pooled);
    await pooled.timeline.change(true, this.#now, commit);
  }

  /** @param commit removes the photo from the pool */
  async removeFromPool({ timeline }: PooledPhoto, commit: () => Promise<unknown>): Promise<void> {
    await timeline.change(false, this.#now, commit);
  }

  #groupsOf(user: Id): Map<Id, Timeline<boolean>> {
    const groups = this.#members.get(user) ?? new Map<Id, Timeline<boolean>>();
    this.#members.set(user, groups);
    return groups;
  }

  #add(pooled: PooledPhoto): void {
    const pool = this.#pools.get(pooled.group);
    if (pool) pool.push(pooled);
    else this.#pools.set(pooled.group, [pooled]);
  }
}
