import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ElapsedTime } from '../../src/timing/elapsed.ts';

it('is never shorter than what has passed, if the machine is suspended, or its time of day is set back', () => {
  const event = fc.record({
    does: fc.constantFrom('run', 'suspend', 'set back'),
    ms: fc.integer({ min: 1, max: 10_000 }),
  });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 50 }), (events) => {
      let [monotonic, timeOfDay, passed, suspended] = [5_000, 1_000_000, 0, 0];
      const elapsed = new ElapsedTime(
        () => monotonic,
        () => timeOfDay,
      );
      const start = elapsed.now();
      for (const { does, ms } of events) {
        if (does === 'run') monotonic += ms;
        if (does === 'suspend') suspended += ms;
        if (does === 'set back') timeOfDay -= ms;
        else [timeOfDay, passed] = [timeOfDay + ms, passed + ms];
        expect(elapsed.now() - start).toBeGreaterThanOrEqual(monotonic - 5_000);
      }
      expect(elapsed.now() - start).toBeGreaterThanOrEqual(passed - 50 * events.length);
      expect(elapsed.now() - start).toBeLessThanOrEqual(monotonic - 5_000 + suspended);
    }),
  );
});
