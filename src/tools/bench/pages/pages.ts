import { launchApi } from '../../harness/processes/launch-api.ts';
import type { Bench, Ground } from '../bench.ts';
import { buildIndexes, gatherCircle } from '../circle.ts';
import type { Measurements } from '../report.ts';
import { type BatchSize, measureBatch } from './batch.ts';

export interface PagesSize {
  readonly batch: BatchSize;
}

/** Measures what a page needs besides one user's list. */
export const pages: Bench<PagesSize> = {
  name: 'pages',
  summary: 'users per second when one request asks for a hundred of them, against a request for each',
  transport: 'streams',
  full: { batch: { users: 1_000, contacts: 50, limit: 3, connections: 8, rounds: 9, warmUp: 1 } },
  quick: { batch: { users: 200, contacts: 10, limit: 3, connections: 2, rounds: 1, warmUp: 1 } },
  measure,
};

async function measure(
  { stores, processGroup, signal, progress }: Ground,
  { batch }: PagesSize,
): Promise<Measurements> {
  const { users } = await gatherCircle(stores, { count: batch.users, contacts: batch.contacts });
  await buildIndexes(stores, users);
  const api = await launchApi(processGroup);
  await api.untilReady();
  progress(
    `${users.length} users with ${batch.contacts} contacts, ${batch.connections} connections; ${batch.rounds} rounds`,
  );
  return await measureBatch({ ...batch, url: api.url, users, signal });
}
