import fc from 'fast-check';
import type { Id } from '../../src/contracts/id.ts';
import { joinGroup, leaveGroup } from '../../src/tools/reference-site/groups.ts';
import { addToPool, removeFromPool } from '../../src/tools/reference-site/pools.ts';
import { GROUPS, MINUTES, timeAt } from './cast.ts';
import type { Site } from './site.ts';

/** An action of a member. An impossible one does nothing. */
export type GroupMove =
  /** `at`: when the membership begins, if there is none. */
  | { readonly kind: 'enter'; readonly user: Id; readonly group: Id; readonly at: number }
  | { readonly kind: 'quit'; readonly user: Id; readonly group: Id }
  /** `nth` of the owner's photos, modulo their number; `at`: when it is added. */
  | { readonly kind: 'pool'; readonly group: Id; readonly owner: Id; readonly nth: number; readonly at: number }
  /** `nth` of the pool's photos. */
  | { readonly kind: 'unpool'; readonly group: Id; readonly nth: number };

/** Some groups are changed more than others, so that the changes collide. */
const group = fc.nat(8).map((n): Id => GROUPS[[0, 0, 0, 0, 1, 1, 1, 2, 3][n] ?? 0] ?? GROUPS[0]);
const nth = fc.nat(5);
const at = fc.integer({ min: 1, max: MINUTES }).map(timeAt);

/** @param member somebody of the cast */
export function groupMove(member: fc.Arbitrary<Id>): fc.Arbitrary<GroupMove> {
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(member, group, at).map(([user, to, ms]): GroupMove => {
        return { kind: 'enter', user, group: to, at: ms };
      }),
    },
    {
      weight: 3,
      arbitrary: fc.tuple(member, group).map(([user, from]): GroupMove => ({ kind: 'quit', user, group: from })),
    },
    {
      weight: 6,
      arbitrary: fc.tuple(group, member, nth, at).map(([to, owner, place, ms]): GroupMove => {
        return { kind: 'pool', group: to, owner, nth: place, at: ms };
      }),
    },
    {
      weight: 3,
      arbitrary: fc.tuple(group, nth).map(([from, place]): GroupMove => ({ kind: 'unpool', group: from, nth: place })),
    },
  );
}

/** Does the move in a real transaction and in the journal. False: it was not possible. @throws Error when the site misbehaves */
export async function performOfGroup(made: GroupMove, site: Site): Promise<boolean> {
  switch (made.kind) {
    case 'enter':
      return await enter(made, site);
    case 'quit':
      return await quit(made, site);
    case 'pool':
      return await pool(made, site);
    case 'unpool':
      return await unpool(made, site);
  }
}

async function enter({ user, group, at }: GroupMove & { kind: 'enter' }, site: Site): Promise<boolean> {
  if (site.absent.has(user)) return false;
  await site.journal.groups.changeMembership(user, group, true, () => joinGroup(site.pool, user, group, at));
  return true;
}

async function quit({ user, group }: GroupMove & { kind: 'quit' }, site: Site): Promise<boolean> {
  if (!site.journal.groups.isMember(user, group)) return false;
  await site.journal.groups.changeMembership(user, group, false, async () =>
    done((await leaveGroup(site.pool, user, group)) !== null),
  );
  return true;
}

async function pool({ group, owner, nth, at }: GroupMove & { kind: 'pool' }, site: Site): Promise<boolean> {
  const { groups } = site.journal;
  const photos = site.journal.photosOf(owner);
  const photo = photos[nth % Math.max(1, photos.length)];
  if (photo?.id === undefined || groups.pooledIn(group).some((pooled) => pooled.photo === photo)) return false;
  const { id } = photo;
  await groups.addToPool(group, photo, at, async () => done(await addToPool(site.pool, group, id, at)));
  return true;
}

async function unpool({ group, nth }: GroupMove & { kind: 'unpool' }, site: Site): Promise<boolean> {
  const pooled = site.journal.groups.pooledIn(group);
  const one = pooled[nth % Math.max(1, pooled.length)];
  const id = one?.photo.id;
  if (one === undefined || id === undefined) return false;
  await site.journal.groups.removeFromPool(one, async () => done(await removeFromPool(site.pool, group, id)));
  return true;
}

/** The journal knows the state, so the site must have carried out the move. */
function done(result: boolean): void {
  if (!result) throw new Error('the site did not carry out the move');
}

export function describeGroupMove(made: GroupMove): string {
  switch (made.kind) {
    case 'enter':
      return `${made.user} joins group ${made.group} at ${made.at}`;
    case 'quit':
      return `${made.user} leaves group ${made.group}`;
    case 'pool':
      return `photo ${made.nth} of ${made.owner} is added to group ${made.group} at ${made.at}`;
    case 'unpool':
      return `photo ${made.nth} of group ${made.group} is removed`;
  }
}
