import { fc, test } from '@fast-check/vitest';
import { afterEach, describe, expect, vi } from 'vitest';
import { runCommandLine } from '../../../src/cli/program.ts';
import { slotOf } from '../../../src/redis/hash-tags.ts';
import { constantsOf, line } from '../../../src/tools/bench/document/constants.ts';
import { readResults } from '../../../src/tools/bench/document/results.ts';
import { CONSTANTS, PRODUCTS } from '../../../src/tools/capacity/constants.ts';
import { keptOf, keptShare } from '../../../src/tools/capacity/kept.ts';
import { cappedMean, powerLawOf, type SiteFigures } from '../../../src/tools/capacity/site.ts';
import { loadOf, memoryOf, sizingOf } from '../../../src/tools/capacity/sizing.ts';
import { busiestShareOf } from '../../../src/tools/capacity/slots.ts';
import { powerLaw, seededRandom } from '../../../src/tools/demo/random.ts';

const SITE: SiteFigures = {
  ...{ users: 864_000, contactsPerUser: 100, mostContacts: 20_000, max: 24, indexAbove: 0, keep: 1 },
  ...{ uploadsPerDay: 1, followersPerUploader: 200, contactChangesPerDay: 0.5, readsPerSecond: 900, peakFactor: 3 },
  ...{ celebrityFollowers: 10_000_000, transport: 'kafka', database: 'mariadb' },
};

describe('the constants', () => {
  test('are those of the benchmarks that are kept: `npm run bench:document` makes them anew', () => {
    expect(CONSTANTS).toEqual(constantsOf(readResults()));
  });

  test('cannot be made while a figure is missing', () => {
    const results = readResults().filter(({ bench }) => bench !== 'fanout');
    expect(() => constantsOf(results)).toThrow(/no result of fanout has users_per_second/);
  });

  test('a line goes through points that are on one', () => {
    const points = [12, 24, 60].map((x) => [x, 300 + 16 * x]);
    expect(line(points)).toEqual({ fixed: 300, each: 16 });
  });

  test.each(PRODUCTS)('on %s: full indexes of every size take what was measured, within 5%%', (database) => {
    const measured = readResults().filter((result) => result.bench === 'memory');
    const own = measured.find(({ servers }) => servers.mysql?.toLowerCase().startsWith(`${database} `));
    const rows = own?.rows.filter(({ arm }) => arm === 'recency') ?? [];
    expect(rows).toHaveLength(3);
    for (const row of rows) {
      const max = Number(row.max);
      const { bytesPerFullIndex } = memoryOf({ ...SITE, max }, CONSTANTS[database]);
      expect(Math.abs(bytesPerFullIndex / Number(row.bytes_per_user) - 1)).toBeLessThan(0.05);
    }
  });
});

describe('the spread of contacts', () => {
  test.prop([fc.double({ min: 0.01, max: 1_000, noNaN: true }), fc.integer({ min: 1_000, max: 10_000_000 })])(
    'has the mean that it is asked for',
    (mean, most) => {
      expect(cappedMean(powerLawOf(mean, most), most)).toBeCloseTo(mean, 6);
    },
  );

  test('is about that of people drawn at random between two ends', () => {
    const random = seededRandom(5);
    const drawn = Array.from({ length: 200_000 }, () => powerLaw(random, 3, 2_000));
    const meanOf = (cap: number) => drawn.reduce((sum, one) => sum + Math.min(one, cap), 0) / drawn.length;
    const law = powerLawOf(meanOf(2_000), 2_000);
    for (const max of [12, 24, 60]) expect(Math.abs(cappedMean(law, max) / meanOf(max) - 1)).toBeLessThan(0.15);
  });

  test.prop([fc.integer({ min: 0, max: 200 })])('leaves users with few contacts without an index', (indexAbove) => {
    const [all, above] = [memoryOf(SITE, CONSTANTS.mysql), memoryOf({ ...SITE, indexAbove }, CONSTANTS.mysql)];
    const { scale } = powerLawOf(SITE.contactsPerUser, SITE.mostContacts);
    expect(above.indexes).toBeCloseTo(SITE.users * Math.min(1, scale / (indexAbove + 1)));
    expect(above.members).toBeGreaterThanOrEqual(all.members);
    expect(above.members).toBeLessThan(SITE.max + 0.001);
    if (indexAbove >= SITE.max) expect(above.members).toBeCloseTo(SITE.max);
    expect(above.backfillSeconds).toBeLessThanOrEqual(all.backfillSeconds);
  });

  test('of a few contacts a user leaves some without an index', () => {
    const { indexes, members } = memoryOf({ ...SITE, contactsPerUser: 2 }, CONSTANTS.mysql);
    expect(indexes).toBeLessThan(SITE.users / 2);
    expect(members).toBeGreaterThan(1);
  });
});

describe('the load', () => {
  test('at the mean: ten uploads and five contact tasks a second', () => {
    const load = loadOf(SITE, 1);
    expect(load).toMatchObject({ uploads: 10, contactTasks: 5, tasks: 15, indexWrites: 2_010, reads: 300 });
    expect(load.mysqlStatements.most).toBe(10 * 2 + 5 + 300);
    expect(load.redisCalls.most).toBe(10 * 3 + 5 * 3 + 300);
    expect(load.mysqlStatements.least).toBeCloseTo(10 * 0.45 + 5 * 0.004 + 300);
    expect(load.redisCalls.least).toBeCloseTo(10 * 0.8 + 5 * 0.012 + 300);
  });

  test('at the peak is as many times the mean', () => {
    expect(loadOf(SITE, 3).indexWrites).toBe(3 * loadOf(SITE, 1).indexWrites);
    expect(loadOf(SITE, 3).reads).toBe(SITE.readsPerSecond);
  });
});

describe('what it takes', () => {
  const takes = (some: Partial<SiteFigures>) => sizingOf({ ...SITE, ...some }, [1]).processes;

  test('is two of everything for a site of nothing, so that one may fail', () => {
    const idle = takes({ uploadsPerDay: 0, contactChangesPerDay: 0, readsPerSecond: 0 });
    expect(idle).toEqual({ consumersBusy: 0, consumers: 2, relays: 2, apis: 2, partitions: 6 });
  });

  test('grows with the site, and partitions with the consumers', () => {
    const [one, ten] = [takes({ users: 1e7 }), takes({ users: 1e8, readsPerSecond: 9_000 })];
    expect(ten.consumersBusy / one.consumersBusy).toBeCloseTo(10);
    expect(ten.consumers).toBeGreaterThan(one.consumers);
    expect(ten.partitions).toBe(2 * ten.consumers);
    expect(ten.apis).toBeGreaterThan(one.apis);
    expect(takes({ transport: 'streams' }).partitions).toBeUndefined();
  });
});

describe('a cluster', () => {
  test('has slots as its specification says', () => {
    expect(slotOf('123456789')).toBe(0x31c3);
  });

  test('of one master has everything there; of more, the busiest has a little more than its part', () => {
    expect(busiestShareOf(1)).toBe(1);
    for (const masters of [2, 3, 6, 12]) {
      expect(busiestShareOf(masters)).toBeGreaterThanOrEqual(1 / masters);
      expect(busiestShareOf(masters)).toBeLessThan(2 / masters);
    }
  });

  test('takes a large photo as fast as its consumers or its masters can, and no audience of a page faster than one', () => {
    const peopled = (users: number, celebrityFollowers: number) =>
      sizingOf({ ...SITE, users, celebrityFollowers }, [1, 12]);
    const { celebrity, clusters, processes } = peopled(100_000_000, 10_000_000);
    expect(celebrity.segments).toBe(501);
    const [one, twelve] = clusters.map(({ celebritySeconds }) => celebritySeconds);
    expect(one).toBeCloseTo(10_000_000 / CONSTANTS.mariadb.redisWritesPerSecond);
    expect(twelve).toBeLessThan(one ?? 0);
    expect(twelve).toBeGreaterThanOrEqual(celebrity.seconds / processes.consumers);
    const small = peopled(100_000_000, 4_000);
    expect(small.clusters[1]?.celebritySeconds).toBeCloseTo(small.celebrity.seconds);
  });

  test('gives what the busiest of them can do', () => {
    const { clusters } = sizingOf(SITE, [1, 3]);
    const [one, three] = clusters;
    expect(one?.indexWritesPerSecond).toBe(CONSTANTS.mariadb.redisWritesPerSecond);
    expect(three?.busiestBytes).toBeCloseTo((one?.busiestBytes ?? 0) * busiestShareOf(3));
    expect(three?.busyAtPeak).toBeCloseTo((one?.busyAtPeak ?? 0) * busiestShareOf(3));
  });
});

describe('recency size', () => {
  afterEach(() => vi.restoreAllMocks());

  async function said(...args: string[]): Promise<string> {
    const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    expect(await runCommandLine(['size', ...args])).toBe(0);
    return stdout.mock.calls.join('');
  }

  test('shows a table of each part, and where its constants come from', async () => {
    const text = await said('--users', '1000000');
    for (const part of ['memory of Redis', 'a second', 'what it takes', '10,000,000 followers', 'masters']) {
      expect(text).toContain(part);
    }
    expect(text).toContain(CONSTANTS.mysql.measuredOn);
    expect(text).not.toMatch(/NaN|undefined|Infinity/);
  });

  test('--json gives one object with every figure', async () => {
    const options = ['--masters', '5', '--uploads-per-day', '0.5', '--transport', 'streams', '--database', 'mariadb'];
    const sizing = JSON.parse(await said('--users', '864000', '--json', ...options));
    expect(sizing.measured_on).toBe(CONSTANTS.mariadb.measuredOn);
    expect(sizing.mean.index_writes_per_second).toBeCloseTo(5 * 100 + 1 * 2);
    expect(sizing.celebrity.followers).toBe(10_000_000);
    expect(sizing.processes.partitions).toBeNull();
    expect(sizing.clusters.map(({ masters }: { masters: number }) => masters)).toEqual([5]);
    const figures = Object.values(sizing.memory).concat(Object.values(sizing.clusters[0]));
    expect(figures.every((figure) => typeof figure === 'number' && figure > 0)).toBe(true);
  });
});

describe('what is kept', () => {
  /** Plays the days of one user, event by event. @returns the share of the changes that found an index */
  function played(read: number, changes: number, allowance: number): number {
    const random = seededRandom(7);
    const sums = { changes: 0, written: 0 };
    let [left, lastRead] = [-1, Number.NEGATIVE_INFINITY];
    for (let day = 0; day < 20_000; day += -Math.log(1 - random()) / (read + changes)) {
      if (random() < read / (read + changes)) {
        if (left >= 0 || day - lastRead < 1) left = allowance;
        lastRead = day;
      } else {
        sums.changes += 1;
        if (left > 0) sums.written += 1;
        left -= 1;
      }
    }
    return sums.written / sums.changes;
  }

  test.each([
    [5, 50, 24],
    [1, 50, 24],
    [1, 5, 24],
    [0.2, 100, 500],
  ])('is what a user of %d reads and %d changes a day has of an index that takes %d', (read, changes, allowance) => {
    const share = keptShare({ allowance, read, changes });
    expect(Math.abs(share - played(read, changes, allowance))).toBeLessThan(0.1);
  });

  test('is everything with a large factor, and nothing without one', () => {
    const { indexes } = memoryOf({ ...SITE, indexAbove: 64 }, CONSTANTS.mysql);
    const kept = keptOf({ ...SITE, indexAbove: 64, readsPerSecond: 30_000, keep: 1_000_000 });
    expect(kept.indexes / indexes).toBeCloseTo(1, 1);
    expect(keptOf({ ...SITE, keep: 0 })).toMatchObject({ indexes: 0, writtenShare: 0 });
    expect(memoryOf({ ...SITE, keep: 0 }, CONSTANTS.mysql)).toMatchObject({ indexes: 0, bytes: 0, backfillSeconds: 0 });
    expect(keptOf({ ...SITE, readsPerSecond: 0 }).processors).toMatchObject({ rules: 0, nobody: 0 });
  });

  test.prop([fc.double({ min: 0.1, max: 100_000, noNaN: true }), fc.double({ min: 1, max: 200, noNaN: true })])(
    'costs little more than the better of an index for everybody and none',
    (readsPerSecond, contactsPerUser) => {
      const site = { ...SITE, readsPerSecond, contactsPerUser, followersPerUploader: contactsPerUser, indexAbove: 64 };
      const { rules, everybody, nobody } = keptOf(site).processors;
      expect(rules).toBeLessThan(1.5 * Math.min(everybody, nobody));
    },
  );
});
