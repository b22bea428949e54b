import { describe, expect, it } from 'vitest';
import { type SlotsOfMaster, slotStates } from '../../src/redis/unsettled-slots.ts';

/** Three masters A, B and C; A has slots 0 to 9, B 10 to 19, C 20. */
function masters(changes: Partial<Record<'A' | 'B' | 'C', Partial<SlotsOfMaster>>> = {}): SlotsOfMaster[] {
  const none = { importing: new Map<number, string>(), migrating: new Map<number, string>() };
  const all: SlotsOfMaster[] = [
    { id: 'A', owned: [[0, 9]], withKeys: [1, 5], ...none },
    { id: 'B', owned: [[10, 19]], withKeys: [12], ...none },
    { id: 'C', owned: [[20, 20]], withKeys: [20], ...none },
  ];
  return all.map((master) => ({ ...master, ...changes[master.id as 'A' | 'B' | 'C'] }));
}

const unsettled = (all: SlotsOfMaster[]) => slotStates(all).map((one) => one.unsettled);

const SETTLED = [[], [], []];

describe('slots are settled', () => {
  it('while none moves', () => {
    expect(unsettled(masters())).toEqual(SETTLED);
    expect(slotStates(masters()).some(({ isMoving }) => isMoving)).toBe(false);
  });

  const migrating = new Map([[5, 'B']]);
  const importing = new Map([[5, 'A']]);
  const others: readonly (readonly [number, number])[] = [
    [0, 4],
    [6, 9],
  ];

  it.each<[string, SlotsOfMaster[]]>([
    ['has begun at the other master', masters({ B: { importing } })],
    ['goes on, with keys on both sides', masters({ A: { migrating }, B: { importing, withKeys: [5, 12] } })],
    [
      'is known to have ended to its former master alone',
      masters({ A: { owned: others, withKeys: [1] }, B: { importing, withKeys: [5] } }),
    ],
    [
      'has ended',
      masters({
        A: { owned: others, withKeys: [1] },
        B: {
          owned: [
            [5, 5],
            [10, 19],
          ],
          withKeys: [5],
        },
      }),
    ],
    ['is the slot of a master that does not answer', masters({ B: { importing, withKeys: [5] } }).slice(1)],
  ])('while the move of one %s', (_what, all) => {
    expect(unsettled(all).flat()).toEqual([]);
  });

  it.each<[string, SlotsOfMaster[], string[][]]>([
    ['broken off at its master', masters({ B: { importing, withKeys: [5] } }), [[], ['5'], []]],
    ['broken off at both', masters({ B: { withKeys: [5, 12] } }), [[], ['5'], []]],
    ['broken off at the other one', masters({ A: { migrating }, B: { withKeys: [5] } }), [[], ['5'], []]],
    [
      'made to a third one instead',
      masters({ A: { migrating: new Map([[5, 'C']]) }, B: { importing, withKeys: [5] }, C: { importing } }),
      [[], ['5'], []],
    ],
    [
      'made without its keys',
      masters({
        A: { owned: others },
        B: {
          owned: [
            [5, 5],
            [10, 19],
          ],
        },
      }),
      [['5'], [], []],
    ],
    ['made to a master that cannot be asked', masters({ A: { migrating: new Map([[5, 'D']]) } }), [['5->D'], [], []]],
  ])('but not if it was %s', (_what, all, expected) => {
    expect(unsettled(all)).toEqual(expected);
  });

  it('and it is said whether one moves', () => {
    expect(slotStates(masters({ A: { migrating }, B: { importing } })).map(({ isMoving }) => isMoving)).toEqual([
      true,
      true,
      false,
    ]);
  });
});
