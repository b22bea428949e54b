import { describe, expect, test } from 'vitest';
import { TaskWay } from '../../../../src/tools/demo/page/task-way.ts';
import { until } from '../../../support/until.ts';

const now = () => performance.now();
const never = async () => false;

describe('the way of a change', () => {
  test('has the time of each station that was passed, in their order', async () => {
    const way = new TaskWay(now, new AbortController().signal);
    let looks = 0;
    const later = async () => {
      if (looks++ < 3) throw new Error('not there yet');
      return true;
    };
    way.follow({ what: 'somebody uploads', transactionMs: 4, looks: { answered: later, published: async () => true } });
    expect([...(way.latest?.seen.keys() ?? [])]).toEqual(['published', 'answered']);
    await until(() => way.latest?.seen.get('answered') !== undefined);
    const [published = 0, answered = 0] = [...(way.latest?.seen.values() ?? [])];
    expect(published).toBeGreaterThanOrEqual(0);
    expect(answered).toBeGreaterThan(published);
  });

  test('is that of the latest change only', async () => {
    const ending = new AbortController();
    const way = new TaskWay(now, ending.signal);
    let looks = 0;
    const counted = async () => {
      looks++;
      return false;
    };
    way.follow({ what: 'the first', transactionMs: 1, looks: { applied: counted } });
    await until(() => looks > 0);
    way.follow({ what: 'the second', transactionMs: 1, looks: { applied: never, answered: async () => true } });
    const before = looks;
    await until(() => way.latest?.seen.get('answered') !== undefined);
    expect(looks - before).toBeLessThanOrEqual(1);
    expect(way.latest?.what).toBe('the second');
    expect(way.latest?.seen.get('applied')).toBeUndefined();
    ending.abort();
  });
});
