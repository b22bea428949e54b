import { describe, expect, it } from 'vitest';
import { type Answer, findWrong, type Sample } from './failover-judge.ts';

const sample = (begun: number, contacts: readonly (readonly [string, number])[]): Sample => ({
  begun,
  ended: begun + 1,
  truth: new Map([['1', new Map(contacts)]]),
});

/** Contact 101 uploads at 200, contact 102 goes at 300; looked at every 100 ms. */
const RECORD = {
  contacts: ['101', '102', '103'],
  samples: [
    sample(100, [
      ['101', 10],
      ['102', 20],
    ]),
    sample(200, [
      ['101', 150],
      ['102', 20],
    ]),
    sample(300, [['101', 150]]),
    sample(400, [['101', 150]]),
  ],
  uncertain: [],
  limit: 2,
};

function answer(upTo: number, arrivedAt: number, rows: readonly (readonly [string, number])[]): Answer {
  const shown = rows.map(([id, at]) => ({ id, at }));
  return { user: '1', sentAt: upTo, arrivedAt, rows: shown, exact: true, source: 'index', upTo };
}

const BEFORE = [
  ['102', 20],
  ['101', 10],
] as const;
const BETWEEN = [
  ['101', 150],
  ['102', 20],
] as const;
const AFTER = [['101', 150]] as const;

describe('the judge of answers during a failover', () => {
  it.each([
    ['what was so when it was sent', answer(110, 120, BEFORE)],
    ['what was so in between', answer(110, 290, BETWEEN)],
    ['what is so since it was sent', answer(110, 350, AFTER)],
    [
      'one contact before a change of another',
      answer(110, 350, [
        ['101', 150],
        ['102', 20],
      ]),
    ],
  ])('accepts %s', (_, given) => {
    expect(findWrong(given, RECORD)).toBeUndefined();
  });

  it.each([
    ['lacks an upload', answer(250, 290, BEFORE), 'contact 101 is shown with 10, and was 150'],
    ['shows a contact that has gone', answer(350, 390, BETWEEN), 'contact 102 is shown with 20, and was '],
    ['lacks a contact', answer(210, 220, [['102', 20]]), 'contact 101 is shown with undefined, and was 150'],
    [
      'shows a stranger',
      answer(350, 390, [
        ['101', 150],
        ['103', 5],
      ]),
      'contact 103 is shown with 5, and was ',
    ],
    [
      'is not in order',
      answer(110, 120, [
        ['101', 10],
        ['102', 20],
      ]),
      'not newest first',
    ],
    ['does not know its lag', answer(Number.NaN, 120, BEFORE), 'exact, and its lag is not known'],
  ])('finds an answer that %s', (_, given, wrong) => {
    expect(findWrong(given, RECORD)).toBe(wrong);
  });

  it('says nothing of a contact while nobody knows whether its change was committed', () => {
    const uncertain = [{ contact: '101', from: 260, until: 280 }];
    expect(findWrong(answer(250, 290, BEFORE), { ...RECORD, uncertain })).toBeUndefined();
    expect(findWrong(answer(285, 290, BEFORE), { ...RECORD, uncertain })).toBe(
      'contact 101 is shown with 10, and was 150',
    );
  });
});
