import type { Id } from '../../src/contracts/id.ts';
import type { KindName } from '../../src/contracts/kind.ts';
import type { Task } from '../../src/contracts/task.ts';
import { type Audience, kindOf, type Photo, type Relationship, type Site } from './site.ts';

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
  /** Relationships that are changed: the user makes the contact a friend, or is shown more of the group; or no longer. */
  readonly grants: readonly Pair[];
  /** Photos to upload, each at most once. */
  readonly uploads: readonly Photo[];
  /** Whose photos are deleted, and made visible to another of these audiences. */
  readonly owners: readonly Owner[];
  readonly audiences: readonly Audience[];
  /** Owners who are suspended and readmitted. */
  readonly suspensions?: readonly Id[];
  /** Viewers who change what they are shown. */
  readonly settings?: readonly Id[];
}

interface Owner {
  readonly kind: KindName;
  readonly owner: Id;
}

interface Pair {
  readonly kind: KindName;
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
      .filter((photo) => menu.owners.some(({ kind, owner }) => kind === photo.kind && owner === photo.owner))
      .flatMap((photo) => [deleted(photo), ...shown(site, menu, photo)]),
    ...(menu.suspensions ?? []).map((user) => switched(site, 'suspended', user)),
    ...(menu.settings ?? []).map((user) => switched(site, 'unfiltered', user)),
  ];
}

function toggled(site: Site, pair: Pair): Action {
  const before = find(site, pair);
  const active = before?.active !== true;
  const { added, removed } = kindOf(pair.kind).relationTasks;
  const [adds, removes] = pair.kind === 'groups' ? ['joins group', 'leaves group'] : ['adds', 'removes'];
  const name = `${pair.user} ${active ? adds : removes} ${pair.contact}`;
  return { name, ...change({ ...(before ?? fresh(pair)), active }, active ? added : removed) };
}

function granted(site: Site, pair: Pair): Action[] {
  const before = find(site, pair);
  if (before?.active !== true) return [];
  const isFriend = !before.isFriend;
  const { kind, user, contact } = pair;
  const name =
    kind === 'groups'
      ? `${user} ${isFriend ? 'may' : 'may no longer'} see all of group ${contact}`
      : `${user} ${isFriend ? 'makes' : 'no longer calls'} ${contact} a friend`;
  return [{ name, ...change({ ...before, isFriend }, kindOf(kind).relationTasks.changed) }];
}

function change(row: Relationship, type: string): Pick<Action, 'task' | 'commit'> {
  const after = { ...row, version: row.version + 1 };
  return {
    task: relationTask(row, type, String(after.version)),
    commit: (site: Site) => ({
      ...site,
      relationships: inOrder([...site.relationships.filter((other) => !same(other, row)), after]),
    }),
  };
}

/** The task of this type about a relationship. */
export function relationTask({ kind, user, contact }: Pair, type: string, version?: string): Task {
  const task = { type, user, [kindOf(kind).singular]: contact };
  return (version === undefined ? task : { ...task, version }) as unknown as Task;
}

/** The task of this type about somebody's photos, or those of a group's pool. */
export function photoTask({ kind, owner }: Owner, type: string): Task {
  return { type, [kindOf(kind).ownerField]: owner } as unknown as Task;
}

function uploaded(photo: Photo): Action {
  return {
    name: photo.kind === 'groups' ? `${textOfPhoto(photo)} is added` : `${photo.owner} uploads ${textOfPhoto(photo)}`,
    task: photoTask(photo, kindOf(photo.kind).photoTasks.added),
    commit: (site) => ({ ...site, photos: withPhoto(site.photos, photo) }),
  };
}

function deleted(photo: Photo): Action {
  return {
    name: photo.kind === 'groups' ? `${textOfPhoto(photo)} is removed` : `${photo.owner} deletes ${textOfPhoto(photo)}`,
    task: photoTask(photo, kindOf(photo.kind).photoTasks.removed),
    commit: (site) => ({ ...site, photos: without(site.photos, photo) }),
  };
}

function shown(site: Site, menu: Menu, photo: Photo): Action[] {
  const others = menu.audiences.filter((audience) => audience !== photo.audience && !has(site, { ...photo, audience }));
  const who = photo.kind === 'groups' ? '' : `${photo.owner} makes `;
  return others.map((audience) => ({
    name: `${who}${textOfPhoto(photo)} ${who === '' ? 'becomes ' : ''}${AUDIENCES[audience]}`,
    task: photoTask(photo, kindOf(photo.kind).photoTasks.visibilityChanged),
    commit: (now) => ({ ...now, photos: withPhoto(without(now.photos, photo), { ...photo, audience }) }),
  }));
}

function textOfPhoto({ kind, owner, audience, at }: Photo): string {
  return `the ${AUDIENCES[audience]} photo of time ${at}${kind === 'groups' ? ` in group ${owner}` : ''}`;
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
  return a.kind === b.kind && a.user === b.user && a.contact === b.contact;
}

function has(site: Site, photo: Photo): boolean {
  return site.photos.some((other) => isSamePhoto(other, photo));
}

function isSamePhoto(a: Photo, b: Photo): boolean {
  return a.kind === b.kind && a.owner === b.owner && a.audience === b.audience && a.at === b.at;
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

function textOf(row: Photo | Pair): string {
  const what = 'owner' in row ? `${row.owner} ${row.audience} ${row.at}` : `${row.user} ${row.contact}`;
  return `${row.kind} ${what}`;
}
