import type { Id } from '../../../contracts/id.ts';
import type { Audience } from '../../reference-site/checks.ts';
import type { Journal, RelationshipState } from './journal.ts';
import type { JournalPhoto } from './journal-photo.ts';
import type { Span } from './timeline.ts';

/** An item of an answer: the user was shown this photo of the contact, or in the group. */
export type Shown = ShownPhoto & ({ readonly contact: Id } | { readonly group: Id });

interface ShownPhoto {
  readonly user: Id;
  /** Its time, in a group that of its addition: ms since 1970 UTC. */
  readonly at: number;
  /** Undefined if the answer has only the time. */
  readonly photo?: Id;
}

/** What an answer must never contain, not even while tasks are in flight. */
export type Wrong = 'not_a_contact' | 'not_a_member' | 'unseen_photo';

/**
 * Checks that the user had the contact, or was a member of the group, at some moment of the span, and that the user could
 * see the photo there at some moment of it. During a transaction, both its before and its after are possible.
 * @param span from before the request was sent until the answer had arrived
 * @returns undefined if both hold
 */
export function judge(journal: Journal, shown: Shown, span: Span): Wrong | undefined {
  return 'group' in shown ? judgeOfGroup(journal, shown, span) : judgeOfContact(journal, shown, span);
}

function judgeOfContact(journal: Journal, shown: ShownPhoto & { contact: Id }, span: Span): Wrong | undefined {
  const { user, contact, at, photo } = shown;
  const states = [...journal.relationshipWithin(user, contact, span)];
  if (!states.some(({ state }) => state.active)) return 'not_a_contact';
  const photos = journal.photosOfTime(contact, at).filter(({ id }) => isSame(photo, id));
  return photos.some((one) => wasVisible(journal, user, one, span)) ? undefined : 'unseen_photo';
}

function judgeOfGroup({ groups }: Journal, shown: ShownPhoto & { group: Id }, span: Span): Wrong | undefined {
  const { user, group, at, photo } = shown;
  if (!groups.wasMember(user, group, span)) return 'not_a_member';
  const pooled = groups.pooledOfTime(group, at).filter((one) => isSame(photo, one.photo.id));
  const wasPublic = pooled.some((one) =>
    [...one.timeline.within(span)].some(({ state, span: inPool }) => state && isPublicWithin(one.photo, inPool)),
  );
  return wasPublic ? undefined : 'unseen_photo';
}

function isPublicWithin({ timeline }: JournalPhoto, span: Span): boolean {
  return [...timeline.within(span)].some(({ state }) => state === 0);
}

/** A photo whose upload has not returned may have any id. */
function isSame(named: Id | undefined, id: Id | undefined): boolean {
  return named === undefined || id === undefined || named === id;
}

function wasVisible(journal: Journal, viewer: Id, photo: JournalPhoto, span: Span): boolean {
  for (const { state: audience, span: existed } of photo.timeline.within(span)) {
    if (audience === 0) return true;
    if (audience === undefined) continue;
    for (const { state } of journal.relationshipWithin(photo.owner, viewer, existed)) {
      if (isGranted(audience, state)) return true;
    }
  }
  return false;
}

function isGranted(audience: Audience, { active, friend, family }: RelationshipState): boolean {
  const circles = [true, friend, family, friend || family, false];
  return audience === 0 || (active && circles[audience] === true);
}
