import { describe, expect, test } from 'vitest';
import {
  AnswerComparer,
  type ComparedAnswer,
  type ComparerOptions,
  containsAllUntil,
} from '../../../../src/tools/demo/page/comparer.ts';

const NOW = Date.UTC(2026, 4, 1);
const iso = (at: number) => new Date(at).toISOString();

const TRUTH = [
  { id: '7', at: NOW - 1_000 },
  { id: '8', at: NOW - 2_000 },
];

function answerOf(rows: typeof TRUTH, certificate: Partial<ComparedAnswer['answer']> = {}): ComparedAnswer {
  const contacts = rows.map(({ id, at }) => ({ id, last_upload_at: iso(at) }));
  const usual = { source: 'index', exact: true, complete: true, floor: null } as const;
  return { contacts, answer: { ...usual, as_of: iso(NOW + 500), lag_ms: 100, ...certificate } };
}

/** A comparer of these answers, one after the other, the last one again and again, and of what plain SQL says in turn. */
function comparerOf(answers: readonly (ComparedAnswer | number)[], more: Partial<ComparerOptions> = {}) {
  let asked = 0;
  const get = async () => {
    const answer = answers[Math.min(asked++, answers.length - 1)];
    return typeof answer === 'number' ? { status: answer, body: '' } : { status: 200, body: JSON.stringify(answer) };
  };
  const still = { changes: () => 0, isResting: () => false, clock: () => NOW, againMs: 1 };
  const comparer = new AnswerComparer({
    api: { get },
    plain: async () => TRUTH,
    nextUser: () => '1',
    ...still,
    ...more,
  });
  return { comparer, asked: () => asked, compare: () => comparer.compareOne(new AbortController().signal) };
}

const NONE = { compared: 0, wrong: 0, notExact: 0, changed: 0, unanswered: 0 };

describe('the comparer', () => {
  test('finds an answer right that is what plain SQL says', async () => {
    const { comparer, compare } = comparerOf([answerOf(TRUTH)]);
    await compare();
    expect(comparer.counts).toEqual({ ...NONE, compared: 1 });
    expect(comparer.example).toBeUndefined();
  });

  test.each([
    ['lacks somebody', TRUTH.slice(1)],
    ['has another order', TRUTH.toReversed()],
    ['has an old time', TRUTH.map(({ id, at }) => ({ id, at: at - 1 }))],
    ['shows one more', [...TRUTH, { id: '9', at: NOW - 3_000 }]],
  ])('finds an answer wrong that %s', async (_what, rows) => {
    const { comparer, compare } = comparerOf([answerOf(rows)]);
    await compare();
    expect(comparer.counts).toEqual({ ...NONE, compared: 1, wrong: 1 });
    expect(comparer.example).toMatch(/^user 1: plain SQL/);
  });

  test('reads again until the answer must have what plain SQL had', async () => {
    const old = answerOf(TRUTH.slice(1), { as_of: iso(NOW + 50) });
    const { comparer, asked, compare } = comparerOf([old, old, answerOf(TRUTH)]);
    await compare();
    expect(asked()).toBe(3);
    expect(comparer.counts).toEqual({ ...NONE, compared: 1 });
  });

  test.each([
    ['says that it is not exact', [answerOf([], { exact: false })], {}, { notExact: 1 }],
    ['is refused', [503], {}, { unanswered: 1 }],
  ])('counts apart what %s', async (_what, answers, more, counted) => {
    const { comparer, compare } = comparerOf(answers, more);
    await compare();
    expect(comparer.counts).toEqual({ ...NONE, ...counted });
  });

  test('does not judge while the list changes, or the page has changed the site', async () => {
    let reads = 0;
    const plain = async () => (reads++ % 2 === 0 ? TRUTH : TRUTH.slice(1));
    let changes = 0;
    for (const more of [{ plain }, { changes: () => changes++ }]) {
      const { comparer, compare } = comparerOf([answerOf([])], more);
      await compare();
      expect(comparer.counts).toEqual({ ...NONE, changed: 1 });
    }
  });

  test('takes an answer of plain SQL, which has no lag, as of its own time', () => {
    expect(containsAllUntil({ as_of: iso(NOW), lag_ms: null })).toBe(NOW);
    expect(containsAllUntil({ as_of: iso(NOW), lag_ms: 30 })).toBe(NOW - 30);
  });
});
