import type { Id } from '../../../contracts/id.ts';
import type { Audience } from '../../reference-site/checks.ts';
import type { Journal, JournalPhoto, RelationshipState } from './journal.ts';
import type { Span } from './timeline.ts';

/** What an answer showed: a photo of the contact's, to the user. */
export interface Shown {
  readonly user: Id;
  readonly contact: Id;
  /** Its time, ms since 1970 UTC. */
  readonly at: number;
  /** Undefined where the answer names only the time. */
  readonly photo?: Id;
}

/** What an answer must never hold, not even while tasks are on their way. */
export type Wrong = 'not_a_contact' | 'unseen_photo';

/**
 * Was the contact one at some moment of the span, and did the user see the photo at some moment of it? A moment within a
 * transaction under way counts as its before and as its after.
 * @param span from before the question was sent until its answer was there
 * @returns undefined: both
 */
export function judge(journal: Journal, shown: Shown, span: Span): Wrong | undefined {
  const { user, contact, at, photo } = shown;
  const states = [...journal.relationshipWithin(user, contact, span)];
  if (!states.some(({ state }) => state.active)) return 'not_a_contact';
  const photos = journal.photosOfTime(contact, at).filter(({ id }) => isSame(photo, id));
  return photos.some((one) => wasVisible(journal, user, one, span)) ? undefined : 'unseen_photo';
}

/** A photo whose upload has not returned may be any that the answer names. */
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
