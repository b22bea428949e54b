import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LANES } from '../../src/contracts/bulk-task.ts';
import type { DrainBarrier, RaiseBarrier } from '../../src/index/drain-barrier.ts';
import { AppliedWatermark } from '../../src/query/applied-watermark.ts';

/** Changes on their way, and barriers behind those that are on their way, or lost, when they are raised. */
class Way {
  now = 0;
  /** When each change that is not applied was committed. */
  changes: readonly number[] = [];
  /** The same of changes that nobody will apply. */
  lost: readonly number[] = [];
  isAway = false;
  /** On a copy of the servers, where nothing is on its way. */
  isElsewhere = false;
  raised = 0;
  /** When the epoch began. */
  begun = Number.NEGATIVE_INFINITY;

  readonly epoch = async (): Promise<string> => {
    this.#mustAnswer();
    return this.isElsewhere ? 'of a copy' : String(this.begun);
  };

  /** When the oldest change was committed that an index of the epoch may lack. */
  get oldestMissing(): number | undefined {
    return [...this.changes, ...this.lost].filter((change) => change > this.begun).sort((a, b) => a - b)[0];
  }

  readonly raise = async (): Promise<DrainBarrier> => {
    this.#mustAnswer();
    this.raised += 1;
    const behind = new Set(this.isElsewhere ? [] : [...this.changes, ...this.lost]);
    const passed = async () => {
      this.#mustAnswer();
      return ![...this.changes, ...this.lost].some((change) => behind.has(change));
    };
    return { passed, holds: () => true };
  };

  #mustAnswer(): void {
    if (this.isAway) throw new Error('away');
  }
}

/** The bulk lane of a site where nobody has a large audience. */
const passedAtOnce: RaiseBarrier = async () => ({ passed: async () => true, holds: () => false });

/** Redis is on record throughout. */
const watch = { during: <T>(work: () => Promise<T>) => work() };

/** The original's servers are on record: it is seen after the work. */
const watchOf = (way: Way) => ({
  during: async <T>(work: () => Promise<T>) => {
    const result = await work();
    if (way.isElsewhere) throw new Error('it is not the one on record');
    return result;
  },
});

const watermarkOn = (way: Way) => {
  const barriers = { small: way.raise, bulk: passedAtOnce };
  return new AppliedWatermark({ barriers, watch: watchOf(way), epoch: way.epoch, now: () => way.now });
};

type Move =
  | { readonly kind: 'commit' | 'measure' | 'applyOldest' | 'applyNewest' | 'lose' | 'find' }
  | { readonly kind: 'away' | 'back' | 'elsewhere' | 'home' }
  | { readonly kind: 'wait'; readonly ms: number };

const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant({ kind: 'commit' } as const) },
    { weight: 6, arbitrary: fc.constant({ kind: 'measure' } as const) },
    { weight: 3, arbitrary: fc.constant({ kind: 'applyOldest' } as const) },
    { weight: 1, arbitrary: fc.constant({ kind: 'applyNewest' } as const) },
    { weight: 1, arbitrary: fc.constantFrom({ kind: 'away' } as const, { kind: 'back' } as const) },
    { weight: 2, arbitrary: fc.constantFrom({ kind: 'elsewhere' } as const, { kind: 'home' } as const) },
    { weight: 1, arbitrary: fc.constantFrom({ kind: 'lose' } as const, { kind: 'find' } as const) },
    { weight: 6, arbitrary: fc.integer({ min: 1, max: 1_000 }).map((ms) => ({ kind: 'wait', ms }) as const) },
  ),
  { maxLength: 120 },
);

async function make(way: Way, watermark: AppliedWatermark, move: Move): Promise<void> {
  const distinct = () => {
    way.now += 0.001;
    return way.now;
  };
  if (move.kind === 'wait') way.now += move.ms;
  else if (move.kind === 'commit') way.changes = [...way.changes, distinct()];
  else if (move.kind === 'applyOldest') way.changes = way.changes.slice(1);
  else if (move.kind === 'applyNewest') way.changes = way.changes.slice(0, -1);
  else if (move.kind === 'lose')
    [way.lost, way.changes] = [[...way.lost, ...way.changes.slice(0, 1)], way.changes.slice(1)];
  else if (move.kind === 'find') [way.begun, way.lost] = [distinct(), []];
  else if (move.kind === 'measure') await watermark.measure().catch(() => undefined);
  else if (move.kind === 'elsewhere' || move.kind === 'home') way.isElsewhere = move.kind === 'elsewhere';
  else way.isAway = move.kind === 'away';
}

describe('the lag of the indexes', () => {
  it('is never less than the age of the oldest change that is not applied', async () => {
    await fc.assert(
      fc.asyncProperty(moves, async (all) => {
        const way = new Way();
        const watermark = watermarkOn(way);
        for (const move of all) {
          await make(way, watermark, move);
          const lag = watermark.lagMs();
          const oldest = way.oldestMissing;
          if (lag !== undefined && oldest !== undefined) expect(lag).toBeGreaterThanOrEqual(way.now - oldest);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('is not measured by what was raised elsewhere', async () => {
    const way = new Way();
    const watermark = watermarkOn(way);
    way.changes = [1];
    [way.now, way.isElsewhere] = [1_000, true];
    await expect(watermark.measure()).rejects.toThrow('not the one on record');
    [way.now, way.isElsewhere] = [2_000, false];
    await watermark.measure();
    expect(watermark.lagMs()).toBeUndefined();
    way.changes = [];
    await watermark.measure();
    expect(watermark.lagMs()).toBe(0);
  });

  it('is the age of the last measurement when nothing is on its way', async () => {
    const way = new Way();
    const watermark = watermarkOn(way);
    expect(watermark.lagMs()).toBeUndefined();
    await watermark.measure();
    expect(watermark.lagMs()).toBe(0);
    way.now += 300;
    expect(watermark.lagMs()).toBe(300);
    await watermark.measure();
    expect(watermark.lagMs()).toBe(0);
  });

  it('is not known while what was on its way at the start has not arrived', async () => {
    const way = new Way();
    const watermark = watermarkOn(way);
    way.changes = [-5_000];
    for (let i = 0; i < 50; i++) {
      await watermark.measure();
      way.now += 500;
      expect(watermark.lagMs()).toBeUndefined();
    }
    way.changes = [];
    await watermark.measure();
    expect(watermark.lagMs()).toBe(0);
  });

  it('grows after a loss that nobody has found, and not after the new epoch', async () => {
    const way = new Way();
    const watermark = watermarkOn(way);
    await watermark.measure();
    way.lost = [way.now];
    for (let i = 0; i < 100; i++) {
      way.now += 500;
      await watermark.measure();
      expect(watermark.lagMs()).toBe(way.now);
    }
    way.begun = way.now + 1; // the barriers behind what is lost may never be passed
    way.now += 500;
    way.changes = [way.now];
    await watermark.measure();
    expect(watermark.lagMs()).toBe(500);
  });

  it('grows while a store is unavailable, and is right afterwards', async () => {
    const way = new Way();
    const watermark = watermarkOn(way);
    await watermark.measure();
    way.isAway = true;
    way.now += 10_000;
    await expect(watermark.measure()).rejects.toThrow('away');
    expect(watermark.lagMs()).toBe(10_000);
    way.isAway = false;
    await watermark.measure();
    expect(watermark.lagMs()).toBe(0);
  });

  it('is at most a third more than the lag of consumers that are behind, however far', async () => {
    for (const behind of [3_000, 60_000, 300_000]) {
      const way = new Way();
      const watermark = watermarkOn(way);
      await watermark.measure();
      // A change at each measurement is applied so much later.
      for (let i = 0; i < (4 * behind) / 500; i++) {
        way.now += 500;
        way.changes = [...way.changes.filter((change) => way.now - change < behind), way.now - 1];
        await watermark.measure();
        if (way.now > 2 * behind) expect(watermark.lagMs()).toBeLessThanOrEqual((behind * 4) / 3 + 1_000);
      }
    }
  });
});

it('grows while Redis is not known to be on record, even if every barrier is passed', async () => {
  const way = new Way();
  let isOnRecord = true;
  const during = async <T>(work: () => Promise<T>): Promise<T> => {
    const done = await work();
    if (isOnRecord) return done;
    throw new Error('not on record');
  };
  const barriers = { small: way.raise, bulk: way.raise };
  const watermark = new AppliedWatermark({ barriers, watch: { during }, epoch: way.epoch, now: () => way.now });
  await watermark.measure();
  isOnRecord = false;
  way.now += 1_000;
  await expect(watermark.measure()).rejects.toThrow('not on record');
  expect(watermark.lagMs()).toBe(1_000);
  isOnRecord = true;
  await watermark.measure();
  expect(watermark.lagMs()).toBe(0);
});

it('measuring ends at once when aborted, though a store does not answer', async () => {
  const ending = new AbortController();
  const asked = Promise.withResolvers<void>();
  const barrier = () => {
    asked.resolve();
    return new Promise<never>(() => undefined);
  };
  const barriers = { small: barrier, bulk: passedAtOnce };
  const running = new AppliedWatermark({ barriers, watch, epoch: async () => '', now: () => 0 }).run(ending.signal);
  await asked.promise;
  ending.abort();
  await running;
});

it('measuring goes on after an error, which is told', async () => {
  const way = new Way();
  way.isAway = true;
  const ending = new AbortController();
  const errors: unknown[] = [];
  const onError = (error: unknown) => {
    errors.push(error);
    way.isAway = false;
  };
  const parts = { watch, barriers: { small: way.raise, bulk: passedAtOnce }, epoch: way.epoch, now: () => way.now };
  const watermark = new AppliedWatermark({ ...parts, intervalMs: 1, onError });
  const running = watermark.run(ending.signal);
  await expect.poll(() => watermark.lagMs()).toBe(0);
  expect(errors).toEqual([new Error('away')]);
  ending.abort();
  await running;
});

it('measuring rests while no answer asks, the epoch is watched all the same, and the first answer ends the rest', async () => {
  const way = new Way();
  let epochs = 0;
  const epoch = async () => {
    epochs += 1;
    return await way.epoch();
  };
  const ending = new AbortController();
  const parts = { watch, barriers: { small: way.raise, bulk: passedAtOnce }, epoch, now: () => way.now };
  const watermark = new AppliedWatermark({ ...parts, intervalMs: 1, restMs: 2_000 });
  const running = watermark.run(ending.signal);
  await expect.poll(() => epochs).toBeGreaterThan(10);
  expect([way.raised, watermark.lagMs()]).toEqual([1, 0]);
  way.now += 1_500;
  const early = epochs;
  await expect.poll(() => epochs).toBeGreaterThan(early + 10);
  expect([way.raised, watermark.lagMs()]).toEqual([1, 1_500]);
  expect(watermark.lagOfAnswer()).toBe(1_500);
  await expect.poll(() => way.raised).toBeGreaterThan(10);
  expect(watermark.lagMs()).toBe(0);
  ending.abort();
  await running;
});

describe('of the two lanes', () => {
  /** Both lanes under way; changes of the bulk lane come to it when the test says so. */
  function twoLanes() {
    const [small, bulk] = [new Way(), new Way()];
    const kept: Record<string, number>[] = [];
    const moments = { read: async () => ({}), save: async (ages: () => object) => void kept.push({ ...ages() }) };
    const now = () => small.now;
    const parts = { watch, barriers: { small: small.raise, bulk: bulk.raise }, epoch: small.epoch, now };
    const watermark = new AppliedWatermark({ ...parts, moments });
    const later = async (ms: number) => {
      small.now += ms;
      await watermark.measure();
      return { small: watermark.lagMs('small'), bulk: watermark.lagMs('bulk') };
    };
    return { small, bulk, kept, watermark, later, parts };
  }

  it('each has its own moment, and the bulk lane never a later one', async () => {
    const { small, bulk, later } = twoLanes();
    expect(await later(500)).toEqual({ small: 0, bulk: 0 });
    bulk.changes = [1];
    expect(await later(500)).toEqual({ small: 0, bulk: 500 });
    expect(await later(500)).toEqual({ small: 0, bulk: 1_000 });
    small.changes = [2];
    expect(await later(500)).toEqual({ small: 500, bulk: 1_500 });
    bulk.changes = [];
    expect(await later(500), 'the last moment that had come to the bulk lane').toEqual({ small: 1_000, bulk: 1_000 });
    small.changes = [];
    expect(await later(500)).toEqual({ small: 0, bulk: 0 });
  });

  it('a full bulk lane does not make that of the small one less exact', async () => {
    const { small, bulk, later } = twoLanes();
    await later(500);
    bulk.changes = [1];
    for (let i = 0; i < 100; i++) {
      small.changes = [...small.changes.slice(-3), i + 10];
      expect((await later(500)).small).toBeLessThanOrEqual(3_000);
    }
  });

  it('are shown by a process that starts if another one has kept them, and grow with the time since; no answer relies on them', async () => {
    const { small, bulk, kept, later, parts } = twoLanes();
    await later(500);
    await later(500);
    expect(kept).toEqual([
      { small: 0, bulk: 0 },
      { small: 0, bulk: 0 },
    ]);
    small.changes = [1];
    bulk.changes = [2];
    await later(500);
    expect(kept, 'nothing new is known').toHaveLength(2);
    const moments = { read: async () => ({ small: 700, bulk: 900 }), save: async () => undefined };
    const started = new AppliedWatermark({ ...parts, moments });
    expect(started.lagShownMs()).toBeUndefined();
    await started.measure();
    small.now += 100;
    const ages = () => LANES.map((lane) => [started.lagMs(lane), started.lagShownMs(lane)]);
    expect(ages()).toEqual([
      [undefined, 800],
      [undefined, 1_000],
    ]);
    expect(started.lagOfAnswer()).toBeUndefined();
    small.changes = [];
    await started.measure();
    expect(ages()).toEqual([
      [0, 0],
      [undefined, 1_000],
    ]);
  });
});
