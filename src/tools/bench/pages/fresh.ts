import type { Pool } from 'mysql2/promise';
import type { Id } from '../../../contracts/id.ts';
import type { KindDatabase } from '../../../mysql/statements/kind-statements.ts';
import { readPlain } from '../../../mysql/statements/plain-contacts.ts';
import { quantile } from '../../harness/latency.ts';
import { MeasuringClient } from '../../harness/measuring-client.ts';
import { addContact, removeContact } from '../../reference-site/relationships.ts';
import { type Measurements, rounded } from '../report.ts';
import { inTurns, secondsOf } from '../turns.ts';

export interface FreshSize {
  /** Changes, each followed by a read that names it. */
  readonly pairs: number;
  /** That change and read at once. A divisor of the number of users. */
  readonly connections: number;
  readonly limit: number;
  /** Reads of each arm in a round, one at a time, for the latency. */
  readonly reads: number;
  readonly rounds: number;
  readonly warmUp: number;
}

interface FreshOptions extends FreshSize {
  /** Address of the API. Nothing applies tasks. */
  readonly url: string;
  readonly pool: Pool;
  readonly database: KindDatabase;
  /** All of them have an index. */
  readonly users: readonly Id[];
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

/** Pairs between two lines for the person who waits. */
const PROGRESS_PAIRS = 10_000;

/**
 * Changes that only their reader knows of, because no consumer runs: how many reads do not show them, and how much longer a
 * read takes that names one. The change is a relation among those whom the first page shows, ended or begun again.
 */
export async function measureFresh(options: FreshOptions): Promise<Measurements> {
  const viewers = await viewersOf(options);
  const latency = await overConnections(1, options, ([client]) =>
    measureLatency(client as MeasuringClient, viewers, options),
  );
  const pairs = await overConnections(options.connections, options, (clients) => countStale(clients, viewers, options));
  return { rows: [...latency, pairs], ratios: { ...freshRatios(latency), fresh_stale: pairs.stale } };
}

/** They are opened for each part: the API closes connections that are idle for long. */
async function overConnections<T>(
  count: number,
  { url }: FreshOptions,
  work: (clients: readonly MeasuringClient[]) => Promise<T>,
): Promise<T> {
  const clients = Array.from({ length: count }, () => new MeasuringClient(url));
  try {
    return await work(clients);
  } finally {
    for (const client of clients) client.close();
  }
}

/** @throws Error when an arm is missing */
export function freshRatios(rows: readonly { readonly arm: string; readonly p50_ms: number }[]) {
  const [plain, fresh] = ['plain', 'fresh'].map((arm) => rows.find((row) => row.arm === arm)?.p50_ms);
  if (plain === undefined || fresh === undefined) throw new Error('too little was measured');
  return { fresh_extra_p50_ms: rounded(fresh - plain) };
}

/** A user, and what MySQL says of them. */
class Viewer {
  readonly id: Id;
  /** Those whom the user follows at first, most recently active first. */
  readonly #ranked: readonly Id[];
  #removed: Id | undefined;
  #changes = 0;

  constructor(id: Id, ranked: readonly Id[]) {
    this.id = id;
    this.#ranked = ranked;
  }

  /** Ends a relation among the first, or begins again the one that was ended last. @returns what names the change */
  async change(pool: Pool, among: number): Promise<string> {
    this.#changes += 1;
    const removed = this.#removed;
    if (removed !== undefined) {
      const version = await addContact(pool, this.id, removed);
      this.#removed = undefined;
      return `contact=${removed}@${version}`;
    }
    const contact = this.#ranked[this.#changes % among] ?? '';
    const version = await removeContact(pool, this.id, contact);
    this.#removed = contact;
    return `contact=${contact}@${version}`;
  }

  /** The first page. */
  page(limit: number): readonly Id[] {
    return this.#ranked.filter((id) => id !== this.#removed).slice(0, limit);
  }
}

async function viewersOf({ users, database }: FreshOptions): Promise<Viewer[]> {
  const viewers: Viewer[] = [];
  for (const user of users) {
    const query = { user, relation: 'any', below: undefined, limit: 1_000 } as const;
    const { contacts } = await readPlain(database, query);
    viewers.push(
      new Viewer(
        user,
        contacts.map(({ id }) => id),
      ),
    );
  }
  return viewers;
}

/** Each connection has users of its own, so that what one changes is not in what another reads. */
async function countStale(
  clients: readonly MeasuringClient[],
  viewers: readonly Viewer[],
  { pool, pairs, limit, signal, progress }: FreshOptions,
) {
  progress(`${pairs} changes, each followed by a read that names it, over ${clients.length} connections`);
  const counts = { done: 0, stale: 0, index: 0 };
  const lane = async (client: MeasuringClient, first: number) => {
    for (let place = first; counts.done < pairs; place += clients.length) {
      signal.throwIfAborted();
      counts.done += 1;
      const viewer = viewers[place % viewers.length] as Viewer;
      const { isRight, isOfIndex } = await readOnce(client, viewer, limit, await viewer.change(pool, limit));
      if (!isRight) counts.stale += 1;
      if (isOfIndex) counts.index += 1;
      if (counts.done % PROGRESS_PAIRS === 0) progress(`${counts.done} pairs, ${counts.stale} stale`);
    }
  };
  const seconds = await secondsOf(() => Promise.all(clients.map(lane)));
  const { stale, index } = counts;
  return {
    arm: 'fresh',
    connections: clients.length,
    pairs,
    pairs_per_second: Math.round(pairs / seconds),
    stale,
    index,
  };
}

/** The two arms by turns, each read right after a change: one names it, and the other does not and may lack it. */
async function measureLatency(
  client: MeasuringClient,
  viewers: readonly Viewer[],
  { pool, limit, reads, rounds, warmUp, signal }: FreshOptions,
) {
  const p50Of = async (arm: 'plain' | 'fresh') => {
    const times: number[] = [];
    for (let i = 0; i < reads; i++) {
      const viewer = viewers[i % viewers.length] as Viewer;
      const fresh = await viewer.change(pool, limit);
      const { ms } = arm === 'plain' ? await readOnce(client, viewer, limit, undefined) : { ms: 0 };
      const named = await readOnce(client, viewer, limit, fresh); // for the plain arm too, so that the index gets the change
      if (!named.isRight) throw new Error(`the answer of user ${viewer.id} is not what MySQL says`);
      times.push(arm === 'plain' ? ms : named.ms);
    }
    return quantile(times, 0.5);
  };
  const turns = (['plain', 'fresh'] as const).map((arm) => ({ row: { arm }, take: () => p50Of(arm) }));
  const measured = await inTurns([turns], { rounds, warmUp, signal });
  return measured.map(({ arm, median }) => ({ arm, connections: 1, p50_ms: rounded(median) }));
}

async function readOnce(client: MeasuringClient, viewer: Viewer, limit: number, fresh: string | undefined) {
  const headers = fresh === undefined ? {} : { 'Recency-Fresh': fresh };
  const from = performance.now();
  const { status, body } = await client.get(`/v1/users/${viewer.id}/contacts/recent?limit=${limit}`, headers);
  const ms = performance.now() - from;
  if (status !== 200) throw new Error(`an answer of ${status}: ${body}`);
  const found = JSON.parse(body) as {
    contacts: { id: Id }[];
    answer: { source: string; exact: boolean; reason?: string };
  };
  const ids = found.contacts.map(({ id }) => id).join();
  const { exact, reason } = found.answer;
  const isCertain = exact || reason === 'lag'; // no consumer runs: what other requests changed is never applied
  const isRight = ids === viewer.page(limit).join() && isCertain;
  return { ms, isRight, isOfIndex: found.answer.source === 'index' };
}
