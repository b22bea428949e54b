import type { KeepRules } from '../../src/index/allowance.ts';
import type { Menu } from '../site/actions.ts';
import type { Photo, Relationship, Site } from '../site/site.ts';
import type { Fault, Scenario } from './scenario.ts';

// Equal uploads are ordered by the bytes of the ids: 9 above 100 above 10.
const kind = 'contacts' as const;
const USER = '5';
const CONTACTS = ['9', '10', '100'] as const;

export const ANY_FAULT: readonly Fault[] = ['crash', 'duplicate', 'rebuild', 'evict', 'drop', 'epoch', 'loss'];

/** Uploads below, among and above the existing ones, and one for friends only. */
const MENU: Menu = {
  pairs: CONTACTS.map((contact) => ({ kind, user: USER, contact })),
  grants: CONTACTS.map((contact) => ({ kind, user: contact, contact: USER })),
  uploads: CONTACTS.flatMap((owner) => [15, 20, 45].map((at) => ({ kind, owner, audience: 0, at }) as const)),
  owners: CONTACTS.map((owner) => ({ kind, owner })),
  audiences: [0, 1, 4],
};

/** The user changes a setting that decides what they see, along with changes of single pairs. */
export const SETTINGS: Menu = {
  pairs: [{ kind, user: USER, contact: '9' }],
  grants: [{ kind, user: '10', contact: USER }],
  uploads: [{ kind, owner: '100', audience: 1, at: 45 }],
  owners: [],
  audiences: [],
  settings: [USER],
};

interface Contact {
  readonly id: (typeof CONTACTS)[number];
  readonly related: boolean;
  /** Does this contact call the user a friend? */
  readonly grants: boolean;
  /** Times of the photos. */
  readonly shown: readonly number[];
  readonly forFriends: readonly number[];
}

function siteOf(contacts: readonly Contact[]): Site {
  const row = (user: string, contact: string, active: boolean, isFriend: boolean): Relationship => ({
    kind,
    user,
    contact,
    active,
    isFriend,
    version: 1,
  });
  const photos = contacts.flatMap(({ id, shown, forFriends }): Photo[] => [
    ...shown.map((at) => ({ kind, owner: id, audience: 0, at }) as const),
    ...forFriends.map((at) => ({ kind, owner: id, audience: 1, at }) as const),
  ]);
  return {
    epoch: 'E1',
    relationships: contacts.flatMap(({ id, related, grants }) => [
      row(USER, id, related, id === '9'),
      row(id, USER, true, grants),
    ]),
    photos,
  };
}

/** All three are contacts: one is left out, below the floor. */
const THREE = siteOf([
  { id: '9', related: true, grants: false, shown: [30], forFriends: [] },
  { id: '10', related: true, grants: false, shown: [20], forFriends: [40] },
  { id: '100', related: true, grants: true, shown: [10], forFriends: [] },
]);

/** All three were active at the same time. */
const TIES = siteOf([
  { id: '9', related: true, grants: false, shown: [20], forFriends: [] },
  { id: '10', related: true, grants: true, shown: [], forFriends: [20] },
  { id: '100', related: true, grants: false, shown: [20], forFriends: [] },
]);

/** One is no contact yet: the index is full and complete. */
const TWO = siteOf([
  { id: '9', related: true, grants: false, shown: [30], forFriends: [] },
  { id: '10', related: true, grants: false, shown: [20], forFriends: [40] },
  { id: '100', related: false, grants: true, shown: [10], forFriends: [] },
]);

/** One contact without photos, one who is no contact: the index is complete and has room. */
const ONE = siteOf([
  { id: '9', related: true, grants: false, shown: [30], forFriends: [] },
  { id: '10', related: false, grants: false, shown: [20], forFriends: [] },
  { id: '100', related: true, grants: false, shown: [], forFriends: [40] },
]);

/** 1 user, 3 contacts, max 2, min 1; warm, two workers, two actions. */
export function oneUser(name: string, changes: Partial<Scenario>): Scenario {
  return {
    name,
    kinds: [kind],
    users: [USER],
    max: 2,
    min: 1,
    pageSize: 500,
    site: THREE,
    index: 'warm',
    menu: MENU,
    actions: 2,
    faults: ANY_FAULT,
    faultsAtMost: 1,
    workers: 2,
    publish: 'after',
    versions: false,
    ...changes,
  };
}

/** The user has one contact, and gets to know others: until then an index does not pay. */
const GROWING: Site = {
  ...THREE,
  relationships: THREE.relationships.filter(({ user, contact }) => user !== USER || contact === '9'),
};

export const SITES = { THREE, TIES, TWO, ONE, GROWING };

/** An index takes one change without a read. */
export const ONE_CHANGE: KeepRules = { indexAbove: 0, keep: 1 / 32 };
