import { describe, expect, it } from 'vitest';
import { lanesVerdict } from '../../src/health/backlog-checks.ts';

const verdictOf = (small: number | undefined, bulk: number | undefined, lags: { small?: number; bulk?: number } = {}) =>
  lanesVerdict({
    small: { consumers: async () => small, lag: async () => lags.small },
    bulk: { consumers: async () => bulk, lag: async () => lags.bulk },
  });

describe('the check of the lanes', () => {
  it.each([
    ['both are consumed', 2, 1, { small: 7, bulk: 3 }],
    ['nothing has been consumed yet, and nothing waits', 0, 0, {}],
    ['it is not known who consumes', undefined, undefined, { bulk: 3 }],
  ])('is fine where %s', async (_, small, bulk, lags) => {
    expect(await verdictOf(small, bulk, lags)).toMatchObject({ state: 'fine' });
  });

  it('counts consumers', async () => {
    expect(await verdictOf(1, 2)).toMatchObject({ detail: 'small lane: 1 consumer, bulk lane: 2 consumers' });
    expect(await verdictOf(1, undefined)).toMatchObject({ detail: 'small lane: 1 consumer, bulk lane: not known' });
  });

  it.each([
    [
      'the bulk lane, although nothing waits there yet',
      2,
      0,
      {},
      'no consumer takes from the bulk lane, 0 tasks waiting',
      'bulk',
    ],
    [
      'the bulk lane, where a plan waits',
      0,
      0,
      { bulk: 1 },
      'no consumer takes from the bulk lane, 1 task waiting',
      'bulk',
    ],
    ['the small lane', 0, 1, { small: 5 }, 'no consumer takes from the small lane, 5 tasks waiting', 'small'],
  ])('names the lane without consumers: %s', async (_, small, bulk, lags, detail, lanes) => {
    const mend = `Start \`recency consume --lanes ${lanes}\`.`;
    expect(await verdictOf(small, bulk, lags)).toEqual({ state: 'problem', detail, mend });
  });
});
