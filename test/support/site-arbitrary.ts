import fc from 'fast-check';
import type { SitePhoto, SmallSite, Tie } from './small-site.ts';

/** Ids that sort differently as numbers, as text and by length; one is above 2^53. */
export const IDS = ['2', '9', '10', '100', '101', '20', '9007199254740993', '18446744073709551615'] as const;

/** Few different times, so that many are equal. */
export const time = fc.integer({ min: 1, max: 6 }).map((minute) => 1_083_412_800_000 + minute * 60_000);

const tie: fc.Arbitrary<Tie> = fc
  .record({
    user: fc.constantFrom(...IDS),
    contact: fc.constantFrom(...IDS),
    friend: fc.boolean(),
    family: fc.boolean(),
    active: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  })
  .filter(({ user, contact }) => user !== contact);

const photo: fc.Arbitrary<Omit<SitePhoto, 'id'>> = fc.record({
  owner: fc.constantFrom(...IDS),
  audience: fc.integer({ min: 0, max: 4 }),
  at: time,
});

/** Small sites: eight users with arbitrary relationships and photos. */
export const site: fc.Arbitrary<SmallSite> = fc.record({
  users: fc.constant(IDS),
  ties: fc.uniqueArray(tie, { selector: ({ user, contact }) => `${user} ${contact}`, minLength: 15, maxLength: 56 }),
  photos: fc
    .array(photo, { minLength: 5, maxLength: 40 })
    .map((photos) => photos.map((rest, i) => ({ id: String(i + 1), ...rest }))),
});
