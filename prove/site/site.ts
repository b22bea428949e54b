import type { Id } from '../../src/contracts/id.ts';
import { KINDS, type Kind, type KindName } from '../../src/contracts/kind.ts';

/** The committed contents of a small site: what the reference schema would hold. */
export interface Site {
  readonly epoch: string;
  /** Tasks are known to be lost, but the epoch is still in force, because a rule is removed. */
  readonly lossKnown?: true;
  readonly relationships: readonly Relationship[];
  readonly photos: readonly Photo[];
  /** These users are suspended: nobody has them as a contact, whatever the relationships say. */
  readonly suspended?: readonly Id[];
  /** Viewers whose settings show them every photo that is for friends. */
  readonly unfiltered?: readonly Id[];
}

/** Of whatever the kind follows, a `contact`; photos are those of an `owner`. As in the product's own words. */
export interface Relationship {
  readonly kind: KindName;
  readonly user: Id;
  readonly contact: Id;
  readonly active: boolean;
  /** Of a contact: who sees what the user shows to friends. Of a group: the user sees what the group shows to some members. */
  readonly isFriend: boolean;
  readonly version: number;
}

/** 0 public, 1 friends, 4 private. */
export type Audience = 0 | 1 | 4;

export interface Photo {
  readonly kind: KindName;
  readonly owner: Id;
  readonly audience: Audience;
  /** ms since 1970. */
  readonly at: number;
}

/** A row of the kind's view. */
export interface TruthRow {
  readonly kind: KindName;
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
    .map((row) => {
      const { kind, user, contact, active, version } = row;
      const { areUsers, hasRelations } = kindOf(kind);
      const related = active && !(areUsers && site.suspended?.includes(contact));
      const isFriend = hasRelations && row.isFriend;
      return { kind, user, contact, related, at: lastUpload(site, row), isFriend, version: String(version) };
    });
}

/** @throws RangeError when there is no such kind */
export function kindOf(name: KindName): Kind {
  const kind = KINDS.find((one) => one.name === name);
  if (kind === undefined) throw new RangeError(`there is no kind '${name}'`);
  return kind;
}

/** What the owner grants counts, or for a group the user's own membership; an inactive relationship grants nothing. */
function lastUpload(site: Site, row: Relationship): number {
  const { kind, user: viewer, contact: owner } = row;
  const granted = kindOf(kind).areUsers
    ? site.relationships.find((other) => other.kind === kind && other.user === owner && other.contact === viewer)
    : row;
  const isFriend = (granted?.active === true && granted.isFriend) || site.unfiltered?.includes(viewer) === true;
  const seen = site.photos.filter(
    (photo) =>
      photo.kind === kind && photo.owner === owner && (photo.audience === 0 || (photo.audience === 1 && isFriend)),
  );
  return Math.max(0, ...seen.map((photo) => photo.at));
}
