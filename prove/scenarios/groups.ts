import type { Id } from '../../src/contracts/id.ts';
import type { KindName } from '../../src/contracts/kind.ts';
import type { Menu } from '../site/actions.ts';
import type { Relationship, Site } from '../site/site.ts';
import { ANY_FAULT } from './one-user.ts';
import type { Scenario } from './scenario.ts';

const kind = 'groups' as const;

// As for contacts: 9 above 100 above 10 where the times are equal.
const USER = '5';
const GROUPS = ['9', '10', '100'] as const;

/** Photos above and below those of the pools, and among them; what the user may see of a group changes too. */
const MENU: Menu = {
  pairs: GROUPS.map((contact) => ({ kind, user: USER, contact })),
  grants: GROUPS.map((contact) => ({ kind, user: USER, contact })),
  uploads: GROUPS.flatMap((owner) => [15, 45].map((at) => ({ kind, owner, audience: 0, at }) as const)),
  owners: GROUPS.map((owner) => ({ kind, owner })),
  audiences: [0, 1, 4],
};

/** The user changes a setting that decides what they see of every group. */
export const GROUP_SETTINGS: Menu = {
  pairs: [{ kind, user: USER, contact: '9' }],
  grants: [],
  uploads: [{ kind, owner: '100', audience: 1, at: 45 }],
  owners: [],
  audiences: [],
  settings: [USER],
};

function row(of: KindName, user: Id, contact: Id, more?: Partial<Relationship>): Relationship {
  return { kind: of, user, contact, active: true, isFriend: false, version: 1, ...more };
}

/** The user is in three groups, one of which is left out, below the floor. */
const THREE: Site = {
  epoch: 'E1',
  relationships: GROUPS.map((group) => row(kind, USER, group, { isFriend: group === '10' })),
  photos: [
    { kind, owner: '9', audience: 0, at: 30 },
    { kind, owner: '10', audience: 0, at: 20 },
    { kind, owner: '10', audience: 1, at: 40 },
    { kind, owner: '100', audience: 0, at: 10 },
  ],
};

const WHOLE: Omit<Scenario, 'name' | 'site' | 'menu' | 'users'> = {
  kinds: [kind],
  max: 2,
  min: 1,
  pageSize: 500,
  index: 'warm',
  actions: 2,
  faults: ANY_FAULT,
  faultsAtMost: 1,
  workers: 2,
  publish: 'after',
  versions: false,
};

/** 1 user, 3 groups, max 2, min 1; warm, two workers, two actions. */
export function groups(name: string, changes: Partial<Scenario>): Scenario {
  return { ...WHOLE, name, users: [USER], site: THREE, menu: MENU, ...changes };
}

const GROUP = '7';
const MEMBERS = ['9', '10'] as const;

/** Each member is in two more groups, which never change. */
const MEMBERSHIPS: Site = {
  epoch: 'E1',
  relationships: MEMBERS.flatMap((user) => [row(kind, user, GROUP), row(kind, user, '3'), row(kind, user, '4')]),
  photos: [
    { kind, owner: '3', audience: 0, at: 20 },
    { kind, owner: '4', audience: 0, at: 10 },
    { kind, owner: GROUP, audience: 0, at: 15 },
    { kind, owner: GROUP, audience: 1, at: 30 },
  ],
};

/** 1 group, 2 members, pages of one, two workers, two actions. */
export function members(name: string, changes: Partial<Scenario>): Scenario {
  const menu: Menu = {
    pairs: MEMBERS.map((user) => ({ kind, user, contact: GROUP })),
    grants: MEMBERS.map((user) => ({ kind, user, contact: GROUP })),
    uploads: [5, 45].map((at) => ({ kind, owner: GROUP, audience: 0, at }) as const),
    owners: [{ kind, owner: GROUP }],
    audiences: [0, 1, 4],
  };
  return { ...WHOLE, name, users: MEMBERS, pageSize: 2, site: MEMBERSHIPS, menu, ...changes };
}

const BOTH = ['contacts', 'groups'] as const;

/** The contacts and the groups have the same ids, and their photos other times: nothing but the kind tells them apart. */
const TWINS: Site = {
  epoch: 'E1',
  relationships: BOTH.flatMap((of) => GROUPS.map((id) => row(of, USER, id))),
  photos: [
    { kind: 'contacts', owner: '9', audience: 0, at: 30 },
    { kind: 'contacts', owner: '10', audience: 0, at: 20 },
    { kind: 'contacts', owner: '100', audience: 0, at: 10 },
    { kind: 'groups', owner: '9', audience: 0, at: 15 },
    { kind: 'groups', owner: '10', audience: 0, at: 25 },
    { kind: 'groups', owner: '100', audience: 0, at: 35 },
  ],
};

/** 1 user with 3 contacts and 3 groups: two indexes of one user in one Redis, under one epoch. */
export function bothKinds(name: string, changes: Partial<Scenario>): Scenario {
  const pairs = BOTH.flatMap((of) => ['9', '100'].map((contact) => ({ kind: of, user: USER, contact })));
  const menu: Menu = {
    pairs,
    grants: [],
    uploads: BOTH.map((of) => ({ kind: of, owner: '9', audience: 0, at: 45 }) as const),
    owners: BOTH.map((of) => ({ kind: of, owner: '10' })),
    audiences: [0, 4],
    settings: [USER],
  };
  return { ...WHOLE, kinds: BOTH, name, users: [USER], site: TWINS, menu, ...changes };
}
