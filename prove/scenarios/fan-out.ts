import type { Menu } from '../site/actions.ts';
import type { Site } from '../site/site.ts';
import { ANY_FAULT } from './one-user.ts';
import type { Scenario } from './scenario.ts';

// Pages are in numeric order, where 9 comes before 10; in byte order it comes after.
const OWNER = '7';
const FOLLOWERS = ['9', '10'] as const;

/** Each follower has two more contacts, who never change; the owner ends up above, between and below them. */
const SITE: Site = {
  epoch: 'E1',
  relationships: [
    ...FOLLOWERS.flatMap((user) => [
      { user, contact: OWNER, active: true, isFriend: false, version: 1 },
      { user, contact: '3', active: true, isFriend: false, version: 1 },
      { user, contact: '4', active: true, isFriend: false, version: 1 },
    ]),
    { user: OWNER, contact: '9', active: true, isFriend: true, version: 1 },
    { user: OWNER, contact: '10', active: true, isFriend: false, version: 1 },
  ],
  photos: [
    { owner: '3', audience: 0, at: 20 },
    { owner: '4', audience: 0, at: 10 },
    { owner: OWNER, audience: 0, at: 15 },
    { owner: OWNER, audience: 1, at: 30 },
  ],
};

const MENU: Menu = {
  pairs: FOLLOWERS.map((user) => ({ user, contact: OWNER })),
  grants: FOLLOWERS.map((contact) => ({ user: OWNER, contact })),
  uploads: [5, 20, 45].map((at) => ({ owner: OWNER, audience: 0, at }) as const),
  owners: [OWNER],
  audiences: [0, 1, 4],
};

/** The owner is suspended, which ends every relationship with them at once. */
export const SUSPENSIONS: Menu = {
  ...MENU,
  uploads: [{ owner: OWNER, audience: 0, at: 45 }],
  audiences: [],
  suspensions: [OWNER],
};

/** 1 owner, 2 followers, pages of one, two workers, two actions. */
export function fanOut(name: string, changes: Partial<Scenario>): Scenario {
  return {
    name,
    users: FOLLOWERS,
    max: 2,
    min: 1,
    pageSize: 1,
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
