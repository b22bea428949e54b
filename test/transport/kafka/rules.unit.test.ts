import { setTimeout as sleep } from 'node:timers/promises';
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { Assignment, Membership } from '../../../src/transport/kafka/assignment.ts';
import type { FetchedMessage } from '../../../src/transport/kafka/fetched-message.ts';
import { gapsIn, inspectOffsets, lossOfGaps, lossOfReturn } from '../../../src/transport/kafka/losses.ts';
import type { PartitionOffsets } from '../../../src/transport/kafka/topic-admin.ts';
import { logger } from '../place.ts';

const anyOffsets: fc.Arbitrary<PartitionOffsets[]> = fc
  .array(
    fc.record({
      committed: fc.option(fc.bigInt({ min: 0n, max: 12n }), { nil: undefined }),
      low: fc.bigInt({ min: 0n, max: 10n }),
      length: fc.bigInt({ min: 0n, max: 5n }),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((all) =>
    all.map(({ committed, low, length }, partition) => ({ partition, committed, low, high: low + length })),
  );

const everything = (offsets: PartitionOffsets[]) => new Set(offsets.map(({ partition }) => partition));
const isInRange = ({ committed, low, high }: PartitionOffsets) =>
  committed !== undefined && committed >= low && committed <= high;

describe('the offsets a group has committed, and those that still exist', () => {
  test.prop([anyOffsets, fc.boolean()])('starts at the committed offset, or else at the oldest', (offsets, expects) => {
    const { starts, uncommitted } = inspectOffsets(offsets, everything(offsets), expects);
    for (const one of offsets) {
      const start = isInRange(one) ? one.committed : one.low;
      expect(starts.get(one.partition)).toBe(start);
      expect(uncommitted.includes(one.partition)).toBe(start !== one.committed);
    }
  });

  test.prop([anyOffsets, fc.boolean()])('is a loss when the offset is out of range', (offsets, expects) => {
    const { losses } = inspectOffsets(offsets, everything(offsets), expects);
    const lost = offsets.filter((one) => one.committed !== undefined && !isInRange(one));
    const told = losses.filter(({ reason }) => reason === 'offset_out_of_range');
    expect(told).toHaveLength(lost.length > 0 ? 1 : 0);
    for (const { partition } of lost) expect(told[0]?.detail).toContain(`partition ${partition}:`);
  });

  test.prop([anyOffsets, fc.boolean()])('is a loss if required offsets are missing', (offsets, expects) => {
    const { losses } = inspectOffsets(offsets, everything(offsets), expects);
    const isNewGroup = offsets.every(({ committed }) => committed === undefined);
    const missing = offsets.some(({ committed, low }) => committed === undefined && (isNewGroup || low > 0n));
    expect(losses.some(({ reason }) => reason === 'group_without_offsets')).toBe(expects && missing);
  });

  test.prop([anyOffsets, fc.boolean()])('covers only the own partitions', (offsets, expects) => {
    const mine = new Set([0]);
    const { starts, uncommitted, losses } = inspectOffsets(offsets, mine, expects);
    expect([...starts.keys()]).toEqual([0]);
    expect(uncommitted.every((partition) => partition === 0)).toBe(true);
    for (const { detail } of losses) expect(detail).toMatch(/^partition 0: [^;]*$/);
  });
});

describe('a fetch after another', () => {
  const message = (offset: number, more: Partial<FetchedMessage> = {}) =>
    ({ offset: String(offset), ...more }) as FetchedMessage;
  const unreadable = (first: number, last: number) =>
    message(last, { unreadable: { reason: '', firstOffset: String(first) } });

  /** What stands at each offset, from 0 on: a message, nothing, the end of a batch with nothing, or a batch of two that cannot be read. */
  const anyLog = fc.array(fc.constantFrom('message', 'nothing', 'placeholder', 'unreadable'), { maxLength: 12 });

  const read = (log: readonly string[]) => {
    const fetched: FetchedMessage[] = [];
    const missing: number[] = [];
    let offset = 0;
    for (const kind of log) {
      if (kind === 'message') fetched.push(message(offset));
      if (kind === 'placeholder') fetched.push(message(offset, { isPlaceholder: true }));
      if (kind === 'unreadable') fetched.push(unreadable(offset, ++offset));
      if (kind === 'nothing' || kind === 'placeholder') missing.push(offset);
      offset++;
    }
    return { fetched, missing };
  };

  const offsetsOf = (gap: string) => {
    const [from = 0, to = 0] = gap.split('…').map(Number);
    return Array.from({ length: to - from + 1 }, (_, i) => from + i);
  };

  test.prop([anyLog, fc.nat({ max: 12 })])('is a gap where an offset is missing', (log, expected) => {
    const { fetched, missing } = read(log);
    const last = Number(fetched.at(-1)?.offset);
    const gaps = gapsIn(BigInt(expected), fetched);
    expect(gaps.flatMap(offsetsOf)).toEqual(missing.filter((offset) => offset >= expected && offset <= last));
  });

  it('names three gaps, and the number of the others', () => {
    expect(lossOfGaps(2, [])).toBeUndefined();
    expect(lossOfGaps(2, ['5…7'])).toEqual({
      ...{ reason: 'gap', partitions: [2] },
      detail: 'partition 2: 5…7 are gone',
    });
    expect(lossOfGaps(2, ['1…1', '3…3', '5…5', '7…8'])?.detail).toBe(
      'partition 2: 1…1, 3…3, 5…5 and 1 more ranges are gone',
    );
  });

  it('is a loss if its offset is lower', () => {
    expect(lossOfReturn(1, 5n, 5n)).toBeUndefined();
    expect(lossOfReturn(1, 5n, 4n)).toEqual({
      reason: 'offset_out_of_range',
      detail: 'partition 1: went back from 5 to 4',
      partitions: [1],
    });
  });
});

describe('an assignment', () => {
  const assignment = () => {
    const options = { now: () => 0, sessionTimeoutMs: 100, rebalanceGraceMs: 30, logger };
    return new Assignment([3, 4], new Membership(options));
  };

  it('does deferred work later', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    assignment().later(1, resolve);
    await promise;
  });

  it('does no deferred work once it has ended', async () => {
    const one = assignment();
    let done = false;
    one.later(1, () => {
      done = true;
    });
    one.end();
    await sleep(10);
    expect(done).toBe(false);
    expect(one.signal.aborted).toBe(true);
    expect(one.membership.isLost).toBe(true);
  });

  it('knows nothing of its partitions until they are inspected', () => {
    expect([...assignment().partitions.values()]).toEqual([
      { partition: 3, next: undefined, gaps: new Set(), failures: 0, isSlow: false },
      { partition: 4, next: undefined, gaps: new Set(), failures: 0, isSlow: false },
    ]);
  });
});

describe('a member of a group', () => {
  const errorOf = (type: string) => Object.assign(new Error(type), { type });

  function member() {
    const clock = { now: 1_000 };
    const options = { now: () => clock.now, sessionTimeoutMs: 100, rebalanceGraceMs: 30, logger };
    return { clock, membership: new Membership(options) };
  }

  const failing = (error: Error) => () => Promise.reject(error);

  it('holds its partitions for a session after each heartbeat', () => {
    const { clock, membership } = member();
    clock.now += 99;
    expect(membership).toMatchObject({ isOpen: true, isLost: false });
    membership.renew();
    clock.now += 99;
    expect(membership.isLost).toBe(false);
    clock.now += 1;
    expect(membership).toMatchObject({ isOpen: false, isLost: true, reason: undefined });
    expect(() => membership.requireHeld('kafka:t:0:5')).toThrow(
      'the batch at kafka:t:0:5 now belongs to another consumer',
    );
  });

  it('starts nothing once a rebalance has begun, but has some time to finish', async () => {
    const { clock, membership } = member();
    const rebalance = errorOf('REBALANCE_IN_PROGRESS');
    await membership.beat(failing(rebalance));
    expect(membership).toMatchObject({ isOpen: false, isLost: false, reason: rebalance });
    clock.now += 29;
    await membership.beat(failing(errorOf('REBALANCE_IN_PROGRESS')));
    expect(() => membership.requireHeld('p')).not.toThrow();
    clock.now += 1;
    expect(membership).toMatchObject({ isLost: true, reason: rebalance });
  });

  it.each(['ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID', 'FENCED_INSTANCE_ID'])(
    'has lost every partition after %s',
    async (type) => {
      const { membership } = member();
      await membership.beat(failing(errorOf(type)));
      membership.renew();
      expect(membership).toMatchObject({ isOpen: false, isLost: true, reason: { type } });
    },
  );

  it('keeps its partitions after any other error', async () => {
    const { membership } = member();
    await membership.beat(failing(errorOf('NETWORK_EXCEPTION')));
    expect(membership).toMatchObject({ isOpen: true, isLost: false, reason: undefined });
  });

  it('owns nothing once the group has moved on', () => {
    const { membership } = member();
    membership.end();
    expect(membership).toMatchObject({ isOpen: false, isLost: true });
  });
});
