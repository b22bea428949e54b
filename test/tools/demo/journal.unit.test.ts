import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import type { PooledPhoto } from '../../../src/tools/demo/play/group-journal.ts';
import { Journal, type RelationshipState } from '../../../src/tools/demo/play/journal.ts';
import type { JournalPhoto } from '../../../src/tools/demo/play/journal-photo.ts';
import { judge } from '../../../src/tools/demo/play/judge.ts';
import type { Audience } from '../../../src/tools/reference-site/checks.ts';

const [USER, CONTACT] = ['1', '2'];
const AT = 1_000;
const contactOnly: RelationshipState = { active: true, friend: false, family: false };
const gone: RelationshipState = { active: false, friend: false, family: false };

/** A journal whose clock the test moves. */
function journalAt(clock: { ms: number }): Journal {
  return new Journal(() => clock.ms);
}

/** Makes a change that is called, committed and returned at these moments; `look` is what somebody sees between. */
async function takes(
  clock: { ms: number },
  from: number,
  until: number,
  change: (commit: () => Promise<void>) => Promise<unknown>,
) {
  clock.ms = from;
  await change(async () => {
    clock.ms = until;
  });
}

function judgeAt(journal: Journal, from: number, until: number) {
  return judge(journal, { user: USER, contact: CONTACT, at: AT }, { from, until });
}

describe('a contact who is removed', () => {
  async function removedBetween(from: number, until: number) {
    const clock = { ms: 0 };
    const journal = journalAt(clock);
    journal.rememberRelationship(USER, CONTACT, contactOnly);
    journal.rememberPhoto('9', CONTACT, 0, AT);
    await takes(clock, from, until, (commit) => journal.changeRelationship(USER, CONTACT, gone, commit));
    return journal;
  }

  test('may be shown while the removal is under way, and not afterwards', async () => {
    const journal = await removedBetween(10, 20);
    expect(judgeAt(journal, 5, 9)).toBeUndefined();
    expect(judgeAt(journal, 12, 15)).toBeUndefined();
    expect(judgeAt(journal, 20, 30)).toBeUndefined();
    expect(judgeAt(journal, 21, 30)).toBe('not_a_contact');
  });

  test('who was never one is wrong at any time', () => {
    const journal = journalAt({ ms: 0 });
    journal.rememberPhoto('9', CONTACT, 0, AT);
    expect(judgeAt(journal, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)).toBe('not_a_contact');
  });
});

describe('a photo', () => {
  const GRANTS: readonly RelationshipState[] = [
    gone,
    contactOnly,
    { active: true, friend: true, family: false },
    { active: true, friend: false, family: true },
    { active: false, friend: true, family: true },
  ];
  /** By audience, then by what the owner grants: may the user see it? */
  const SEEN: readonly (readonly boolean[])[] = [
    [true, true, true, true, true],
    [false, false, true, false, false],
    [false, false, false, true, false],
    [false, false, true, true, false],
    [false, false, false, false, false],
  ];

  test.each([0, 1, 2, 3, 4] as const)('of audience %i is seen as the owner grants', (audience) => {
    const seen = GRANTS.map((grant) => {
      const journal = journalAt({ ms: 0 });
      journal.rememberRelationship(USER, CONTACT, contactOnly);
      journal.rememberRelationship(CONTACT, USER, grant);
      journal.rememberPhoto('9', CONTACT, audience, AT);
      return judgeAt(journal, 1, 2) === undefined;
    });
    expect(seen).toEqual(SEEN[audience]);
  });

  test('of which there was none at that time is wrong', () => {
    const journal = journalAt({ ms: 0 });
    journal.rememberRelationship(USER, CONTACT, contactOnly);
    journal.rememberPhoto('9', CONTACT, 0, AT + 1);
    expect(judgeAt(journal, 1, 2)).toBe('unseen_photo');
  });

  test('is possible from the call of its upload on, before its id is known', async () => {
    const clock = { ms: 10 };
    const journal = journalAt(clock);
    journal.rememberRelationship(USER, CONTACT, contactOnly);
    await journal.upload(CONTACT, 0, AT, async () => {
      expect(
        judge(journal, { user: USER, contact: CONTACT, at: AT, photo: '9' }, { from: 11, until: 12 }),
      ).toBeUndefined();
      expect(judgeAt(journal, 5, 9)).toBe('unseen_photo');
      clock.ms = 20;
      return '9';
    });
    expect(judge(journal, { user: USER, contact: CONTACT, at: AT, photo: '8' }, { from: 11, until: 12 })).toBe(
      'unseen_photo',
    );
  });

  test('for friends is wrong when it came only after the friend was none any more', async () => {
    const clock = { ms: 0 };
    const journal = journalAt(clock);
    journal.rememberRelationship(USER, CONTACT, contactOnly);
    journal.rememberRelationship(CONTACT, USER, { active: true, friend: true, family: false });
    await takes(clock, 10, 11, (commit) => journal.changeRelationship(CONTACT, USER, contactOnly, commit));
    clock.ms = 12;
    await journal.upload(CONTACT, 1, AT, async () => '9');
    expect(judgeAt(journal, 9, 20)).toBe('unseen_photo');
  });
});

describe('a photo in the pool of a group', () => {
  const GROUP = '3';
  const LATER = 2_000;

  async function pooledUntil(leaves: (journal: Journal, commit: () => Promise<void>) => Promise<unknown>) {
    const clock = { ms: 0 };
    const journal = journalAt(clock);
    const photo = journal.rememberPhoto('9', CONTACT, 0, AT);
    journal.groups.rememberMembership(USER, GROUP, true);
    journal.groups.rememberPooled(GROUP, photo, LATER);
    await takes(clock, 10, 20, (commit) => leaves(journal, commit));
    return (from: number, until: number) =>
      judge(journal, { user: USER, group: GROUP, at: LATER, photo: '9' }, { from, until });
  }
  const photoIn = ({ groups }: Journal) => groups.pooledIn(GROUP)[0] as PooledPhoto;

  test.each<[string, (journal: Journal, commit: () => Promise<void>) => Promise<unknown>, string]>([
    ['it is removed', (journal, commit) => journal.groups.removeFromPool(photoIn(journal), commit), 'unseen_photo'],
    ['it is for friends', (journal, commit) => journal.changePhoto(photoIn(journal).photo, 1, commit), 'unseen_photo'],
    [
      'it is deleted',
      (journal, commit) => journal.changePhoto(photoIn(journal).photo, undefined, commit),
      'unseen_photo',
    ],
    ['the user leaves', ({ groups }, commit) => groups.changeMembership(USER, GROUP, false, commit), 'not_a_member'],
  ])('may be shown until %s', async (_what, leaves, wrong) => {
    const judged = await pooledUntil(leaves);
    expect(judged(5, 9)).toBeUndefined();
    expect(judged(12, 15)).toBeUndefined();
    expect(judged(20, 30)).toBeUndefined();
    expect(judged(21, 30)).toBe(wrong);
  });

  test('that was added when it had ceased to be public is wrong, and then possible again once it is', async () => {
    const clock = { ms: 0 };
    const journal = journalAt(clock);
    const photo = journal.rememberPhoto('9', CONTACT, 4, AT);
    await takes(clock, 1, 2, (commit) => journal.groups.changeMembership(USER, GROUP, true, commit));
    await takes(clock, 3, 4, (commit) => journal.groups.addToPool(GROUP, photo, LATER, commit));
    await takes(clock, 10, 11, (commit) => journal.changePhoto(photo, 0, commit));
    const judged = (from: number, until: number) =>
      judge(journal, { user: USER, group: GROUP, at: LATER }, { from, until });
    expect([judged(0, 0), judged(5, 9), judged(5, 10)]).toEqual(['not_a_member', 'unseen_photo', undefined]);
  });
});

/** A change of the photo or of a relationship; each takes some time, and one follows the other. */
type Change =
  | { kind: 'related' | 'grants'; state: RelationshipState; took: number }
  | { kind: 'photo'; state: Audience | undefined; took: number };

const state = fc.record({ active: fc.boolean(), friend: fc.boolean(), family: fc.boolean() });
const took = fc.integer({ min: 0, max: 5 });
const audience = fc.constantFrom<Audience | undefined>(0, 1, 2, 3, 4, undefined);
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constantFrom('related' as const, 'grants' as const), state, took }),
  fc.record({ kind: fc.constant('photo' as const), state: audience, took }),
);

interface Truth {
  related: RelationshipState;
  grants: RelationshipState;
  photo: Audience | undefined;
}

function isShown({ related, grants, photo }: Truth): boolean {
  if (!related.active || photo === undefined) return false;
  const granted = [true, grants.friend, grants.family, grants.friend || grants.family, false][photo] === true;
  return photo === 0 || (grants.active && granted);
}

describe('judging', () => {
  test.prop([fc.array(change, { maxLength: 12 }), fc.nat(), fc.integer({ min: 0, max: 10 })])(
    'never calls wrong what the database held at some moment of the read',
    async (changes, start, length) => {
      const clock = { ms: 0 };
      const journal = journalAt(clock);
      const truth: Truth = { related: gone, grants: gone, photo: 0 };
      journal.rememberPhoto('9', CONTACT, 0, AT);
      const [photo] = journal.photosOf(CONTACT) as [JournalPhoto];
      const moments: { at: number; shown: boolean }[] = [{ at: 0, shown: false }];
      for (const { kind, state: next, took: ms } of changes) {
        clock.ms += 1;
        const commit = async () => {
          clock.ms += Math.ceil(ms / 2);
          Object.assign(truth, { [kind]: next });
          moments.push({ at: clock.ms, shown: isShown(truth) });
          clock.ms += Math.floor(ms / 2);
        };
        if (kind === 'photo') await journal.changePhoto(photo, next, commit);
        else if (kind === 'related') await journal.changeRelationship(USER, CONTACT, next, commit);
        else await journal.changeRelationship(CONTACT, USER, next, commit);
      }
      const from = start % (clock.ms + 1);
      const span = { from, until: from + length };
      const held = moments.some(
        ({ at, shown }, i) =>
          shown && at <= span.until && (moments[i + 1]?.at ?? Number.POSITIVE_INFINITY) >= span.from,
      );
      if (held) expect(judge(journal, { user: USER, contact: CONTACT, at: AT }, span)).toBeUndefined();
    },
  );
});
