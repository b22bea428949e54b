import { describe, expect, it } from 'vitest';
import { inTurn, type RaiseBarrier, type Suspect, sharedBarrier } from '../../src/index/drain-barrier.ts';
import { Confirmer, type Mismatches, type MismatchKind, type Recurrence } from '../../src/repair/confirm.ts';
import { neverPassed } from '../support/barriers.ts';

/** Each barrier is passed after so many questions. */
function passedAfter(questions: number) {
  const raised: (readonly Suspect[])[] = [];
  const raiseBarrier: RaiseBarrier = async (suspects) => {
    raised.push(suspects);
    let asked = 0;
    return sharedBarrier(async () => asked++ >= questions);
  };
  return { raiseBarrier, raised };
}

function belief(raiseBarrier: RaiseBarrier, settleMs = 10_000, graceMs = 0) {
  return new Confirmer({ raiseBarrier, graceMs, settleMs, pollMs: 20, now: () => performance.now() });
}

/** What each look finds, one after the other. */
function looks(...found: Mismatches<string>[]) {
  const asked: (readonly string[])[] = [];
  const look = async (users: readonly string[]) => {
    asked.push(users);
    return found[asked.length - 1] ?? new Map();
  };
  return { look, asked };
}

/** 'a1' and 'a2' look the same, and are not; both are about the contact a. */
const KIND: MismatchKind<string> = {
  recurrence: (a, b): Recurrence => (a === b ? 'lasting' : a[0] === b[0] ? 'recurring' : undefined),
  contactsOf: ([contact]) => [contact],
};
const doubts = (of: Record<string, string[]>): Mismatches<string> => new Map(Object.entries(of));

describe('a mismatch', () => {
  it('is confirmed when it is still there after everything was processed', async () => {
    const { raiseBarrier, raised } = passedAfter(3);
    const { look, asked } = looks(doubts({ 1: ['a', 'c'] }));
    const first = doubts({ 1: ['a', 'b'], 2: [] });
    const { confirmed, unsettled } = await belief(raiseBarrier).confirm(first, look, KIND);
    expect([...confirmed]).toEqual([['1', ['a']]]);
    expect(unsettled).toEqual([]);
    expect(asked).toEqual([['1']]);
    expect(raised).toEqual([
      [
        { user: '1', contact: 'a' },
        { user: '1', contact: 'b' },
      ],
    ]);
  });

  it('was on its way when it is gone by then', async () => {
    const { look } = looks(doubts({ 1: [] }));
    const found = await belief(passedAfter(1).raiseBarrier).confirm(doubts({ 1: ['a'] }), look, KIND);
    expect(found).toEqual({ confirmed: new Map(), unsettled: [] });
  });

  it('that is another one at the second look is waited for anew', async () => {
    const { raiseBarrier, raised } = passedAfter(0);
    const { look, asked } = looks(doubts({ 1: ['b'], 2: ['x'] }), doubts({ 1: ['b'] }));
    const { confirmed } = await belief(raiseBarrier).confirm(doubts({ 1: ['a'], 2: ['x'] }), look, KIND);
    expect([...confirmed]).toEqual([
      ['2', ['x']],
      ['1', ['b']],
    ]);
    expect(asked).toEqual([['1', '2'], ['1']]);
    expect(raised).toHaveLength(2);
  });

  it('that is another one at every look is not told', async () => {
    const { look, asked } = looks(
      doubts({ 1: ['b'] }),
      doubts({ 1: ['c'] }),
      doubts({ 1: ['d'] }),
      doubts({ 1: ['e'] }),
    );
    const found = await belief(passedAfter(0).raiseBarrier).confirm(doubts({ 1: ['a'] }), look, KIND);
    expect(found).toEqual({ confirmed: new Map(), unsettled: ['1'] });
    expect(asked).toHaveLength(4);
  });

  it('that looks the same and may be another one is confirmed when it is there at every look', async () => {
    const { look, asked } = looks(
      doubts({ 1: ['a2', 'x'], 2: ['b2'], 3: ['c2'] }),
      doubts({ 1: ['a3', 'y'], 2: ['b3'], 3: [] }),
      doubts({ 1: ['a4'], 2: ['d'] }),
      doubts({ 1: ['a5'], 2: ['b5'] }),
    );
    const first = doubts({ 1: ['a1', 'y'], 2: ['b1'], 3: ['c1'] });
    const { confirmed, unsettled } = await belief(passedAfter(0).raiseBarrier).confirm(first, look, KIND);
    expect([...confirmed]).toEqual([['1', ['a5']]]);
    expect(unsettled).toEqual(['2']);
    expect(asked).toHaveLength(4);
  });

  it('is not told when what is on its way does not arrive in time, and nobody looks again', async () => {
    const { look, asked } = looks();
    const found = await belief(neverPassed, 60).confirm(doubts({ 1: ['a'], 2: [] }), look, KIND);
    expect(found).toEqual({ confirmed: new Map(), unsettled: ['1'] });
    expect(asked).toEqual([]);
  });

  it('is given a moment to be published before the barrier is put up', async () => {
    let raisedAt = 0;
    const raiseBarrier: RaiseBarrier = async () => {
      raisedAt = performance.now();
      return sharedBarrier(async () => true);
    };
    const seen = performance.now();
    await belief(raiseBarrier, 1_000, 60).confirm(doubts({ 1: ['a'] }), looks().look, KIND);
    expect(raisedAt - seen).toBeGreaterThan(55);
  });

  it('is waited for only until the signal', async () => {
    const { look } = looks();
    const signal = AbortSignal.timeout(20);
    await expect(belief(neverPassed).confirm(doubts({ 1: ['a'] }), look, KIND, signal)).rejects.toThrow(/abort/i);
  });
});

describe('a barrier that holds only some when time is up', () => {
  /** Held for ever: the contact a of user 1. */
  const holding: RaiseBarrier = async (suspects) => {
    const isHeld = ({ user, contact }: Suspect) => user === '1' && contact === 'a';
    return { passed: async () => !suspects.some(isHeld), holds: isHeld };
  };

  it('leaves open those, and neither other users nor other contacts', async () => {
    const { look, asked } = looks(doubts({ 1: ['a', 'b'], 2: ['a'], 3: [] }));
    const first = doubts({ 1: ['a', 'b'], 2: ['a'], 3: ['c'] });
    const { confirmed, unsettled } = await belief(holding, 60).confirm(first, look, KIND);
    expect([...confirmed]).toEqual([
      ['1', ['b']],
      ['2', ['a']],
    ]);
    expect(unsettled).toEqual([]); // that something is left open does not hide what is wrong
    expect(asked).toEqual([['1', '2', '3']]);
  });

  it('is not waited for again by what was held once', async () => {
    const { look, asked } = looks(doubts({ 1: ['a', 'c'], 2: ['b'] }), doubts({ 1: ['a'], 2: ['b'] }));
    const begun = performance.now();
    const { confirmed, unsettled } = await belief(holding, 200).confirm(
      doubts({ 1: ['a', 'b'], 2: ['a'] }),
      look,
      KIND,
    );
    expect(performance.now() - begun).toBeLessThan(390);
    expect([...confirmed]).toEqual([['2', ['b']]]);
    expect(unsettled).toEqual(['1']);
    expect(asked).toEqual([
      ['1', '2'],
      ['1', '2'],
    ]);
  });
});

describe('nothing doubted', () => {
  it('asks nobody', async () => {
    const { raiseBarrier, raised } = passedAfter(0);
    const { look, asked } = looks();
    await belief(raiseBarrier).confirm(doubts({ 1: [], 2: [] }), look, KIND);
    expect([raised.length, asked.length]).toEqual([0, 0]);
  });
});

describe('places that a task goes through in turn', () => {
  const ONE: Suspect = { user: '1', contact: 'a' };
  const OTHER: Suspect = { user: '2', contact: undefined };

  /** A place that holds whoever is in `held`. */
  function place(name: string, held: Set<string | undefined>, events: string[]): RaiseBarrier {
    return async (suspects) => {
      const who = suspects.map(({ user }) => user).join();
      events.push(`${name}: ${who}`);
      const holds = ({ user }: Suspect) => held.has(user);
      return {
        passed: async () => {
          events.push(`${name}: ${who}?`);
          return !suspects.some(holds);
        },
        holds,
      };
    };
  }

  it('get their barriers one after the other, each when the one before it was passed', async () => {
    const events: string[] = [];
    const [first, second] = [new Set<string | undefined>(['1']), new Set<string | undefined>(['1'])];
    const barrier = await inTurn([place('outbox', first, events), place('topic', second, events)])([ONE]);
    expect(await barrier.passed()).toBe(false);
    expect(events.splice(0)).toEqual(['outbox: 1', 'outbox: 1?']);
    first.clear();
    expect(await barrier.passed()).toBe(false);
    expect(events.splice(0)).toEqual(['outbox: 1?', 'topic: 1', 'topic: 1?']);
    expect(barrier.holds(ONE)).toBe(true);
    first.add('1');
    second.clear();
    expect(await barrier.passed()).toBe(true);
    expect(events.splice(0)).toEqual(['topic: 1?']);
    expect(barrier.holds(ONE)).toBe(false);
    expect(await barrier.passed()).toBe(true);
  });

  it('let those go on whom a place does not hold', async () => {
    const events: string[] = [];
    const [first, second] = [new Set<string | undefined>(['1']), new Set<string | undefined>(['2'])];
    const barrier = await inTurn([place('late', first, events), place('topic', second, events)])([ONE, OTHER]);
    expect(await barrier.passed()).toBe(false);
    expect(events.splice(0)).toEqual(['late: 1,2', 'late: 1,2?', 'topic: 2', 'topic: 2?']);
    second.clear();
    expect(await barrier.passed()).toBe(false);
    expect([ONE, OTHER].map((suspect) => barrier.holds(suspect))).toEqual([true, false]);
    first.clear();
    events.splice(0);
    expect(await barrier.passed()).toBe(true);
    expect(events).toEqual(['late: 1,2?', 'topic: 1', 'topic: 1?']);
  });

  it('hold those still whose next barrier could not be put up', async () => {
    let isAway = true;
    const away: RaiseBarrier = async () => {
      if (isAway) throw new Error('away');
      return sharedBarrier(async () => true);
    };
    const barrier = await inTurn([async () => sharedBarrier(async () => true), away])([ONE]);
    await expect(barrier.passed()).rejects.toThrow('away');
    expect(barrier.holds(ONE)).toBe(true);
    isAway = false;
    expect(await barrier.passed()).toBe(true);
  });
});
