import { describe, expect, it } from 'vitest';
import { inTurn, type Settled } from '../src/index/settled.ts';
import { Belief, type Doubts, type Recurrence } from '../src/repair/belief.ts';

/** Settles after so many questions for each mark. */
function settledAfter(questions: number) {
  let marks = 0;
  const settled: Settled = {
    mark: async () => {
      marks++;
      return { asked: 0 };
    },
    reached: async (mark) => (mark as { asked: number }).asked++ >= questions,
  };
  return { settled, marks: () => marks };
}

const never: Settled = { mark: async () => 0, reached: async () => false };

function belief(settled: Settled, settleMs = 10_000, graceMs = 0) {
  return new Belief({ settled, graceMs, settleMs, pollMs: 20, now: () => performance.now() });
}

/** What each look finds, one after the other. */
function looks(...found: Doubts<string>[]) {
  const asked: (readonly string[])[] = [];
  const look = async (users: readonly string[]) => {
    asked.push(users);
    return found[asked.length - 1] ?? new Map();
  };
  return { look, asked };
}

/** 'a1' and 'a2' look the same, and are not. */
const recurrence = (a: string, b: string): Recurrence =>
  a === b ? 'lasting' : a[0] === b[0] ? 'recurring' : undefined;
const doubts = (of: Record<string, string[]>): Doubts<string> => new Map(Object.entries(of));

describe('a mismatch', () => {
  it('is believed when it is still there after everything was processed', async () => {
    const { settled, marks } = settledAfter(3);
    const { look, asked } = looks(doubts({ 1: ['a', 'c'] }));
    const { believed, unsettled } = await belief(settled).confirm(doubts({ 1: ['a', 'b'], 2: [] }), look, recurrence);
    expect([...believed]).toEqual([['1', ['a']]]);
    expect(unsettled).toEqual([]);
    expect(asked).toEqual([['1']]);
    expect(marks()).toBe(1);
  });

  it('was on its way when it is gone by then', async () => {
    const { look } = looks(doubts({ 1: [] }));
    const found = await belief(settledAfter(1).settled).confirm(doubts({ 1: ['a'] }), look, recurrence);
    expect(found).toEqual({ believed: new Map(), unsettled: [] });
  });

  it('that is another one at the second look is waited for anew', async () => {
    const { settled, marks } = settledAfter(0);
    const { look, asked } = looks(doubts({ 1: ['b'], 2: ['x'] }), doubts({ 1: ['b'] }));
    const { believed } = await belief(settled).confirm(doubts({ 1: ['a'], 2: ['x'] }), look, recurrence);
    expect([...believed]).toEqual([
      ['2', ['x']],
      ['1', ['b']],
    ]);
    expect(asked).toEqual([['1', '2'], ['1']]);
    expect(marks()).toBe(2);
  });

  it('that is another one at every look is not told', async () => {
    const { look, asked } = looks(
      doubts({ 1: ['b'] }),
      doubts({ 1: ['c'] }),
      doubts({ 1: ['d'] }),
      doubts({ 1: ['e'] }),
    );
    const found = await belief(settledAfter(0).settled).confirm(doubts({ 1: ['a'] }), look, recurrence);
    expect(found).toEqual({ believed: new Map(), unsettled: ['1'] });
    expect(asked).toHaveLength(4);
  });

  it('that looks the same and may be another one is believed when it is there at every look', async () => {
    const { look, asked } = looks(
      doubts({ 1: ['a2', 'x'], 2: ['b2'], 3: ['c2'] }),
      doubts({ 1: ['a3', 'y'], 2: ['b3'], 3: [] }),
      doubts({ 1: ['a4'], 2: ['d'] }),
      doubts({ 1: ['a5'], 2: ['b5'] }),
    );
    const first = doubts({ 1: ['a1', 'y'], 2: ['b1'], 3: ['c1'] });
    const { believed, unsettled } = await belief(settledAfter(0).settled).confirm(first, look, recurrence);
    expect([...believed]).toEqual([['1', ['a5']]]);
    expect(unsettled).toEqual(['2']);
    expect(asked).toHaveLength(4);
  });

  it('is not told when what is on its way does not arrive in time, and nobody looks again', async () => {
    const { look, asked } = looks();
    const found = await belief(never, 60).confirm(doubts({ 1: ['a'], 2: [] }), look, recurrence);
    expect(found).toEqual({ believed: new Map(), unsettled: ['1'] });
    expect(asked).toEqual([]);
  });

  it('is given a moment to be published before anything is marked', async () => {
    let marked = 0;
    const settled: Settled = { mark: async () => (marked = performance.now()), reached: async () => true };
    const seen = performance.now();
    await belief(settled, 1_000, 60).confirm(doubts({ 1: ['a'] }), looks().look, recurrence);
    expect(marked - seen).toBeGreaterThan(55);
  });

  it('is waited for only until the signal', async () => {
    const { look } = looks();
    const signal = AbortSignal.timeout(20);
    await expect(belief(never).confirm(doubts({ 1: ['a'] }), look, recurrence, signal)).rejects.toThrow(/abort/i);
  });
});

describe('nothing doubted', () => {
  it('asks nobody', async () => {
    const { settled, marks } = settledAfter(0);
    const { look, asked } = looks();
    await belief(settled).confirm(doubts({ 1: [], 2: [] }), look, recurrence);
    expect([marks(), asked.length]).toEqual([0, 0]);
  });
});

describe('places that a task goes through in turn', () => {
  it('are marked one after the other, each when the one before it was passed', async () => {
    const events: string[] = [];
    const place = (name: string, open: () => boolean): Settled => ({
      mark: async () => events.push(`mark ${name}`) && name,
      reached: async (mark) => {
        events.push(`ask ${mark}`);
        return open();
      },
    });
    let first = false;
    let second = false;
    const settled = inTurn([place('outbox', () => first), place('topic', () => second)]);
    const mark = await settled.mark();
    expect(await settled.reached(mark)).toBe(false);
    expect(events.splice(0)).toEqual(['mark outbox', 'ask outbox']);
    first = true;
    expect(await settled.reached(mark)).toBe(false);
    expect(events.splice(0)).toEqual(['ask outbox', 'mark topic', 'ask topic']);
    first = false;
    second = true;
    expect(await settled.reached(mark)).toBe(true);
    expect(events.splice(0)).toEqual(['ask topic']);
    expect(await settled.reached(mark)).toBe(true);
  });
});
