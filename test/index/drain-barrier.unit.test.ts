import { describe, expect, it } from 'vitest';
import { inTurn, type RaiseBarrier, type Suspect, sharedBarrier } from '../../src/index/drain-barrier.ts';

describe('barriers in turn', () => {
  const ONE: Suspect = { user: '1', contact: 'a' };
  const OTHER: Suspect = { user: '2', contact: undefined };

  /** A barrier that holds the users in `held`. */
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

  it('are raised one after the other, each when the one before has passed', async () => {
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

  it('release suspects that a barrier does not hold', async () => {
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

  it('keep holding suspects whose next barrier could not be raised', async () => {
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
