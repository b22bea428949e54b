import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { EVERYBODY } from '../../src/index/drain-barrier.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { SamplerReports } from '../../src/repair/sampler/report.ts';
import { Windows } from '../../src/repair/sampler/windows.ts';
import { act } from '../support/busy-site.ts';
import { startConsuming } from '../support/consuming.ts';
import { Sampler } from '../support/jobs-of-contacts.ts';
import { PLANTS, spoil } from '../support/plant-drift.ts';
import { freshSite, LIMITS } from '../support/repair-site.ts';
import { until } from '../support/until.ts';

const USERS = 30;
const LOAD_MS = 4_000;

it('the sampler counts no pending change of a site under load as wrong, and finds planted drift', async () => {
  const site = await freshSite({ users: USERS });
  const { index, primary, redis, prefix, steps } = site.stores;
  await run(rebuild(site.users), steps);
  const { raiseBarrier } = await startConsuming(site.stores, { pageSize: 7 });
  const now = () => performance.now();
  const windows = new Windows(now);
  let suspected = 0;
  const sampler = new Sampler({
    ...{ index, primary, limits: LIMITS, settleMs: 10_000, graceMs: 0, pollMs: 10, now, clock: Date.now },
    raiseBarrier: (suspects) => {
      suspected++;
      return raiseBarrier(suspects);
    },
    ...{ rate: 10, random: Math.random, windows, reports: new SamplerReports(redis, prefix) },
    logger: pino({ level: 'silent' }),
  });

  const end = now() + LOAD_MS;
  let actions = 0;
  const load = {
    isOver: () => now() > end && suspected > 0 && actions > 100 && windows.within('5m').checked > 10,
    onAction: () => void actions++,
  };
  const acting = Promise.all([act(site, load), act(site, load), act(site, load)]);
  while (!load.isOver()) await sampler.runOnce();
  await acting;
  await sampler.idle();
  // A user who changes all the time may be unsettled: that cannot be told from being wrong.
  const { wrong, visible, unsettled } = windows.within('5m');
  expect({ wrong, visible }).toEqual({ wrong: 0, visible: 0 });

  // No work is pending now, so nobody else becomes unsettled; on a busy machine the consumer may have been behind.
  const barrier = await raiseBarrier([EVERYBODY]);
  await until(() => barrier.passed());
  await spoil(site.stores, site.users[3] as Id, PLANTS.score);
  for (let round = 0; round < USERS / 5 + 1; round++) await sampler.runOnce();
  await sampler.idle();
  expect(windows.within('5m')).toMatchObject({ wrong: expect.toSatisfy((wrong: number) => wrong > 0), unsettled });
});
