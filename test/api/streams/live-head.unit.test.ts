import { describe, expect, it } from 'vitest';
import { HeadBatch, type HeadOutcome } from '../../../src/api/streams/live-head.ts';
import { Deadline } from '../../../src/timing/deadline.ts';

const deadlineOf = () => new Deadline(5_000);
const headOf = (user: string) => ({ tag: user, text: `of ${user}` });

/** A batch whose runs end when the test says so. */
function held() {
  const runs: { users: readonly string[]; end: PromiseWithResolvers<ReadonlyMap<string, HeadOutcome>> }[] = [];
  const batch = new HeadBatch((users) => {
    const end = Promise.withResolvers<ReadonlyMap<string, HeadOutcome>>();
    runs.push({ users, end });
    return end.promise;
  });
  const find = (user: string) => batch.find(user, deadlineOf);
  const end = (i: number) => {
    const { users, end } = runs[i] as (typeof runs)[number];
    end.resolve(new Map(users.map((user) => [user, { found: headOf(user) }])));
  };
  const usersOf = () => runs.map(({ users }) => users);
  return { find, end, runs, usersOf };
}

/** All that can happen without a run's end. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('heads of a batch', () => {
  it('that are asked for while two batches run are in the next one, which begins after they were asked for', async () => {
    const { find, end, usersOf } = held();
    const first = find('1');
    await turn();
    const second = find('2');
    await turn();
    const later = ['3', '1', '4'].map(find); // who is asked about again is found again
    await turn();
    expect(usersOf()).toEqual([['1'], ['2']]);
    end(0);
    await first;
    await turn();
    expect(usersOf()).toEqual([['1'], ['2'], ['3', '1', '4']]);
    end(1);
    end(2);
    expect(await Promise.all([second, ...later])).toEqual(['2', '3', '1', '4'].map(headOf));
  });

  it('that cannot be found fail by themselves', async () => {
    const { find, end, runs } = held();
    const busy = ['8', '9'].map(find);
    const settled = Promise.allSettled(['1', '2', '3'].map(find));
    end(0);
    end(1);
    await Promise.all(busy);
    await turn();
    const failed = { error: new Error('cold') };
    runs[2]?.end.resolve(
      new Map<string, HeadOutcome>([
        ['1', { found: headOf('1') }],
        ['2', failed],
      ]),
    );
    expect(await settled).toMatchObject([
      { status: 'fulfilled', value: headOf('1') },
      { status: 'rejected', reason: failed.error },
      { status: 'rejected' },
    ]);
  });
});
