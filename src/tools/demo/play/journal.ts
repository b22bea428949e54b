import type { Pool, RowDataPacket } from 'mysql2/promise';
import type { Id } from '../../../contracts/id.ts';
import type { Audience } from '../../reference-site/checks.ts';

export interface RelationshipState {
  readonly active: boolean;
  /** What the user grants the contact. */
  readonly friend: boolean;
  readonly family: boolean;
}

/** Undefined: there is no such photo. */
export type PhotoState = Audience | undefined;

export interface JournalPhoto {
  readonly owner: Id;
  /** ms since 1970 UTC. */
  readonly at: number;
  readonly timeline: Timeline<PhotoState>;
  /** Undefined while the upload is under way. */
  id: Id | undefined;
}

const STRANGERS: RelationshipState = { active: false, friend: false, family: false };

/**
 * What the site has committed, and when, so that an answer read at any moment can be judged. Kept in memory by the only
 * process that writes to the site.
 */
export class Journal {
  readonly #relationships = new Map<Id, Map<Id, Timeline<RelationshipState>>>();
  readonly #photos = new Map<Id, JournalPhoto[]>();
  readonly #now: () => number;

  /** @param now ms, monotonic; the clock of the reads too */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Records a relationship that exists before anything is changed or read. */
  rememberRelationship(user: Id, contact: Id, state: RelationshipState): void {
    this.#contactsOf(user).set(contact, new Timeline(state));
  }

  /** Records a photo that exists before anything is changed or read. */
  rememberPhoto(id: Id, owner: Id, audience: Audience, at: number): void {
    this.#add({ id, owner, at, timeline: new Timeline<PhotoState>(audience) });
  }

  /** The user's current and former contacts. */
  contactsOf(user: Id): [contact: Id, latest: RelationshipState][] {
    return Array.from(this.#relationships.get(user) ?? [], ([contact, timeline]) => [contact, timeline.latest]);
  }

  relationship(user: Id, contact: Id): RelationshipState {
    return this.#relationships.get(user)?.get(contact)?.latest ?? STRANGERS;
  }

  /** The owner's existing photos whose upload has returned. */
  photosOf(owner: Id): JournalPhoto[] {
    const photos = this.#photos.get(owner) ?? [];
    return photos.filter(({ id, timeline }) => id !== undefined && timeline.latest !== undefined);
  }

  /** States of the relationship that may have been in force within the span. */
  relationshipWithin(user: Id, contact: Id, span: Span): Iterable<{ state: RelationshipState; span: Span }> {
    return this.#relationships.get(user)?.get(contact)?.within(span) ?? [];
  }

  /** The owner's photos of this time: current, deleted, and being uploaded. */
  photosOfTime(owner: Id, at: number): JournalPhoto[] {
    return (this.#photos.get(owner) ?? []).filter((photo) => photo.at === at);
  }

  /** @param commit makes this change in the database */
  async changeRelationship(
    user: Id,
    contact: Id,
    state: RelationshipState,
    commit: () => Promise<unknown>,
  ): Promise<void> {
    const contacts = this.#contactsOf(user);
    const timeline = contacts.get(contact) ?? new Timeline(STRANGERS);
    contacts.set(contact, timeline);
    await this.#change(timeline, state, commit);
  }

  /** @param commit uploads the photo and returns its id */
  async upload(owner: Id, audience: Audience, at: number, commit: () => Promise<Id>): Promise<JournalPhoto> {
    const photo: JournalPhoto = { id: undefined, owner, at, timeline: new Timeline<PhotoState>(undefined) };
    this.#add(photo);
    photo.id = await this.#change(photo.timeline, audience, commit);
    return photo;
  }

  /** @param state undefined to delete the photo */
  async changePhoto(photo: JournalPhoto, state: PhotoState, commit: () => Promise<unknown>): Promise<void> {
    await this.#change(photo.timeline, state, commit);
  }

  async #change<S, T>(timeline: Timeline<S>, state: S, commit: () => Promise<T>): Promise<T> {
    timeline.begin(state, this.#now());
    const result = await commit();
    timeline.settle(this.#now());
    return result;
  }

  #contactsOf(user: Id): Map<Id, Timeline<RelationshipState>> {
    const contacts = this.#relationships.get(user) ?? new Map<Id, Timeline<RelationshipState>>();
    this.#relationships.set(user, contacts);
    return contacts;
  }

  #add(photo: JournalPhoto): void {
    const photos = this.#photos.get(photo.owner);
    if (photos) photos.push(photo);
    else this.#photos.set(photo.owner, [photo]);
  }
}

/** An interval, ms on one monotonic clock, both ends included. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

/** The intersection of two intervals; undefined if it is empty. */
export function overlap(a: Span, b: Span): Span | undefined {
  const from = Math.max(a.from, b.from);
  const until = Math.min(a.until, b.until);
  return from <= until ? { from, until } : undefined;
}

/**
 * The states of one thing in the database, and when each may have been in force. A transaction commits at some moment
 * between its call and its return, and nobody outside can tell when: so a new state is possible from the call on, and
 * the previous one until the return. Changes of one thing happen one at a time.
 */
class Timeline<S> {
  readonly #states: { readonly state: S; readonly from: number; until: number }[];

  constructor(state: S) {
    this.#states = [{ state, from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY }];
  }

  /** The newest state, even while its transaction runs. */
  get latest(): S {
    return (this.#states.at(-1) as { state: S }).state;
  }

  /** Call when the transaction that makes this state starts. */
  begin(state: S, now: number): void {
    this.#states.push({ state, from: now, until: Number.POSITIVE_INFINITY });
  }

  /** Call when it has returned: the previous state has ended. */
  settle(now: number): void {
    const before = this.#states.at(-2);
    if (before !== undefined) before.until = now;
  }

  /** Each state that may have been in force within the span, with that part of the span. */
  *within(span: Span): Generator<{ state: S; span: Span }> {
    for (const entry of this.#states) {
      const common = overlap(entry, span);
      if (common !== undefined) yield { state: entry.state, span: common };
    }
  }
}

const RELATIONSHIPS = 'SELECT user_id, contact_id, is_friend, is_family, active FROM contacts';
const PHOTOS = 'SELECT id, owner_id, audience, uploaded_at FROM photos';

type JournalRow = readonly (string | number)[];

/** Records what exists before the play. Nothing may change the site meanwhile. */
export async function rememberSite(pool: Pool, journal: Journal): Promise<void> {
  for (const [user, contact, friend, family, active] of await rowsOf(pool, RELATIONSHIPS)) {
    journal.rememberRelationship(String(user), String(contact), {
      active: Number(active) !== 0,
      friend: Number(friend) !== 0,
      family: Number(family) !== 0,
    });
  }
  for (const [id, owner, audience, at] of await rowsOf(pool, PHOTOS)) {
    journal.rememberPhoto(String(id), String(owner), Number(audience) as Audience, Number(at));
  }
}

async function rowsOf(pool: Pool, statement: string): Promise<JournalRow[]> {
  const [rows] = await pool.query<RowDataPacket[]>({ sql: statement, rowsAsArray: true });
  return rows as unknown as JournalRow[];
}
