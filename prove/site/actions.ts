import type { Id } from '../../src/contracts/id.ts';
import type { Task } from '../../src/contracts/task.ts';
import type { Audience, Photo, Relationship, Site } from './site.ts';

/** An action on the site: a transaction and its task. */
export interface Action {
  /** A description, unique within the menu. */
  readonly name: string;
  readonly task: Task;
  readonly commit: (site: Site) => Site;
}

/** The actions that are possible on a site. */
export interface Menu {
  /** Relationships that are added and removed. */
  readonly pairs: readonly Pair[];
  /** Relationships that are changed: the user makes the contact a friend, or no longer one. */
  readonly grants: readonly Pair[];
  /** Photos to upload, each at most once. */
  readonly uploads: readonly Photo[];
  /** Whose photos are deleted, and made visible to another of these audiences. */
  readonly owners: readonly Id[];
  readonly audiences: readonly Audience[];
  /** Owners who are suspended and readmitted. */
  readonly suspensions?: readonly Id[];
  /** Viewers who change what they are shown. */
  readonly settings?: readonly Id[];
}

interface Pair {
  readonly user: Id;
  readonly contact: Id;
}

/** Every action of the menu that would change this site. */
export function actionsOn(site: Site, menu: Menu): Action[] {
  return [
    ...menu.pairs.map((pair) => toggled(site, pair)),
    ...menu.grants.flatMap((pair) => granted(site, pair)),
    ...menu.uploads.filter((photo) => !has(site, photo)).map(uploaded),
    ...site.photos
      .filter(({ owner }) => menu.owners.includes(owner))
      .flatMap((photo) => [deleted(photo), ...shown(site, menu, photo)]),
    ...(menu.suspensions ?? []).map((user) => switched(site, 'suspended', user)),
    ...(menu.settings ?? []).map((user) => switched(site, 'unfiltered', user)),
  ];
}

function toggled(site: Site, pair: Pair): Action {
  const before = find(site, pair);
  const active = before?.active !== true;
  const type = active ? 'recency.contact.added' : 'recency.contact.removed';
  const name = active ? `${pair.user} adds ${pair.contact}` : `${pair.user} removes ${pair.contact}`;
  return { name, ...change({ ...(before ?? fresh(pair)), active }, type) };
}

function granted(site: Site, pair: Pair): Action[] {
  const before = find(site, pair);
  if (before?.active !== true) return [];
  const isFriend = !before.isFriend;
  const name = `${pair.user} ${isFriend ? 'makes' : 'no longer calls'} ${pair.contact} a friend`;
  return [{ name, ...change({ ...before, isFriend }, 'recency.contact.changed') }];
}

function change(
  row: Relationship,
  type: 'recency.contact.added' | 'recency.contact.removed' | 'recency.contact.changed',
) {
  const after = { ...row, version: row.version + 1 };
  const { user, contact } = row;
  return {
    task: { type, user, contact, version: String(after.version) },
    commit: (site: Site) => ({
      ...site,
      relationships: inOrder([...site.relationships.filter((other) => !same(other, row)), after]),
    }),
  };
}

function uploaded(photo: Photo): Action {
  return {
    name: `${photo.owner} uploads a ${AUDIENCES[photo.audience]} photo of time ${photo.at}`,
    task: { type: 'recency.photo.uploaded', owner: photo.owner },
    commit: (site) => ({ ...site, photos: withPhoto(site.photos, photo) }),
  };
}

function deleted(photo: Photo): Action {
  return {
    name: `${photo.owner} deletes the ${AUDIENCES[photo.audience]} photo of time ${photo.at}`,
    task: { type: 'recency.photo.deleted', owner: photo.owner },
    commit: (site) => ({ ...site, photos: without(site.photos, photo) }),
  };
}

function shown(site: Site, menu: Menu, photo: Photo): Action[] {
  const others = menu.audiences.filter((audience) => audience !== photo.audience && !has(site, { ...photo, audience }));
  return others.map((audience) => ({
    name: `${photo.owner} makes the ${AUDIENCES[photo.audience]} photo of time ${photo.at} ${AUDIENCES[audience]}`,
    task: { type: 'recency.photo.visibility_changed', owner: photo.owner },
    commit: (now) => ({ ...now, photos: withPhoto(without(now.photos, photo), { ...photo, audience }) }),
  }));
}

/** A change of a user; any such change has the same kind of task. */
function switched(site: Site, list: 'suspended' | 'unfiltered', user: Id): Action {
  const isOn = site[list]?.includes(user) === true;
  return {
    name: `${user} is ${isOn ? 'no longer ' : ''}${list}`,
    task: { type: 'recency.user.changed', user },
    commit: (now) => {
      const others = (now[list] ?? []).filter((other) => other !== user);
      return { ...now, [list]: isOn ? others : [...others, user].sort() };
    },
  };
}

const AUDIENCES: Readonly<Record<Audience, string>> = { 0: 'public', 1: 'friends-only', 4: 'private' };

function fresh(pair: Pair): Relationship {
  return { ...pair, active: false, isFriend: false, version: 0 };
}

function find(site: Site, pair: Pair): Relationship | undefined {
  return site.relationships.find((row) => same(row, pair));
}

function same(a: Pair, b: Pair): boolean {
  return a.user === b.user && a.contact === b.contact;
}

function has(site: Site, photo: Photo): boolean {
  return site.photos.some((other) => isSamePhoto(other, photo));
}

function isSamePhoto(a: Photo, b: Photo): boolean {
  return a.owner === b.owner && a.audience === b.audience && a.at === b.at;
}

function without(photos: readonly Photo[], gone: Photo): Photo[] {
  return photos.filter((photo) => !isSamePhoto(photo, gone));
}

// Sorted, so that equal contents have equal texts.
function withPhoto(photos: readonly Photo[], photo: Photo): Photo[] {
  return [...photos, photo].sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
}

function inOrder(relationships: readonly Relationship[]): Relationship[] {
  return relationships.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
}

function textOf({ owner, audience, at }: Photo): string;
function textOf(row: Pair): string;
function textOf(row: Photo | Pair): string {
  return 'owner' in row ? `${row.owner} ${row.audience} ${row.at}` : `${row.user} ${row.contact}`;
}
