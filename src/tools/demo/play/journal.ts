import type { Pool, RowDataPacket } from 'mysql2/promise';
import type { Id } from '../../../contracts/id.ts';
import type { Audience } from '../../reference-site/checks.ts';
import { GroupJournal } from './group-journal.ts';
import type { JournalPhoto, PhotoState } from './journal-photo.ts';
import { type Span, Timeline } from './timeline.ts';

export interface RelationshipState {
  readonly active: boolean;
  /** What the user grants the contact. */
  readonly friend: boolean;
  readonly family: boolean;
}

const STRANGERS: RelationshipState = { active: false, friend: false, family: false };

/**
 * What the site has committed, and when, so that an answer read at any moment can be judged. Kept in memory by the only
 * process that writes to the site.
 */
export class Journal {
  readonly groups: GroupJournal;
  readonly #relationships = new Map<Id, Map<Id, Timeline<RelationshipState>>>();
  readonly #photos = new Map<Id, JournalPhoto[]>();
  readonly #now: () => number;

  /** @param now ms, monotonic; the clock of the reads too */
  constructor(now: () => number) {
    this.#now = now;
    this.groups = new GroupJournal(now);
  }

  /** Records a relationship that exists before anything is changed or read. */
  rememberRelationship(user: Id, contact: Id, state: RelationshipState): void {
    this.#contactsOf(user).set(contact, new Timeline(state));
  }

  /** Records a photo that exists before anything is changed or read. */
  rememberPhoto(id: Id, owner: Id, audience: Audience, at: number): JournalPhoto {
    const photo: JournalPhoto = { id, owner, at, timeline: new Timeline<PhotoState>(audience) };
    this.#add(photo);
    return photo;
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
    await timeline.change(state, this.#now, commit);
  }

  /** @param commit uploads the photo and returns its id */
  async upload(owner: Id, audience: Audience, at: number, commit: () => Promise<Id>): Promise<JournalPhoto> {
    const photo: JournalPhoto = { id: undefined, owner, at, timeline: new Timeline<PhotoState>(undefined) };
    this.#add(photo);
    photo.id = await photo.timeline.change<Id>(audience, this.#now, commit);
    return photo;
  }

  /** @param state undefined to delete the photo */
  async changePhoto(photo: JournalPhoto, state: PhotoState, commit: () => Promise<unknown>): Promise<void> {
    await photo.timeline.change(state, this.#now, commit);
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

const RELATIONSHIPS = 'SELECT user_id, contact_id, is_friend, is_family, active FROM contacts';
const PHOTOS = 'SELECT id, owner_id, audience, uploaded_at FROM photos';
const MEMBERSHIPS = 'SELECT user_id, group_id, active FROM memberships';
const POOLED = 'SELECT group_id, photo_id, added_at FROM group_pools';

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
  const photos = new Map<Id, JournalPhoto>();
  for (const [photo, owner, audience, at] of await rowsOf(pool, PHOTOS)) {
    const id = String(photo);
    photos.set(id, journal.rememberPhoto(id, String(owner), Number(audience) as Audience, Number(at)));
  }
  for (const [user, group, active] of await rowsOf(pool, MEMBERSHIPS)) {
    journal.groups.rememberMembership(String(user), String(group), Number(active) !== 0);
  }
  for (const [group, id, at] of await rowsOf(pool, POOLED)) {
    const photo = photos.get(String(id));
    if (photo !== undefined) journal.groups.rememberPooled(String(group), photo, Number(at));
  }
}

async function rowsOf(pool: Pool, statement: string): Promise<JournalRow[]> {
  const [rows] = await pool.query<RowDataPacket[]>({ sql: statement, rowsAsArray: true });
  return rows as unknown as JournalRow[];
}
