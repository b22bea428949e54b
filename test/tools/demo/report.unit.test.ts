import { describe, expect, test } from 'vitest';
import { isRight } from '../../../src/tools/demo/report.ts';

const none = { missing: 0, hole: 0, ghost: 0, score: 0, cap: 0, floor: 0, torn: 0, wrong_type: 0, truth: 0 };
const verify = {
  ...{ users: 1, warm: 1, cold: 0, wrong: 0, visible: 0, unsettled: 0, seconds: 1 },
  ...{ classes: none, visible_classes: none, truth: { pairs: 1, wrong: 0 } },
  ...{ answers_checked: 1, answers_wrong: 0, answers_unsettled: 0, columns: { users: 1, wrong: 0 } },
  odd_rows: { null: 0, negative: 0, future: 0, duplicate: 0, self: 0, bad_id: 0 },
  ...{ wrong_users: [], wrong_answers: [], wrong_columns: [], wrong_pairs: [], failed: 0, failed_users: [] },
  last_uploads: { contacts: 'column' as const },
};
const push = { missed: 0, wrong_ids: 0, not_visible: 0 };
const right = {
  feed: 'outbox' as const,
  outbox_rows: 9,
  reads: 1,
  reads_wrong: 0,
  withdrawal_right: true,
  push,
  verify,
};

describe('a demonstration is right', () => {
  test('when nothing was wrong at any time', () => expect(isRight(right)).toBe(true));

  test.each([
    ['an answer read meanwhile was wrong', { ...right, reads_wrong: 1 }],
    ['no answer was read', { ...right, reads: 0 }],
    ['what was withdrawn was still shown', { ...right, withdrawal_right: false }],
    ['a watch was not told', { ...right, push: { ...push, missed: 1 } }],
    ['a watch was told twice under two ids', { ...right, push: { ...push, wrong_ids: 1 } }],
    ['a watch was told of what nobody may see', { ...right, push: { ...push, not_visible: 1 } }],
    ['an index is wrong', { ...right, verify: { ...verify, wrong: 1 } }],
    ['an answer is wrong afterwards', { ...right, verify: { ...verify, answers_wrong: 1 } }],
    ['of a user it could not be told', { ...right, verify: { ...verify, unsettled: 1 } }],
    ['of an answer it could not be told', { ...right, verify: { ...verify, answers_unsettled: 1 } }],
    ['a column of the site is wrong', { ...right, verify: { ...verify, columns: { users: 1, wrong: 1 } } }],
    ['the views contradict one another', { ...right, verify: { ...verify, truth: { pairs: 1, wrong: 1 } } }],
    ['a user could not be verified', { ...right, verify: { ...verify, failed: 1 } }],
    [
      'nobody was verified of one kind',
      { ...right, verify: { ...verify, kinds: { contacts: verify, groups: { ...verify, users: 0 } } } },
    ],
    ['a site that is captured wrote to its outbox', { ...right, feed: 'capture' as const }],
    ['nobody was verified', { ...right, verify: { ...verify, users: 0 } }],
  ])('but not when %s', (_what, report) => expect(isRight(report)).toBe(false));
});
