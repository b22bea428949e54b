import { describe, expect, it } from 'vitest';
import { type RaiseBarrier, type Suspect, sharedBarrier } from '../../src/index/drain-barrier.ts';
import { Confirmer, type Mismatches, type MismatchKind, type Recurrence } from '../../src/repair/confirm.ts';
import { neverPassed } from '../support/barriers.ts';

/** Barriers that pass at the given question. */
function passedAfter(questions: number) {
  const raised: (readonly Suspect[])[] = [];
  const raiseBarrier: RaiseBarrier = async (suspects) => {
    raised.push(suspects);
    let asked = 0;
    return sharedBarrier(async () => asked++ >= questions);
  };
  return { raiseBarrier, raised };
}

function confirmer(raiseBarrier: RaiseBarrier, settleMs = 10_000, graceMs = 0) {
  return new Confirmer({ raiseBarrier, graceMs, settleMs, pollMs: 20, now: () => performance.now() });
}

/** What each look finds, in order. */
function looks(...found: Mismatches<string>[]) {
  const asked: (readonly string[])[] = [];
  const look = async (users: readonly string[]) => {
    asked.push(users);
    return found[asked.length - 1] ?? new Map();
  };
  return { look, asked };
}

/** 'a1' and 'a2' look the same but are different mismatches; both concern the contact a. */
const KIND: MismatchKind<string> = {
  recurrence: (a, b): Recurrence => (a === b ? 'lasting' : a[0] === b[0] ? 'recurring' : undefined),
  contactsOf: ([contact]) => [contact],
};
const mismatches = (of: Record<string, string[]>): Mismatches<string> => new Map(Object.entries(of));

describe('a mismatch', () => {
  it('is confirmed when it is still there after all pending work was processed', async () => {
    const { raiseBarrier, raised } = passedAfter(3);
    const { look, asked } = looks(mismatches({ 1: ['a', 'c'] }));
    const first = mismatches({ 1: ['a', 'b'], 2: [] });
    const { confirmed, unsettled } = await confirmer(raiseBarrier).confirm(first, look, KIND);
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

  it('is no drift when it is gone by then', async () => {
    const { look } = looks(mismatches({ 1: [] }));
    const found = await confirmer(passedAfter(1).raiseBarrier).confirm(mismatches({ 1: ['a'] }), look, KIND);
    expect(found).toEqual({ confirmed: new Map(), unsettled: [] });
  });

  it('that is new at the second look gets a barrier of its own', async () => {
    const { raiseBarrier, raised } = passedAfter(0);
    const { look, asked } = looks(mismatches({ 1: ['b'], 2: ['x'] }), mismatches({ 1: ['b'] }));
    const { confirmed } = await confirmer(raiseBarrier).confirm(mismatches({ 1: ['a'], 2: ['x'] }), look, KIND);
    expect([...confirmed]).toEqual([
      ['2', ['x']],
      ['1', ['b']],
    ]);
    expect(asked).toEqual([['1', '2'], ['1']]);
    expect(raised).toHaveLength(2);
  });

  it('that is a new one at every look leaves the user unsettled', async () => {
    const { look, asked } = looks(
      mismatches({ 1: ['b'] }),
      mismatches({ 1: ['c'] }),
      mismatches({ 1: ['d'] }),
      mismatches({ 1: ['e'] }),
    );
    const found = await confirmer(passedAfter(0).raiseBarrier).confirm(mismatches({ 1: ['a'] }), look, KIND);
    expect(found).toEqual({ confirmed: new Map(), unsettled: ['1'] });
    expect(asked).toHaveLength(4);
  });

  it('that looks the same but may be a new one is confirmed when it is there at every look', async () => {
    const { look, asked } = looks(
      mismatches({ 1: ['a2', 'x'], 2: ['b2'], 3: ['c2'] }),
      mismatches({ 1: ['a3', 'y'], 2: ['b3'], 3: [] }),
      mismatches({ 1: ['a4'], 2: ['d'] }),
      mismatches({ 1: ['a5'], 2: ['b5'] }),
    );
    const first = mismatches({ 1: ['a1', 'y'], 2: ['b1'], 3: ['c1'] });
    const { confirmed, unsettled } = await confirmer(passedAfter(0).raiseBarrier).confirm(first, look, KIND);
    expect([...confirmed]).toEqual([['1', ['a5']]]);
    expect(unsettled).toEqual(['2']);
    expect(asked).toHaveLength(4);
  });

  it('leaves the user unsettled when pending work is not done in time, and no second look is taken', async () => {
    const { look, asked } = looks();
    const found = await confirmer(neverPassed, 60).confirm(mismatches({ 1: ['a'], 2: [] }), look, KIND);
    expect(found).toEqual({ confirmed: new Map(), unsettled: ['1'] });
    expect(asked).toEqual([]);
  });

  it('gets a grace period for publishing before the barrier is raised', async () => {
    let raisedAt = 0;
    const raiseBarrier: RaiseBarrier = async () => {
      raisedAt = performance.now();
      return sharedBarrier(async () => true);
    };
    const seen = performance.now();
    await confirmer(raiseBarrier, 1_000, 60).confirm(mismatches({ 1: ['a'] }), looks().look, KIND);
    expect(raisedAt - seen).toBeGreaterThan(55);
  });

  it('is no longer waited for after the signal', async () => {
    const { look } = looks();
    const signal = AbortSignal.timeout(20);
    await expect(confirmer(neverPassed).confirm(mismatches({ 1: ['a'] }), look, KIND, signal)).rejects.toThrow(
      /abort/i,
    );
  });
});

describe('a barrier that holds only some suspects when the time is over', () => {
  /** Holds the contact a of user 1 for ever. */
  const holding: RaiseBarrier = async (suspects) => {
    const isHeld = ({ user, contact }: Suspect) => user === '1' && contact === 'a';
    return { passed: async () => !suspects.some(isHeld), holds: isHeld };
  };

  it('leaves only those unsettled, not other users or contacts', async () => {
    const { look, asked } = looks(mismatches({ 1: ['a', 'b'], 2: ['a'], 3: [] }));
    const first = mismatches({ 1: ['a', 'b'], 2: ['a'], 3: ['c'] });
    const { confirmed, unsettled } = await confirmer(holding, 60).confirm(first, look, KIND);
    expect([...confirmed]).toEqual([
      ['1', ['b']],
      ['2', ['a']],
    ]);
    expect(unsettled).toEqual([]); // that something is left open does not hide what is wrong
    expect(asked).toEqual([['1', '2', '3']]);
  });

  it('is not waited for again by suspects it held once', async () => {
    const { look, asked } = looks(mismatches({ 1: ['a', 'c'], 2: ['b'] }), mismatches({ 1: ['a'], 2: ['b'] }));
    const begun = performance.now();
    const { confirmed, unsettled } = await confirmer(holding, 1_000).confirm(
      mismatches({ 1: ['a', 'b'], 2: ['a'] }),
      look,
      KIND,
    );
    expect(performance.now() - begun).toBeLessThan(1_990);
    expect([...confirmed]).toEqual([['2', ['b']]]);
    expect(unsettled).toEqual(['1']);
    expect(asked).toEqual([
      ['1', '2'],
      ['1', '2'],
    ]);
  });
});

describe('a first look that finds nothing', () => {
  it('raises no barrier and takes no second look', async () => {
    const { raiseBarrier, raised } = passedAfter(0);
    const { look, asked } = looks();
    await confirmer(raiseBarrier).confirm(mismatches({ 1: [], 2: [] }), look, KIND);
    expect([raised.length, asked.length]).toEqual([0, 0]);
  });
});
