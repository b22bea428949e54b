import type { Id } from '../../src/contracts/id.ts';

/** The committed contents of a small site: what the reference schema would hold. */
export interface Site {
  readonly epoch: string;
  /** Tasks are known to be lost, but the epoch is still in force, because a rule is removed. */
  readonly lossKnown?: true;
  readonly relationships: readonly Relationship[];
  readonly photos: readonly Photo[];
  /** These users are suspended: nobody is related to them, whatever the relationships say. */
  readonly suspended?: readonly Id[];
  /** Viewers whose settings show them everybody's photos for friends. */
  readonly unfiltered?: readonly Id[];
}

export interface Relationship {
  readonly user: Id;
  readonly contact: Id;
  readonly active: boolean;
  readonly isFriend: boolean;
  readonly version: number;
}

/** 0 public, 1 friends, 4 private. */
export type Audience = 0 | 1 | 4;

export interface Photo {
  readonly owner: Id;
  readonly audience: Audience;
  /** ms since 1970. */
  readonly at: number;
}

/** A row of the view `recency_contacts`. */
export interface TruthRow {
  readonly user: Id;
  readonly contact: Id;
  readonly related: boolean;
  /** The newest photo that the user may see, or 0. */
  readonly at: number;
  readonly isFriend: boolean;
  readonly version: string;
}

/** The view's rows for these users. */
export function truthOf(site: Site, users: ReadonlySet<Id>): TruthRow[] {
  return site.relationships
    .filter(({ user }) => users.has(user))
    .map(({ user, contact, active, isFriend, version }) => {
      const at = lastUpload(site, user, contact);
      const related = active && site.suspended?.includes(contact) !== true;
      return { user, contact, related, at, isFriend, version: String(version) };
    });
}

/** What the owner grants counts, and an inactive relationship grants nothing. */
function lastUpload(site: Site, viewer: Id, owner: Id): number {
  const granted = site.relationships.find(({ user, contact }) => user === owner && contact === viewer);
  const isFriend = (granted?.active === true && granted.isFriend) || site.unfiltered?.includes(viewer) === true;
  const seen = site.photos.filter(
    (photo) => photo.owner === owner && (photo.audience === 0 || (photo.audience === 1 && isFriend)),
  );
  return Math.max(0, ...seen.map((photo) => photo.at));
}
