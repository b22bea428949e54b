import type { Pool } from 'mysql2/promise';
import { pino } from 'pino';
import { TaskConsumer } from '../../../src/consumers/task-consumer.ts';
import { TaskWorker } from '../../../src/consumers/work-plan.ts';
import type { Steps } from '../../../src/index/protocol.ts';
import { OutboxRelay } from '../../../src/relay/relay.ts';
import type { Random } from '../../../src/tools/demo/random.ts';
import { workBothLanes } from '../../../src/tools/harness/both-lanes.ts';
import type { Edge } from '../../../src/tools/reference-site/edge-list.ts';
import type { OutgoingTask } from '../../../src/transport/task-publisher.ts';
import type { Delivery } from '../../../src/transport/task-source.ts';
import { settleLostRaces } from '../../support/lost-races.ts';
import type { Stores } from '../../support/stores.ts';
import { TRUSTED } from '../../support/trust.ts';
import { EdgeSite } from './edge-site.ts';
import { ListSource } from './list-source.ts';
import { UnrulyWindows } from './unruly-windows.ts';

interface ReplayStores extends Stores {
  readonly pool: Pool;
}

const EDGES_A_TRANSACTION = 100;
const DELIVERIES_A_BATCH = 500;
const CONSUMERS = 2;

/** Plays edges as transactions of the site, then delivers their tasks in disorder to two consumers at once. */
export class Replay {
  readonly counts = { edges: 0, transactions: 0, tasks: 0, deliveries: 0 };
  readonly #stores: ReplayStores;
  readonly #site: EdgeSite;
  readonly #windows: UnrulyWindows;
  readonly #relay: OutboxRelay;
  readonly #logger = pino({ level: 'silent' });
  readonly #published: OutgoingTask[] = [];

  constructor(stores: ReplayStores, random: Random) {
    this.#stores = stores;
    this.#site = new EdgeSite(stores.pool);
    this.#windows = new UnrulyWindows(random);
    const publisher = {
      publish: async (tasks: readonly OutgoingTask[]) => void this.#published.push(...tasks),
      checkRoom: async () => undefined,
    };
    this.#relay = new OutboxRelay({ database: stores.primary, publisher, deadLetters: refused, logger: this.#logger });
  }

  /** Duplicate deliveries. */
  get duplicates(): number {
    return this.#windows.duplicates;
  }

  /** When it resolves, all edges are committed, each of their tasks was applied at least once, and no lost race is pending. */
  async play(edges: readonly Edge[]): Promise<void> {
    for (let from = 0; from < edges.length; from += EDGES_A_TRANSACTION) {
      await this.#site.commit(edges.slice(from, from + EDGES_A_TRANSACTION));
      this.counts.transactions++;
    }
    this.counts.edges += edges.length;
    const tasks = await this.#takePublished();
    for (const window of this.#windows.windows(tasks)) await this.#consume(window);
    await settleLostRaces(this.#stores);
  }

  async #takePublished(): Promise<OutgoingTask[]> {
    for (let published = 1; published > 0; ) published = (await this.#relay.runOnce()).published;
    const tasks = this.#published.splice(0);
    this.counts.tasks += tasks.length;
    return tasks;
  }

  async #consume(window: readonly Delivery[]): Promise<void> {
    const source = new ListSource(chunks(window));
    const consumers = Array.from({ length: CONSUMERS }, () => {
      const { steps } = this.#stores;
      // The bulk lane has no other consumer here, so its work is done when it is published.
      const publish: Steps['publish'] = async (tasks) => void (await workBothLanes(tasks, steps, { pageSize: 500 }));
      const worker = new TaskWorker({ steps: { ...steps, publish }, pageSize: 500 });
      return new TaskConsumer({
        watch: TRUSTED,
        source,
        worker,
        deadLetters: refused,
        onLoss: noLoss,
        logger: this.#logger,
      });
    });
    await Promise.all(consumers.map((consumer) => consumer.run()));
    this.counts.deliveries += window.length;
  }
}

function chunks(window: readonly Delivery[]): Delivery[][] {
  const batches: Delivery[][] = [];
  for (let from = 0; from < window.length; from += DELIVERIES_A_BATCH) {
    batches.push(window.slice(from, from + DELIVERIES_A_BATCH));
  }
  return batches;
}

const noLoss = async () => undefined;

const refused = {
  put: async () => {
    throw new Error('every task is a right one');
  },
};
