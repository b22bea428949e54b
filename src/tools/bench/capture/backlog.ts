import { chunks } from '../../../timing/batches.ts';
import { quantile } from '../../harness/latency.ts';
import { poll } from '../../harness/poll.ts';
import { settle } from '../../harness/stores.ts';
import type { Ground } from '../bench.ts';
import { TURN_OVER } from '../circle.ts';
import type { CapturedSite } from './site.ts';

const ROWS_A_TRANSACTION = 2_000;
const LOOK_MS = 10;
const TIMEOUT_MS = 120_000;

/**
 * Changes every pair while capture and the consumers are stopped, then continues capture. The clock stops when the tasks of
 * the last changed row are in the transport.
 */
export async function measureBacklog({ stores, signal }: Ground, site: CapturedSite, rounds: number) {
  const { pairs, capturing, consumers } = site;
  const speeds: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const before = await capturing.rows();
    for (const one of [capturing.member, ...consumers]) one.signal('SIGSTOP');
    for (const some of chunks(pairs, ROWS_A_TRANSACTION)) {
      await stores.pool.execute(TURN_OVER, [JSON.stringify(some.map(({ user, contact }) => [user, contact]))]);
    }
    const from = performance.now();
    capturing.member.signal('SIGCONT');
    const isDone = (rows: number) => rows >= before + pairs.length;
    const rows = await poll(() => capturing.rows(), isDone, { everyMs: LOOK_MS, timeoutMs: TIMEOUT_MS, signal });
    const seconds = (performance.now() - from) / 1000;
    for (const one of consumers) one.signal('SIGCONT');
    if (!isDone(rows))
      throw new Error(`${before + pairs.length - rows} of ${pairs.length} changed rows were not captured`);
    await settle(stores.raiseBarrier, signal, TIMEOUT_MS);
    if (round > 0) speeds.push(pairs.length / seconds); // the first is the warm-up
  }
  return { changed_rows: pairs.length, rows_per_second: Math.round(quantile(speeds, 0.5)) };
}
