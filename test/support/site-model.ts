import type { Id } from '../../src/contracts/id.ts';
import type { Audience } from '../../src/tools/reference-site/checks.ts';
import type { Grant } from '../../src/tools/reference-site/relationships.ts';

interface Relationship extends Grant {
  readonly active: boolean;
  readonly version: number;
  /** When it began, ms since 1970 UTC. */
  readonly since: number;
}

interface Photo {
  readonly owner: Id;
  readonly audience: Audience;
  readonly at: number;
}

/** Predicts the state of the reference site after some actions, from the written rules and without SQL. */
export class SiteModel {
  readonly tasks: Record<string, string | null>[] = [];
  readonly #relationships = new Map<string, Relationship>();
  readonly #photos = new Map<Id, Photo>();

  add(user: Id, contact: Id, grant: Grant, now: number): string {
    const since = this.#active(user, contact)?.since ?? now;
    return this.#set(user, contact, 'added', { ...grant, active: true, since });
  }

  change(user: Id, contact: Id, grant: Grant): string | null {
    const old = this.#active(user, contact);
    return old ? this.#set(user, contact, 'changed', { ...old, ...grant }) : null;
  }

  remove(user: Id, contact: Id): string | null {
    const old = this.#active(user, contact);
    return old ? this.#set(user, contact, 'removed', { ...old, active: false }) : null;
  }

  upload(id: Id, owner: Id, audience: Audience, at: number): void {
    this.#photos.set(id, { owner, audience, at });
    this.#tell('recency.photo.uploaded', owner, id, at);
  }

  delete(id: Id): boolean {
    const photo = this.#photos.get(id);
    if (photo) this.#tell('recency.photo.deleted', photo.owner, id, photo.at);
    return this.#photos.delete(id);
  }

  show(id: Id, audience: Audience): boolean {
    const photo = this.#photos.get(id);
    if (!photo || photo.audience === audience) return false;
    this.#photos.set(id, { ...photo, audience });
    this.#tell('recency.photo.visibility_changed', photo.owner, id, photo.at);
    return true;
  }

  /** An id to act on: that of a photo, or of none if the index is past the last one. */
  photoAt(place: number): Id {
    return [...this.#photos.keys()][place] ?? '999999999';
  }

  contactsView(): Record<string, string | number>[] {
    return [...this.#relationships.keys()].sort().map((pair) => {
      const [user = '', contact = ''] = pair.split(' ');
      const own = this.#relationships.get(pair) as Relationship;
      const visible = [0, 1, 2, 3].filter((audience) => this.#sees(user, contact, audience));
      const photos = [...this.#photos.values()].filter((photo) => photo.owner === contact);
      const times = photos.filter((photo) => visible.includes(photo.audience)).map((photo) => photo.at);
      return {
        user_id: user,
        contact_id: contact,
        related: Number(own.active),
        last_upload_at: String(Math.max(0, ...times)),
        sees: String(visible.reduce((bits, audience) => bits + 2 ** audience, 0)),
        is_friend: Number(own.friend),
        is_family: Number(own.family),
        version: String(own.version),
        since: String(own.since),
      };
    });
  }

  photosView(): Record<string, string | number>[] {
    return [...this.#photos].map(([id, { owner, audience, at }]) => ({
      id,
      owner_id: owner,
      audience,
      uploaded_at: String(at),
    }));
  }

  /** The OWNER's grant counts, and only while the viewer is the owner's contact. */
  #sees(viewer: Id, owner: Id, audience: number): boolean {
    const granted = this.#active(owner, viewer);
    const { friend = false, family = false } = granted ?? {};
    return [true, friend, family, friend || family, false][audience] ?? false;
  }

  #active(user: Id, contact: Id): Relationship | undefined {
    const found = this.#relationships.get(`${user} ${contact}`);
    return found?.active ? found : undefined;
  }

  #set(user: Id, contact: Id, what: string, now: Omit<Relationship, 'version'>): string {
    const version = (this.#relationships.get(`${user} ${contact}`)?.version ?? 0) + 1;
    this.#relationships.set(`${user} ${contact}`, { ...now, version });
    this.#tell(`recency.contact.${what}`, user, contact, null, String(version));
    return String(version);
  }

  #tell(type: string, user: Id, other: Id, at: number | null, version: string | null = null): void {
    this.tasks.push({ type, user_id: user, other_id: other, at: at === null ? null : String(at), version });
  }
}
