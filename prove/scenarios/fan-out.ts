import type { Menu } from '../site/actions.ts';
import type { Site } from '../site/site.ts';
import { ANY_FAULT } from './one-user.ts';
import type { Scenario } from './scenario.ts';

// Pages are in numeric order, where 9 comes before 10; in byte order it comes after.
const kind = 'contacts' as const;
const OWNER = '7';
const FOLLOWERS = ['9', '10'] as const;

/** Each follower has two more contacts, who never change; the owner ends up above, between and below them. */
const SITE: Site = {
  epoch: 'E1',
  relationships: [
    ...FOLLOWERS.flatMap((user) => [
      { kind, user, contact: OWNER, active: true, isFriend: false, version: 1 },
      { kind, user, contact: '3', active: true, isFriend: false, version: 1 },
      { kind, user, contact: '4', active: true, isFriend: false, version: 1 },
    ]),
    { kind, user: OWNER, contact: '9', active: true, isFriend: true, version: 1 },
    { kind, user: OWNER, contact: '10', active: true, isFriend: false, version: 1 },
  ],
  photos: [
    { kind, owner: '3', audience: 0, at: 20 },
    { kind, owner: '4', audience: 0, at: 10 },
    { kind, owner: OWNER, audience: 0, at: 15 },
    { kind, owner: OWNER, audience: 1, at: 30 },
  ],
};

const MENU: Menu = {
  pairs: FOLLOWERS.map((user) => ({ kind, user, contact: OWNER })),
  grants: FOLLOWERS.map((contact) => ({ kind, user: OWNER, contact })),
  uploads: [5, 20, 45].map((at) => ({ kind, owner: OWNER, audience: 0, at }) as const),
  owners: [{ kind, owner: OWNER }],
  audiences: [0, 1, 4],
};

/** The owner is suspended, which ends every relationship with them at once. */
export const SUSPENSIONS: Menu = {
  ...MENU,
  uploads: [{ kind, owner: OWNER, audience: 0, at: 45 }],
  audiences: [],
  suspensions: [OWNER],
};

/** The owner only uploads; who follows may change. */
export const AUDIENCE: Menu = {
  pairs: FOLLOWERS.map((user) => ({ kind, user, contact: OWNER })),
  grants: [],
  uploads: [35, 45].map((at) => ({ kind, owner: OWNER, audience: 0, at }) as const),
  owners: [],
  audiences: [],
};

/** 2 followers are more than a page: a plan cuts them into segments, of one follower each and one for followers who come later. */
export function segments(name: string, changes: Partial<Scenario>): Scenario {
  return fanOut(name, { pageSize: 1, menu: AUDIENCE, faultsAtMost: 0, ...changes });
}

/** 1 owner, 2 followers in one page, two workers, two actions. */
export function fanOut(name: string, changes: Partial<Scenario>): Scenario {
  return {
    name,
    kinds: [kind],
    users: FOLLOWERS,
    max: 2,
    min: 1,
    pageSize: 2,
    site: SITE,
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
