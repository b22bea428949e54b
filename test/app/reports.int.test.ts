import { describe, expect, it } from 'vitest';
import type { Report } from '../../src/api/readiness.ts';
import { apiReports, consumerReports, relayReports } from '../../src/app/reports.ts';
import type { Lane } from '../../src/contracts/bulk-task.ts';
import { WatchedUsers } from '../../src/index/redis/watched-users.ts';
import { suspendEpoch } from '../../src/mysql/losses.ts';
import { DelayQueue } from '../../src/redis/delay-queue.ts';
import { sql } from '../support/servers.ts';
import { freshNonce, freshStores } from '../support/stores.ts';

describe('what processes report beside their checks', () => {
  it('is fine at rest, and says so when it is not', async () => {
    const { primary, redis, prefix, url } = await freshStores();
    const kinds = [prefix, `${prefix}:groups`].map((own) => ({ delayQueue: new DelayQueue(redis, own) }));
    const { queue } = new WatchedUsers(redis, prefix);
    const ages: Partial<Record<Lane, number>> = {};
    const members: Record<Lane, number> = { small: 1, bulk: 1 };
    const laneOf = (lane: Lane) => ({ consumers: async () => members[lane], lag: async () => 0 });
    const fill = { entries: 1, max: 10 };
    const reports = apiReports(
      { primary, kinds, watched: queue },
      { small: laneOf('small'), bulk: laneOf('bulk'), fill: async () => fill },
      { lagShownMs: (lane = 'bulk') => ages[lane] },
    );
    const read = (name: string) => (reports[name] as Report)();

    expect(await read('oldest_unapplied'), 'nobody has measured').toMatchObject({ state: 'warning' });
    Object.assign(ages, { small: 400, bulk: 500 });
    for (const name of Object.keys(reports)) expect([name, await read(name)]).toMatchObject([name, { state: 'fine' }]);
    expect(Object.keys({ ...relayReports(primary), ...consumerReports({ kinds }) }).sort()).toEqual([
      'delay_queue',
      'outbox',
    ]);

    ages.small = 3_600_000;
    expect(await read('oldest_unapplied')).toMatchObject({
      ...{ state: 'problem', detail: 'small lane 3600.0 s, bulk lane 0.5 s' },
    });
    await redis.zadd(`${prefix}:push:{delay}:due`, Date.now() - 45_000, '42');
    const oneWaits = expect.stringMatching(/^1 watched user waiting, the first has been due for [3-5]\d\.\d s/);
    expect(await read('notifications')).toMatchObject({ state: 'warning', detail: oneWaits });
    await redis.del(`${prefix}:push:{delay}:due`);
    await redis.zadd(`${prefix}:push:{delay}:held`, Date.now() - 3_600_000, '42'); // its notifier has died
    expect(await read('notifications')).toMatchObject({ state: 'problem' });
    members.bulk = 0;
    const detail = 'no consumer takes from the bulk lane, 0 tasks waiting';
    expect(await read('lanes')).toMatchObject({ state: 'problem', detail });
    fill.entries = 10;
    expect(await read('stream')).toMatchObject({ state: 'problem', detail: expect.stringContaining('it is full') });
    await sql(
      url,
      `INSERT INTO recency_outbox (type, user_id, other_id, created_at)
       VALUES ('recency.contact.added', 1, 2, ${Date.now() - 3_600_000})`,
      `INSERT INTO recency_outbox (type, user_id, other_id, is_recheck, due_at)
       VALUES ('recency.contact.changed', 1, 2, TRUE, 1)`,
    );
    expect(await read('outbox')).toMatchObject({ state: 'problem', detail: expect.stringMatching(/^1 rows wait, /) });
    expect(await read('rechecks')).toMatchObject({ state: 'warning', detail: expect.stringMatching(/^1 wait, /) });
    const next = { nonce: freshNonce(), why: 'tasks were lost', bumpedAt: Date.now() };
    await suspendEpoch(primary, next, [{ place: 'recency.tasks/3', what: '17 tasks', foundAt: Date.now(), end: '42' }]);
    expect(await read('epoch')).toEqual({
      ...{ state: 'warning', detail: expect.stringMatching(/^suspended since \S+: tasks were lost$/) },
    });
  });
});
