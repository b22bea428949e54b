import { describe, expect, it } from 'vitest';
import { EVERYBODY, type RaiseBarrier, sharedBarrier } from '../../src/index/drain-barrier.ts';
import type { GroupPositions } from '../../src/transport/task-source.ts';
import { type Transport, withBulkLane } from '../../src/transport/transport.ts';

/** A lane whose barriers are passed when the test says so: one turn for each that was raised. */
function lane(name: string) {
  const turns: boolean[] = [];
  const raise: RaiseBarrier = async () => {
    const turn = turns.push(false) - 1;
    return sharedBarrier(async () => turns[turn] === true);
  };
  const positions: GroupPositions = {
    placesOf: () => [name],
    owns: (place) => place === name,
    endOf: async () => `end of ${name}`,
    isPast: async (place) => place === name,
  };
  const closed: string[] = [];
  const transport = { barrier: raise, strictBarrier: raise, positions, close: async () => void closed.push(name) };
  return { turns, closed, transport: transport as unknown as Transport };
}

describe('two lanes', () => {
  it.each(['barrier', 'strictBarrier'] as const)(
    'have drained (%s) when the small lane has, then the bulk lane, then what its plans left there',
    async (which) => {
      const [small, bulk] = [lane('small'), lane('bulk')];
      const both = withBulkLane(small.transport, bulk.transport);
      const barrier = await both[which]([EVERYBODY]);
      expect([await barrier.passed(), small.turns.length, bulk.turns.length]).toEqual([false, 1, 0]);
      small.turns[0] = true;
      expect([await barrier.passed(), bulk.turns.length]).toEqual([false, 1]);
      bulk.turns[0] = true;
      expect([await barrier.passed(), bulk.turns.length]).toEqual([false, 2]);
      bulk.turns[1] = true;
      expect([await barrier.passed(), small.turns.length, bulk.turns.length]).toEqual([true, 1, 2]);
    },
  );

  it('know the places of both, each by its own lane', async () => {
    const { positions } = withBulkLane(lane('small').transport, lane('bulk').transport);
    expect(['small', 'bulk', 'other'].map((place) => positions.owns(place))).toEqual([true, true, false]);
    for (const place of ['small', 'bulk']) {
      expect(await positions.endOf(place)).toBe(`end of ${place}`);
      expect(await positions.isPast(place, '0')).toBe(true);
    }
  });

  it('are closed together', async () => {
    const [small, bulk] = [lane('small'), lane('bulk')];
    await withBulkLane(small.transport, bulk.transport).close();
    expect([...small.closed, ...bulk.closed]).toEqual(['small', 'bulk']);
  });
});
