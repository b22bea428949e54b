import type { Id } from '../../../contracts/id.ts';
import { chunks } from '../../../timing/batches.ts';
import { MeasuringClient } from '../../harness/measuring-client.ts';
import { type Measurements, rounded } from '../report.ts';
import { inTurns, secondsOf } from '../turns.ts';

export interface BatchSize {
  /** Users answered in one turn, each once. */
  readonly users: number;
  /** Contacts of each user, and in each answer. */
  readonly contacts: number;
  readonly limit: number;
  /** Connections, the same for both arms. */
  readonly connections: number;
  readonly rounds: number;
  readonly warmUp: number;
}

/** Users of one request. */
const USERS_A_REQUEST = 100;

interface BatchOptions extends Pick<BatchSize, 'limit' | 'connections' | 'rounds' | 'warmUp'> {
  /** Address of the API. */
  readonly url: string;
  /** All of them have an index. */
  readonly users: readonly Id[];
  readonly signal: AbortSignal;
}

/**
 * Users per second of requests for a hundred users and of requests for one, in turns, over the same number of connections.
 * @throws Error when a user is not answered from an index
 */
export async function measureBatch(options: BatchOptions): Promise<Measurements> {
  const { url, users, limit, connections, rounds, warmUp, signal } = options;
  const clients = Array.from({ length: connections }, () => new MeasuringClient(url));
  try {
    const rateOf = async (items: number, ask: (client: MeasuringClient, item: number) => Promise<void>) =>
      users.length / (await secondsOf(() => inLanes(clients, items, ask)));
    const requests = chunks(users, USERS_A_REQUEST);
    const single = async (client: MeasuringClient, item: number) => {
      expectFromIndex((await client.get(`/v1/users/${users[item]}/contacts/recent?limit=${limit}`)).body, 1);
    };
    const batch = async (client: MeasuringClient, item: number) => {
      const some = requests[item] ?? [];
      expectFromIndex((await client.post('/v1/recent', JSON.stringify({ users: some, limit }))).body, some.length);
    };
    const turns = [
      { row: { arm: 'single' }, take: () => rateOf(users.length, single) },
      { row: { arm: 'batch' }, take: () => rateOf(requests.length, batch) },
    ];
    const measured = await inTurns([turns], { rounds, warmUp, signal });
    const rows = measured.map(({ arm, median }) => ({ arm, connections, users_per_second: Math.round(median) }));
    return { rows, ratios: batchRatios(rows) };
  } finally {
    for (const client of clients) client.close();
  }
}

/** @throws Error when an arm is missing */
export function batchRatios(rows: readonly { readonly arm: string; readonly users_per_second: number }[]) {
  const [single, batch] = ['single', 'batch'].map((arm) => rows.find((row) => row.arm === arm)?.users_per_second);
  if (!single || !batch) throw new Error('too little was measured');
  return { batch_over_single: rounded(batch / single) };
}

/** Each client takes the next item as soon as it is answered. */
async function inLanes(
  clients: readonly MeasuringClient[],
  items: number,
  ask: (client: MeasuringClient, item: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async (client: MeasuringClient) => {
    while (next < items) await ask(client, next++);
  };
  await Promise.all(clients.map(lane));
}

function expectFromIndex(body: string, users: number): void {
  const found = body.split('"source":"index"').length - 1;
  if (found !== users) throw new Error(`${found} of ${users} users were answered from an index: ${body.slice(0, 500)}`);
}
