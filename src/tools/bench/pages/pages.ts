import { KIND_NAMES } from '../../../contracts/kind.ts';
import { launchApi } from '../../harness/processes/launch-api.ts';
import type { Bench, Ground } from '../bench.ts';
import { buildIndexes, gatherCircle } from '../circle.ts';
import type { Measurements } from '../report.ts';
import { type BatchSize, measureBatch } from './batch.ts';
import { type FreshSize, measureFresh } from './fresh.ts';
import { type LooksSize, measureLooks } from './looks.ts';

export interface PagesSize {
  readonly batch: BatchSize;
  readonly fresh: FreshSize;
  readonly looks: LooksSize;
}

/** Measures what a page needs besides one user's list. */
export const pages: Bench<PagesSize> = {
  name: 'pages',
  summary:
    'a hundred users in one request against a request for each; a read that names its change; the count of what is new, and the answer over both kinds',
  transport: 'streams',
  settings: () => ({ KINDS: KIND_NAMES.join() }),
  full: {
    batch: { users: 1_000, contacts: 50, limit: 3, connections: 8, rounds: 9, warmUp: 1 },
    fresh: { pairs: 100_000, connections: 4, limit: 10, reads: 300, rounds: 9, warmUp: 1 },
    looks: { sources: [10, 20_000], requests: 500, rounds: 9, warmUp: 1 },
  },
  quick: {
    batch: { users: 100, contacts: 10, limit: 3, connections: 2, rounds: 1, warmUp: 0 },
    fresh: { pairs: 100, connections: 2, limit: 5, reads: 4, rounds: 1, warmUp: 0 },
    looks: { sources: [10, 100], requests: 4, rounds: 1, warmUp: 0 },
  },
  measure,
};

async function measure(
  { stores, processGroup, signal, progress }: Ground,
  { batch, fresh, looks }: PagesSize,
): Promise<Measurements> {
  const { users } = await gatherCircle(stores, { count: batch.users, contacts: batch.contacts });
  await buildIndexes(stores, users);
  const api = await launchApi(processGroup);
  await api.untilReady();
  progress(
    `${users.length} users with ${batch.contacts} contacts, ${batch.connections} connections; ${batch.rounds} rounds`,
  );
  const ofBatch = await measureBatch({ ...batch, url: api.url, users, signal });
  const { pool, contacts: database } = stores;
  const ofFresh = await measureFresh({ ...fresh, url: api.url, pool, database, users, signal, progress });
  progress(`users with ${looks.sources.join(' and ')} contacts and groups; ${looks.rounds} rounds`);
  const ofLooks = await measureLooks({ ...looks, url: api.url, stores, signal });
  const parts = [ofLooks, ofBatch, ofFresh];
  return { rows: parts.flatMap(({ rows }) => rows), ratios: Object.assign({}, ...parts.map(({ ratios }) => ratios)) };
}
