import { beforeEach, describe, expect, it } from 'vitest';
import { type BuildOutcome, ColdBuilds } from '../../src/query/cold-builds.ts';
import { WarmUp, type WarmUpOptions } from '../../src/query/warm-up.ts';
import { until } from '../support/until.ts';

const USERS = Array.from({ length: 500 }, (_, i) => String(1 + i));

/** Indexes of which the test says who is cold, and builds that end when the test lets them. */
class Site {
  readonly cold = new Set<string>();
  readonly built: string[] = [];
  readonly rounds: (number | undefined)[] = [];
  looks = 0;
  suspended = false;
  readonly builds = {
    buildWhenIdle: async (user: string) => {
      this.built.push(user);
      await this.onBuild(user);
      return this.cold.delete(user);
    },
  };
  onBuild: (user: string) => Promise<void> = async () => undefined;

  warmUp(options: Partial<WarmUpOptions> = {}): WarmUp {
    const warmUp = new WarmUp({
      coldOf: async (users) => {
        this.looks += users.length;
        return this.suspended ? undefined : users.filter((user) => this.cold.has(user));
      },
      builds: this.builds,
      concurrency: 1,
      remembered: 1_000,
      onRound: (built) => void this.rounds.push(built),
      retryMs: 1,
      restMs: 0,
      ...options,
    });
    for (const user of USERS) warmUp.served(user);
    return warmUp;
  }

  loseAll(): void {
    for (const user of USERS) this.cold.add(user);
  }

  async untilOver(rounds = 1): Promise<void> {
    await until(() => this.rounds.filter((built) => built !== undefined).length === rounds);
  }
}

describe('users whose indexes were lost', () => {
  it('are rebuilt only in a new epoch where an index is dropped that nobody reads', async () => {
    const site = new Site();
    let epoch = '1';
    const looked: string[] = [];
    const warmUp = site.warmUp({
      epoch: async () => {
        looked.push(epoch);
        return epoch;
      },
    });
    await until(() => looked.length === 1);
    site.loseAll();
    warmUp.cold('3');
    await until(() => looked.length === 2);
    await warmUp.idle();
    expect({ built: site.built, rounds: site.rounds, looks: site.looks }).toEqual({ built: [], rounds: [], looks: 0 });
    epoch = '2';
    warmUp.cold('3');
    await site.untilOver();
    expect(site.built).toHaveLength(500);
  });

  it('are rebuilt, most recently read first, when one of them is found cold', async () => {
    const site = new Site();
    const warmUp = site.warmUp();
    site.loseAll();
    warmUp.served('7');
    warmUp.cold('3'); // is being read now
    await site.untilOver();
    expect(site.built).toEqual(['3', '7', ...USERS.toReversed().filter((user) => user !== '3' && user !== '7')]);
    expect(site.rounds).toEqual([undefined, 500]);
  });

  it('are not looked for when the cold user never had an index, or is no longer remembered', async () => {
    const site = new Site();
    const warmUp = site.warmUp({ remembered: 10 });
    site.loseAll();
    warmUp.cold('1000');
    warmUp.cold('1');
    expect(site.rounds).toEqual([]);
    warmUp.cold('500');
    await site.untilOver();
    expect(site.built).toHaveLength(10);
  });

  it('are not looked for far when only one index was lost', async () => {
    const site = new Site();
    const warmUp = site.warmUp();
    warmUp.cold('250'); // and it is built already, for the next reader
    await site.untilOver();
    expect(site.built).toEqual([]);
    expect(site.looks).toBe(200);
  });

  it('wait while no index may be built, or a store is unavailable', async () => {
    const site = new Site();
    let away = 3;
    const warmUp = site.warmUp({
      coldOf: async (users) => {
        if (away-- > 0) throw new Error('away');
        return site.suspended ? undefined : users.filter((user) => site.cold.has(user));
      },
    });
    site.loseAll();
    site.suspended = true;
    warmUp.cold('1');
    await until(() => away < -3);
    expect(site.built).toEqual([]);
    site.suspended = false;
    await site.untilOver();
    expect(site.cold.size).toBe(0);
  });

  it('are started over when they are lost again before the end', async () => {
    const site = new Site();
    const warmUp = site.warmUp();
    site.onBuild = async () => {
      if (site.built.length !== 120) return;
      site.loseAll();
      warmUp.cold('500'); // had been built
    };
    site.loseAll();
    warmUp.cold('500');
    await site.untilOver();
    expect(site.cold.size).toBe(0);
    expect(site.built.filter((user) => user === '500')).toHaveLength(2);
  });

  it('are not looked for repeatedly because one of them cannot be built', async () => {
    const site = new Site();
    const heavy = '500';
    const warmUp = site.warmUp({
      builds: {
        buildWhenIdle: async (user) => {
          warmUp.cold(heavy); // is read all the time
          return user !== heavy && site.builds.buildWhenIdle(user);
        },
      },
    });
    site.loseAll();
    warmUp.cold(heavy);
    await site.untilOver();
    expect(site.rounds).toEqual([undefined, 499]);
    expect(site.looks).toBe(500);
    warmUp.cold(heavy);
    expect(site.rounds).toHaveLength(2);
    warmUp.served(heavy);
    warmUp.cold(heavy);
    expect(site.rounds).toHaveLength(3);
  });

  it('are left alone when the process ends', async () => {
    const site = new Site();
    const warmUp = site.warmUp();
    const held = Promise.withResolvers<void>();
    site.onBuild = () => held.promise;
    site.loseAll();
    warmUp.cold('500');
    await until(() => site.built.length === 1);
    const stopped = warmUp.stop();
    held.resolve();
    await stopped;
    expect(site.built).toHaveLength(1);
    warmUp.cold('400');
    expect(site.built).toHaveLength(1);
  });
});

describe('a background build', () => {
  let busy = true;
  const held = new Map<string, PromiseWithResolvers<void>>();
  beforeEach(() => {
    held.clear();
    busy = true;
  });

  function heldBuilds(patienceMs: number): ColdBuilds {
    const build = async (user: string): Promise<BuildOutcome> => {
      const one = Promise.withResolvers<void>();
      held.set(user, one);
      await one.promise;
      return 'built';
    };
    const onError = (error: unknown) => {
      throw error;
    };
    return new ColdBuilds({ build, concurrency: 1, queue: 10, isBusy: () => busy, patienceMs, onError });
  }

  it('waits while other builds or answers wait for a turn', async () => {
    const builds = heldBuilds(Number.POSITIVE_INFINITY);
    builds.request('1');
    builds.request('2');
    const idle = builds.buildWhenIdle('3');
    await until(() => held.has('1'));
    held.get('1')?.resolve();
    await until(() => held.has('2'));
    held.get('2')?.resolve();
    await until(() => builds.underWay === 0);
    expect(held.has('3')).toBe(false);
    busy = false;
    await until(() => held.has('3'));
    const same = builds.buildWhenIdle('3'); // single flight
    held.get('3')?.resolve();
    expect(await Promise.all([idle, same])).toEqual([true, true]);
    expect(builds.counts.built).toBe(3);
  });

  it('is not delayed for ever', async () => {
    const builds = heldBuilds(20);
    const late = builds.buildWhenIdle('3');
    await until(() => held.has('3'));
    held.get('3')?.resolve();
    expect(await late).toBe(true);
  });

  it('that was not done counts as dropped, and others begin at once', async () => {
    const onError = (error: unknown) => {
      throw error;
    };
    const builds = new ColdBuilds({
      build: async (user) => (user === 'heavy' ? 'not_built' : 'built'),
      concurrency: 1,
      queue: 10,
      onError,
    });
    expect(await builds.buildWhenIdle('heavy')).toBe(false);
    expect(await builds.buildWhenIdle('1')).toBe(true);
    expect(builds.counts).toEqual({ built: 1, failed: 0, dropped: 1 });
  });

  it('that is refused counts as dropped, and then no other begins for a while', async () => {
    const asked: string[] = [];
    const builds = new ColdBuilds({
      build: async (user) => {
        asked.push(user);
        return 'suspended';
      },
      concurrency: 1,
      queue: 10,
      onError: (error) => {
        throw error;
      },
    });
    expect(await builds.buildWhenIdle('1')).toBe(false);
    for (const user of ['1', '2', '3']) builds.request(user);
    await until(() => builds.underWay === 0);
    expect(asked).toEqual(['1']);
    expect(builds.counts).toEqual({ built: 0, failed: 0, dropped: 4 });
    builds.request('4');
    await until(() => builds.underWay === 0);
    await until(() => {
      builds.request('5');
      return asked.includes('5');
    });
  });
});
