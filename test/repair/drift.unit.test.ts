import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { DRIFT_CLASSES, type DriftClass, INDEX_CLASSES } from '../../src/contracts/drift.ts';
import { byKeyDescending, type Key } from '../../src/contracts/key.ts';
import type { WarmReading } from '../../src/index/contact-index.ts';
import { diff, INDEX_MISMATCH, isClientVisible, type Mismatch } from '../../src/repair/drift.ts';

const { recurrence } = INDEX_MISMATCH;

/** '9' > '100' > '10' as bytes; few times, so that ties are common. */
const IDS = ['1', '9', '10', '100', '2', '9007199254740993', '30', '4'];

const id = fc.constantFrom(...IDS);
const time = fc.integer({ min: 1, max: 5 });
const key = fc.record({ id, at: time });
const limits = fc
  .integer({ min: 1, max: 3 })
  .chain((min) => fc.record({ min: fc.constant(min), max: fc.integer({ min: min + 1, max: 5 }) }));
const keys = fc.uniqueArray(key, { selector: (of) => of.id }).map((all) => all.sort(byKeyDescending));

interface Case {
  readonly truth: Key[];
  readonly reading: WarmReading;
  readonly limits: { max: number; min: number };
}

function warm(head: Key[], floor: Key | undefined): WarmReading {
  const parts = { nonce: 'n', epoch: 'e', lastUsed: 0, allowance: undefined, replicationId: 'r', floor };
  return { state: 'warm', ...parts, head: head.sort(byKeyDescending), size: head.length };
}

/** Any index at all. */
const anything: fc.Arbitrary<Case> = fc.record({
  truth: keys,
  reading: fc
    .record({ head: keys, floor: fc.option(key, { nil: undefined }) })
    .map(({ head, floor }) => warm(head, floor)),
  limits,
});

/** An index as a rebuild leaves it. */
function built(truth: readonly Key[], max: number): WarmReading {
  return warm(truth.slice(0, max), truth[max]);
}

const exact = fc
  .record({ truth: keys, limits })
  .map(({ truth, limits }) => ({ truth, limits, reading: built(truth, limits.max) }));

/** The least that diff must be given. */
function enough({ truth, reading, limits }: Case): Key[] {
  const members = new Set(reading.head.map((member) => member.id));
  return truth.filter((of, i) => i <= limits.max || members.has(of.id));
}

/** The definition of drift (docs/exactness.md), word for word, over every contact. */
function modelClasses({ truth, reading, limits }: Case): Set<DriftClass> {
  const { head, floor } = reading;
  const bytes = (of: Key) => Buffer.from(of.id);
  const higher = (a: Key, b: Key) => (a.at === b.at ? Buffer.compare(bytes(a), bytes(b)) > 0 : a.at > b.at);
  const found = new Set<DriftClass>();
  const lowest = [...head].sort((a, b) => (higher(a, b) ? 1 : -1))[0];
  for (const of of IDS) {
    const member = head.find((at) => at.id === of);
    const live = truth.find((at) => at.id === of);
    const belongs = live !== undefined && (floor === undefined || higher(live, floor));
    if (member && !belongs) found.add('ghost');
    if (member && belongs && member.at !== live.at) found.add('score');
    if (!member && belongs) found.add(lowest && higher(lowest, live) ? 'hole' : 'missing');
  }
  if (head.length > limits.max) found.add('cap');
  if (floor && head.length < limits.min) found.add('floor');
  return found;
}

const classesOf = (mismatches: readonly Mismatch[]) => new Set(mismatches.map((mismatch) => mismatch.class));

describe('diff', () => {
  test.prop([anything], { numRuns: 3_000 })('classifies as the definition does, over the whole truth', (drawn) => {
    expect(classesOf(diff(drawn.reading, drawn.truth, drawn.limits))).toEqual(modelClasses(drawn));
  });

  test.prop([anything], { numRuns: 3_000 })(
    'needs no more than the best max + 1 and the members to see that something is wrong',
    (drawn) => {
      const short = diff(drawn.reading, enough(drawn), drawn.limits);
      expect(short.length > 0).toBe(modelClasses(drawn).size > 0);
    },
  );

  test.prop([anything], { numRuns: 3_000 })('and without the members it suspects at least as many', (drawn) => {
    const suspected = diff(drawn.reading, drawn.truth.slice(0, drawn.limits.max + 1), drawn.limits);
    if (modelClasses(drawn).size > 0) expect(suspected).not.toEqual([]);
  });

  test.prop([exact])('finds nothing in what a rebuild leaves', ({ truth, reading, limits }) => {
    expect(diff(reading, truth, limits)).toEqual([]);
    expect(diff(reading, truth.slice(0, limits.max + 1), limits)).toEqual([]);
    expect(isClientVisible(reading, truth, limits.max)).toBe(false);
  });

  it('names the contact, and the upload on each side', () => {
    const truth = [
      { id: '7', at: 9 },
      { id: '8', at: 8 },
    ];
    const found = diff(
      warm(
        [
          { id: '7', at: 5 },
          { id: '6', at: 4 },
        ],
        undefined,
      ),
      truth,
      { max: 4, min: 2 },
    );
    expect(found).toEqual([
      { class: 'score', contact: '7', indexed: 5, live: 9, nonce: 'n' },
      { class: 'ghost', contact: '6', indexed: 4, live: undefined, nonce: 'n' },
      { class: 'missing', contact: '8', indexed: undefined, live: 8, nonce: 'n' },
    ]);
  });

  it.each([
    [{ state: 'cold' }, []],
    [{ state: 'building' }, []],
    [{ state: 'torn' }, ['torn']],
    [{ state: 'torn', epoch: 'e', unreadableFloor: true }, ['floor']],
    [{ state: 'wrong_type' }, ['wrong_type']],
  ] as const)('of %j finds %j', (reading, expected) => {
    expect([...classesOf(diff(reading, [], { max: 4, min: 2 }))]).toEqual(expected);
  });

  it('treats a score that is not a number as wrong, also at the second look', () => {
    const look = () => diff(warm([{ id: '1', at: Number.NaN }], undefined), [{ id: '1', at: 3 }], { max: 4, min: 2 });
    const [first, second] = [look()[0] as Mismatch, look()[0] as Mismatch];
    expect(first.class).toBe('score');
    expect(recurrence(first, second)).toBe('lasting');
  });
});

describe('at two looks', () => {
  const mismatch: Mismatch = { class: 'score', contact: '7', indexed: 5, live: 9, nonce: 'n' };
  const floor: Mismatch = { class: 'floor', contact: undefined, indexed: undefined, live: undefined, nonce: 'n' };
  const written = { nonce: 'another' };

  it.each([{ class: 'ghost' }, { contact: '8' }, { indexed: 6 }, { live: 8 }] as const)(
    'mismatches that differ in %j are different ones',
    (other) => {
      expect(recurrence(mismatch, { ...mismatch, ...other })).toBe(undefined);
    },
  );

  it.each([mismatch, floor, { ...mismatch, nonce: undefined }])('%j lasts', (one) => {
    expect(recurrence(one, { ...one })).toBe('lasting');
  });

  it('a mismatch may have gone and come back when the index was written in between', () => {
    expect(recurrence(mismatch, { ...mismatch, ...written })).toBe('recurring');
  });

  it('a floor asks for a rebuild again with every write, so it never recurs', () => {
    expect(recurrence(floor, { ...floor, ...written })).toBe(undefined);
  });
});

/** The API's rules for the first page, written a second time and without stopping early. */
function clientNotices({ truth, reading, limits }: Case): boolean {
  const { head, floor } = reading;
  const plain = (limit: number) =>
    truth
      .slice(0, limit)
      .map((of) => of.id)
      .join();
  const answer = (limit: number): string | undefined => {
    for (const count of [limit + 2, head.length]) {
      const looked = head.slice(0, count);
      const horizon = head.length > count ? head[count] : floor;
      const rows = truth.filter((of) => looked.some((member) => member.id === of.id));
      const certain = horizon ? rows.filter((of) => byKeyDescending(of, horizon) < 0) : rows;
      if (certain.length >= limit || (count >= head.length && !floor)) {
        return certain
          .slice(0, limit)
          .map((of) => of.id)
          .join();
      }
    }
    return undefined;
  };
  const asked = Array.from({ length: limits.max + 1 }, (_, i) => i + 1);
  return asked.some((limit) => (answer(limit) ?? plain(limit)) !== plain(limit));
}

describe('what is visible to clients', () => {
  test.prop([anything], { numRuns: 3_000 })('is a first page that differs from the plain query', (drawn) => {
    expect(isClientVisible(drawn.reading, drawn.truth, drawn.limits.max)).toBe(clientNotices(drawn));
  });

  test.prop([anything], { numRuns: 1_000 })('is always drift', (drawn) => {
    if (clientNotices(drawn)) expect(modelClasses(drawn).size).toBeGreaterThan(0);
  });

  const truth = [5, 4, 3, 2, 1].map((at) => ({ id: String(at), at }));
  const limits = { max: 4, min: 2 };

  it.each([
    ['a ghost that is no contact any more', warm([{ id: '9', at: 9 }, ...truth.slice(0, 4)], truth[4]), false],
    ['one who is missing at the top', warm(truth.slice(1, 4), truth[4]), true],
    ['a score that is too low, above the horizon', warm([...truth.slice(1, 4), { id: '5', at: 1 }], undefined), true],
    ['a hole below the best max', warm(truth.slice(0, 4), undefined), true],
    ['too few, which makes the plain query answer', warm(truth.slice(0, 1), truth[1]), false],
  ])('%s: %j → %s', (_what, reading, expected) => {
    expect(diff(reading, truth, limits)).not.toEqual([]);
    expect(isClientVisible(reading, truth, limits.max)).toBe(expected);
  });

  it('knows every class', () => {
    expect(INDEX_CLASSES).toHaveLength(8);
    expect(DRIFT_CLASSES).toEqual([...INDEX_CLASSES, 'truth']);
  });
});
