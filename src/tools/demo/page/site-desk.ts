import type { Pool, RowDataPacket } from 'mysql2/promise';
import type { Id } from '../../../contracts/id.ts';
import type { HttpClient } from '../../harness/http.ts';
import type { Feed } from '../../harness/servers.ts';
import type { Audience } from '../../reference-site/checks.ts';
import { changeVisibility, uploadPhoto } from '../../reference-site/photos.ts';
import { addContact, removeContact } from '../../reference-site/relationships.ts';
import { nameOf } from './names.ts';
import {
  answerAgrees,
  type HiddenPhoto,
  type InspectedBody,
  indexAgrees,
  type PagePerson,
  type RecentPhotosBody,
  type SiteLook,
} from './site-look.ts';
import type { ChangeToFollow, TaskWay } from './task-way.ts';

export interface SiteDeskOptions {
  readonly pool: Pool;
  readonly api: Pick<HttpClient, 'get'>;
  readonly feed: Feed;
  readonly way: TaskWay;
  readonly people: readonly PagePerson[];
}

/** What somebody does on the page. */
export interface SiteChange {
  readonly act: 'add' | 'remove' | 'upload' | 'hide' | 'show';
  /** Whose page it is. */
  readonly person: Id;
  readonly contact: Id;
  /** Of the contact; to hide or to show. */
  readonly photo?: Id | undefined;
}

const EVERYBODY: Audience = 0;
const NOBODY: Audience = 4;

const CONTACTS = 8;
const PHOTOS = 3;
const STRANGERS = 6;
const ANSWERED_ROWS = 10;

// The most recently active ones, whose addition can be seen at the head of the list.
const NO_CONTACTS = `
  SELECT users.id FROM users
  WHERE users.id <> ? AND last_public_at > 0 AND NOT EXISTS (
    SELECT 1 FROM contacts WHERE user_id = ? AND contact_id = users.id AND active)
  ORDER BY last_public_at DESC, users.id DESC
  LIMIT ${STRANGERS}`;

const PAIR = 'SELECT related, last_upload_at FROM recency_contacts WHERE user_id = ? AND contact_id = ?';
const PHOTO = 'SELECT audience FROM photos WHERE id = ? AND owner_id = ?';
const IS_PUBLISHED = `
  SELECT published_at IS NOT NULL AS published FROM recency_outbox
  WHERE type LIKE ? AND user_id = ? ORDER BY id DESC LIMIT 1`;

/** The site as the page shows it, and the changes that people make on the page. */
export class SiteDesk {
  /** Begun on the page so far. */
  changes = 0;
  readonly #options: SiteDeskOptions;
  readonly #strangers = new Map<Id, Promise<readonly Id[]>>();
  readonly #hidden = new Map<Id, HiddenPhoto & { readonly audience: Audience }>();

  constructor(options: SiteDeskOptions) {
    this.#options = options;
  }

  get people(): readonly PagePerson[] {
    return this.#options.people;
  }

  /** Reads a person's page. @throws Error when MySQL is not there */
  async look(person: PagePerson): Promise<SiteLook> {
    const { api } = this.#options;
    const path = `/v1/users/${person.id}/contacts/recent/photos?contacts=${CONTACTS}&photos=${PHOTOS}`;
    const answer = await api.get(path).catch(() => undefined);
    const recent = answer?.status === 200 ? (JSON.parse(answer.body) as RecentPhotosBody) : undefined;
    return { person, recent, strangers: await this.#strangersTo(person.id), hidden: [...this.#hidden.values()] };
  }

  /**
   * Makes a change as a site does, and follows its task from then on.
   * @returns what was done, as a sentence; undefined: there was nothing to change
   * @throws SiteError
   */
  async change(change: SiteChange): Promise<string | undefined> {
    const from = performance.now();
    this.changes++;
    const done = await this.#commit(change);
    if (done === undefined) return undefined;
    const what = done.endsWith('.') ? done : `${done}.`; // a name may end with a point
    const transactionMs = performance.now() - from;
    this.#options.way.follow({ what, transactionMs, looks: this.#looksFor(change) });
    this.#strangers.clear();
    return what;
  }

  /** What was done, in words. */
  async #commit({ act, person, contact, photo = '' }: SiteChange): Promise<string | undefined> {
    const { pool } = this.#options;
    const [me, other] = [nameOf(person), nameOf(contact)];
    switch (act) {
      case 'add':
        await addContact(pool, person, contact);
        return `${me} adds ${other}`;
      case 'remove':
        return (await removeContact(pool, person, contact)) === null ? undefined : `${me} removes ${other}`;
      case 'upload':
        await uploadPhoto(pool, contact, EVERYBODY, Date.now());
        return `${other} uploads a photo`;
      case 'hide':
        return (await this.#hide(photo, contact)) ? `${other} hides a photo` : undefined;
      default:
        return (await this.#showAgain(photo)) ? `${other} shows a photo again` : undefined;
    }
  }

  async #hide(photo: Id, owner: Id): Promise<boolean> {
    const { pool } = this.#options;
    const [[row]] = await pool.execute<RowDataPacket[]>(PHOTO, [photo, owner]);
    if (row === undefined || !(await changeVisibility(pool, photo, NOBODY))) return false;
    this.#hidden.set(photo, { id: photo, owner, audience: Number(row.audience) as Audience });
    return true;
  }

  async #showAgain(photo: Id): Promise<boolean> {
    const hidden = this.#hidden.get(photo);
    if (hidden === undefined) return false;
    this.#hidden.delete(photo);
    return await changeVisibility(this.#options.pool, photo, hidden.audience);
  }

  #strangersTo(person: Id): Promise<readonly Id[]> {
    const known = this.#strangers.get(person);
    if (known !== undefined) return known;
    const read = this.#options.pool
      .execute<RowDataPacket[]>(NO_CONTACTS, [person, person])
      .then(([rows]) => rows.map(({ id }) => String(id)));
    this.#strangers.set(person, read);
    read.catch(() => this.#strangers.delete(person));
    return read;
  }

  /** How to see a change at each station: MySQL says what must be there. */
  #looksFor({ act, person, contact }: SiteChange): ChangeToFollow['looks'] {
    const { api, feed, pool } = this.#options;
    const isAboutContact = act === 'add' || act === 'remove';
    const [type, user] = isAboutContact ? ['recency.contact.%', person] : ['recency.photo.%', contact];
    const expected = this.#lastUpload(person, contact);
    expected.catch(() => undefined); // each look that needs it fails
    const published = async () => {
      const [[row]] = await pool.execute<RowDataPacket[]>(IS_PUBLISHED, [type, user]);
      return row === undefined || Number(row.published) === 1;
    };
    const applied = async () => {
      const { body } = await api.get(`/v1/users/${person}/index`);
      return indexAgrees(JSON.parse(body) as InspectedBody, contact, await expected);
    };
    const answered = async () => {
      const { body } = await api.get(`/v1/users/${person}/contacts/recent?limit=${ANSWERED_ROWS}`);
      const { contacts } = JSON.parse(body) as RecentPhotosBody;
      return answerAgrees(contacts, ANSWERED_ROWS, contact, await expected);
    };
    return { ...(feed === 'outbox' ? { published } : {}), applied, answered };
  }

  async #lastUpload(person: Id, contact: Id): Promise<number | undefined> {
    const [[row]] = await this.#options.pool.execute<RowDataPacket[]>(PAIR, [person, contact]);
    return row !== undefined && Number(row.related) === 1 && Number(row.last_upload_at) > 0
      ? Number(row.last_upload_at)
      : undefined;
  }
}
