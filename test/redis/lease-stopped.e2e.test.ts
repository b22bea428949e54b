import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, expect, it } from 'vitest';
import { findRun, saveRun } from '../../src/mysql/runs.ts';
import type { Lease } from '../../src/redis/lease.ts';
import { leasesOn } from '../support/leases.ts';
import { redisUrl } from '../support/servers.ts';
import { freshStores, type Stores } from '../support/stores.ts';
import { until } from '../support/until.ts';

const TTL_MS = 5_000;

function startHolder({ url, prefix }: Stores) {
  const script = new URL('../support/lease-holder.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, url, redisUrl(), prefix, String(TTL_MS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said: Record<string, unknown>[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => said.push(JSON.parse(line)));
  afterAll(() => void child.kill('SIGKILL'));
  return { child, said };
}

it('a holder that is stopped past its lease is replaced by one of five standbys, and writes nothing when it wakes', async () => {
  const stores = await freshStores();
  const { child, said } = startHolder(stores);
  const [{ run, token }] = (await until(() => said.length > 0 && said)) as [{ run: string; token: string }];

  const holders: Lease[] = [];
  const enough = Promise.withResolvers<void>();
  const standbys = Array.from({ length: 5 }, () =>
    leasesOn(stores).hold('job', async (lease) => {
      holders.push(lease);
      await enough.promise;
    }),
  );
  child.kill('SIGSTOP');
  await until(() => holders.length > 0);
  const [holder] = holders as [Lease];
  expect(BigInt(holder.token)).toBeGreaterThan(BigInt(token));

  child.kill('SIGCONT');
  await until(() => said.length === 3);
  expect(said.slice(1)).toEqual([
    { lost: expect.stringContaining("the lease 'job' is lost") },
    { written: false, error: 'StaleFence' },
  ]);
  expect(holders).toHaveLength(1); // its release did not delete the lock of its successor
  expect(holder.lost.aborted).toBe(false);

  const fence = { lease: 'job', token: holder.token };
  await saveRun(stores.primary, fence, { id: run, state: 'done', cursor: '5', counts: {} }, Date.now());
  expect(await findRun(stores.primary, run)).toMatchObject({ state: 'done', cursor: '5' });
  enough.resolve();
  await Promise.all(standbys);
  expect(holders).toHaveLength(5);
});
