import fc from 'fast-check';
import type { Id } from '../../src/contracts/id.ts';
import type { JournalPhoto } from '../../src/tools/demo/play/journal-photo.ts';
import type { Audience } from '../../src/tools/reference-site/checks.ts';
import { changeVisibility, deletePhoto, uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import {
  addContact,
  changeRelationship,
  type Grant,
  removeContact,
} from '../../src/tools/reference-site/relationships.ts';
import { inTransaction, leaveTask } from '../../src/tools/reference-site/transaction.ts';
import { createUsers, deleteUser } from '../../src/tools/reference-site/users.ts';
import { CAST, MINUTES, timeAt } from './cast.ts';
import { describeGroupMove, type GroupMove, groupMove, performOfGroup } from './group-moves.ts';
import { changingAll, leavingAll, type Site } from './site.ts';

/** An action of a person on the site. An impossible one does nothing. */
export type Move =
  | GroupMove
  /** `at`: when an added relationship begins, if there is none. */
  | {
      readonly kind: 'add' | 'change';
      readonly user: Id;
      readonly contact: Id;
      readonly grant: Grant;
      readonly at: number;
    }
  | { readonly kind: 'remove'; readonly user: Id; readonly contact: Id }
  | { readonly kind: 'upload'; readonly owner: Id; readonly audience: Audience; readonly at: number }
  /** `nth` of the owner's photos, modulo their number. */
  | { readonly kind: 'delete'; readonly owner: Id; readonly nth: number }
  | { readonly kind: 'show'; readonly owner: Id; readonly nth: number; readonly audience: Audience }
  | { readonly kind: 'leave' | 'join' | 'suspend' | 'readmit'; readonly user: Id };

/** A change of a relationship. */
export type Relating = Move & { readonly kind: 'add' | 'change' | 'remove' };

/** Some people are more active than others, so that their changes collide. */
export const member = fc.nat(11).map((n): Id => CAST[[0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 4][n] ?? 0] ?? CAST[0]);
const audience = fc.constantFrom<Audience>(0, 0, 1, 2, 3, 4);
const granted = fc.record({ friend: fc.boolean(), family: fc.boolean() });
const nth = fc.nat(5);
const at = fc.integer({ min: 1, max: MINUTES }).map(timeAt);
const pair = fc.tuple(member, member).filter(([user, contact]) => user !== contact);

const related = fc.tuple(pair, granted, fc.constantFrom('add' as const, 'add' as const, 'change' as const), at);

const granting = related.map(
  ([[user, contact], grant, kind, ms]): Relating => ({ kind, user, contact, grant, at: ms }),
);
const removing = pair.map(([user, contact]): Relating => ({ kind: 'remove', user, contact }));

export const relating: fc.Arbitrary<Relating> = fc.oneof(
  { weight: 2, arbitrary: granting },
  { weight: 1, arbitrary: removing },
);

export const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 12, arbitrary: groupMove(member) },
  { weight: 10, arbitrary: granting },
  { weight: 5, arbitrary: removing },
  {
    weight: 6,
    arbitrary: fc
      .tuple(member, audience, at)
      .map(([owner, to, ms]): Move => ({ kind: 'upload', owner, audience: to, at: ms })),
  },
  {
    weight: 5,
    arbitrary: fc.tuple(member, nth).map(([owner, place]): Move => ({ kind: 'delete', owner, nth: place })),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(member, nth, audience)
      .map(([owner, place, to]): Move => ({ kind: 'show', owner, nth: place, audience: to })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(member, fc.constantFrom('leave' as const, 'join' as const))
      .map(([user, kind]): Move => ({ kind, user })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(member, fc.constantFrom('suspend' as const, 'readmit' as const))
      .map(([user, kind]): Move => ({ kind, user })),
  },
);

/** Does the move in a real transaction and in the journal. False: it was not possible. @throws Error when the site misbehaves */
export async function perform(made: Move, site: Site): Promise<boolean> {
  switch (made.kind) {
    case 'add':
    case 'change':
    case 'remove':
      return await relate(made, site);
    case 'upload':
      return await upload(made, site);
    case 'delete':
    case 'show':
      return await alter(made, site);
    case 'leave':
      return await leave(made.user, site);
    case 'join':
      return await join(made.user, site);
    case 'suspend':
    case 'readmit':
      return await switchAll(made.user, made.kind === 'readmit', site);
    default:
      return await performOfGroup(made, site);
  }
}

export function canRelate({ kind, user, contact }: Relating, { journal, absent }: Site): boolean {
  if (absent.has(user) || absent.has(contact)) return false;
  return kind === 'add' || journal.relationship(user, contact).active;
}

async function relate(made: Relating, site: Site): Promise<boolean> {
  const { pool, journal } = site;
  const { kind, user, contact } = made;
  const before = journal.relationship(user, contact);
  if (!canRelate(made, site)) return false;
  const state = kind === 'remove' ? { ...before, active: false } : { active: true, ...made.grant };
  await journal.changeRelationship(user, contact, state, async () => {
    if (kind === 'add') await addContact(pool, user, contact, made.grant, made.at);
    else if (kind === 'change') done(await changeRelationship(pool, user, contact, made.grant));
    else done(await removeContact(pool, user, contact));
  });
  return true;
}

async function upload({ owner, audience, at }: Move & { kind: 'upload' }, site: Site): Promise<boolean> {
  if (site.absent.has(owner)) return false;
  await site.journal.upload(owner, audience, at, () => uploadPhoto(site.pool, owner, audience, at));
  return true;
}

async function alter(made: Move & { kind: 'delete' | 'show' }, { pool, journal }: Site): Promise<boolean> {
  const photos = journal.photosOf(made.owner);
  const photo = photos[made.nth % Math.max(1, photos.length)];
  if (photo?.id === undefined) return false;
  const { id, timeline } = photo;
  if (made.kind === 'delete') {
    await journal.changePhoto(photo, undefined, async () => done(await deletePhoto(pool, id)));
    return true;
  }
  if (timeline.latest === made.audience) return false;
  await journal.changePhoto(photo, made.audience, async () => done(await changeVisibility(pool, id, made.audience)));
  return true;
}

/** Deletes a user with all of their relationships, in both directions, memberships and photos. */
async function leave(user: Id, { pool, journal, absent }: Site): Promise<boolean> {
  if (absent.has(user)) return false;
  const pairs = CAST.flatMap((other) => [
    { user, contact: other },
    { user: other, contact: user },
  ]);
  const ended = pairs
    .map((one) => ({ ...one, before: journal.relationship(one.user, one.contact) }))
    .filter(({ before }) => before.active)
    .map(({ before, ...one }) => ({ ...one, state: { ...before, active: false } }));
  const photos: JournalPhoto[] = journal.photosOf(user);
  const groups = journal.groups.groupsOf(user).flatMap(([group, isMember]) => (isMember ? [group] : []));
  const deleted = async () => done(await deleteUser(pool, user));
  await changingAll(journal, ended, photos, () => leavingAll(journal, user, groups, deleted));
  absent.add(user);
  return true;
}

async function join(user: Id, { pool, absent }: Site): Promise<boolean> {
  if (!absent.delete(user)) return false;
  await createUsers(pool, [user]);
  return true;
}

const SWITCH = `
  UPDATE contacts SET active = ?, version = version + 1
  WHERE user_id = ? AND contact_id = ? AND active <> ?`;

/** Ends or restores every relationship from and to a user: one transaction, and one task for all of them. */
async function switchAll(user: Id, active: boolean, { pool, journal, absent }: Site): Promise<boolean> {
  if (absent.has(user)) return false;
  const others = CAST.filter((other) => other !== user && !absent.has(other));
  const changed = others
    .flatMap((other) => [
      { user, contact: other },
      { user: other, contact: user },
    ])
    .map((one) => ({ ...one, before: journal.relationship(one.user, one.contact) }))
    .filter(({ before }) => before.active !== active)
    .map(({ before, ...one }) => ({ ...one, state: { ...before, active } }));
  if (changed.length === 0) return false;
  await changingAll(journal, changed, [], () =>
    inTransaction(pool, async (connection) => {
      for (const { user: from, contact } of changed) await connection.execute(SWITCH, [active, from, contact, active]);
      await leaveTask(connection, { type: 'recency.user.changed', user });
    }),
  );
  return true;
}

/** The journal knows the state, so the site must have carried out the move. */
function done(result: boolean | string | null): void {
  if (result === false || result === null) throw new Error('the site did not carry out the move');
}

export function describeMove(made: Move): string {
  switch (made.kind) {
    case 'add':
    case 'change':
      return `${made.kind} ${made.user} → ${made.contact}${made.grant.friend ? ' friend' : ''}${made.grant.family ? ' family' : ''}${made.kind === 'add' ? ` at ${made.at}` : ''}`;
    case 'remove':
      return `remove ${made.user} → ${made.contact}`;
    case 'upload':
      return `upload by ${made.owner} for ${made.audience} at ${made.at}`;
    case 'delete':
      return `delete photo ${made.nth} of ${made.owner}`;
    case 'show':
      return `show photo ${made.nth} of ${made.owner} to ${made.audience}`;
    case 'leave':
    case 'join':
    case 'suspend':
    case 'readmit':
      return `${made.kind} ${made.user}`;
    default:
      return describeGroupMove(made);
  }
}
