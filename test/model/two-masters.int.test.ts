import fc from 'fast-check';
import pino from 'pino';
import { expect, it } from 'vitest';
import { TaskConsumer } from '../../src/consumers/task-consumer.ts';
import { TaskWorker } from '../../src/consumers/work-plan.ts';
import type { Id } from '../../src/contracts/id.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { trustedReads } from '../../src/index/trusted-reads.ts';
import { startRedis } from '../../src/tools/devservers/start-server.ts';
import type { BatchHandler, Delivery, TaskSource } from '../../src/transport/task-source.ts';
import { closeAtEnd, freshName, redisUrl } from '../support/servers.ts';
import { leadTo, type SiteProcess, startProcess } from '../support/site-process.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { freshStores, recentContactsOn, type Stores } from '../support/stores.ts';

/**
 * A consumer and a reader, each behind an address of its own that leads to one of two Redis masters. In any order: uploads,
 * tasks that are consumed, addresses that lead elsewhere (also between the steps of a batch), reads. An answer from an index is
 * right whenever no task is waiting.
 */
const LIMITS = { max: 4, min: 2 };
const USER = '1';
const CONTACTS: readonly Id[] = Array.from({ length: 8 }, (_, i) => String(11 + i));
const HISTORIES = 60;
/** Longer than a master counts as present after it was seen. */
const A_WHILE_MS = 31_000;
const logger = pino({ level: 'silent' });

const other = await startRedis();
closeAtEnd(() => other[Symbol.asyncDispose]());
const MASTERS = [redisUrl(), other.url];

type Who = 'consumer' | 'reader';

class World {
  readonly #site: Stores;
  readonly #processes: Record<Who, SiteProcess>;
  readonly #at: Record<Who, number> = { consumer: 0, reader: 0 };
  readonly #waiting: Delivery[] = [];
  #uploads = 0;
  /** Answers from an index while no task waited. */
  answered = 0;

  constructor(site: Stores, processes: Record<Who, SiteProcess>) {
    this.#site = site;
    this.#processes = processes;
  }

  async upload(contact: Id): Promise<void> {
    this.#uploads++;
    await this.#site.primary.write('UPDATE users SET last_public_at = ? WHERE id = ?', [
      10_000 + this.#uploads,
      contact,
    ]);
    const body = Buffer.from(JSON.stringify({ type: 'recency.photo.uploaded', owner: contact }));
    this.#waiting.push({ position: `test:${this.#uploads}`, body, headers: {}, timestamp: -1 });
  }

  async move(who: Who): Promise<void> {
    this.#at[who] = 1 - this.#at[who];
    await leadTo(this.#processes[who], MASTERS[this.#at[who]] ?? '');
  }

  /**
   * @param moves before which steps of the batch the consumer's address leads elsewhere
   * @param isSlow comparisons wait until everything is written
   */
  async consume({ moves, isSlow }: Consuming): Promise<void> {
    const deliveries = this.#waiting.slice(0, 2);
    if (deliveries.length === 0) return;
    let steps = 0;
    const renew = async () => {
      if (moves[steps++]) await this.move('consumer');
    };
    const { steps: ofProtocol, watch, primary } = this.#processes.consumer;
    if (isSlow && watch.isTrusted()) primary.halt();
    const worker = new TaskWorker({ steps: ofProtocol, pageSize: 10 });
    const source = { run: (handler: BatchHandler) => handler({ deliveries, lease: { renew } }) };
    const consumer = new TaskConsumer({
      source: source as unknown as TaskSource,
      worker: { work: (...of) => worker.work(...of).finally(() => primary.release()) },
      ...{ watch, logger, deadLetters: { put: async () => undefined }, onLoss: async () => undefined },
    });
    await consumer.run().then(
      () => this.#waiting.splice(0, deliveries.length),
      () => undefined, // the batch comes again
    );
  }

  async read(): Promise<void> {
    const { index, watch, primary, steps } = this.#processes.reader;
    const recent = recentContactsOn({ index: trustedReads(index, watch), primary }, LIMITS);
    const asked = { user: USER, relation: 'any', limit: 3, below: undefined } as const;
    const answer = await recent.find(asked);
    if (answer.source === 'database') await run(rebuild([USER]), steps).catch(() => undefined);
    if (this.#waiting.length > 0 || answer.source === 'database') return;
    this.answered++;
    const truth = await recent.find({ ...asked, consistency: 'strong' });
    const idsOf = ({ contacts }: typeof answer) => contacts.map(({ id }) => id);
    expect(idsOf(answer)).toEqual(idsOf(truth));
  }

  /** What a site does all the time. */
  async use(contact: Id): Promise<void> {
    await this.read();
    await this.upload(contact);
    await this.consume({ moves: [], isSlow: false });
    await this.read();
  }

  /** From now on comparisons of the reader wait, until they are let go. */
  async halt(): Promise<void> {
    this.#processes.reader.primary.halt();
  }

  async release(): Promise<void> {
    this.#processes.reader.primary.release();
  }

  /** Nobody has seen any master for a while. */
  async wait(): Promise<void> {
    await this.#site.primary.write(
      `UPDATE recency_settings SET value = JSON_SET(value, '$.seenAt', JSON_EXTRACT(value, '$.seenAt') - ?)
       WHERE name = 'redis:index:replaced'`,
      [A_WHILE_MS],
    );
  }
}

interface Consuming {
  readonly moves: readonly boolean[];
  readonly isSlow: boolean;
}

type Op =
  | readonly ['upload' | 'use', Id]
  | readonly ['consume', Consuming]
  | readonly ['move', Who]
  | readonly ['read' | 'wait' | 'halt' | 'release'];

function doOp(world: World, [name, argument]: Op): Promise<void> {
  return (world[name] as (of: typeof argument) => Promise<void>).call(world, argument);
}

const consuming = fc.record({ moves: fc.array(fc.boolean(), { maxLength: 5 }), isSlow: fc.boolean() });

const history = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.tuple(fc.constant('upload'), fc.constantFrom(...CONTACTS)) },
    { weight: 5, arbitrary: fc.tuple(fc.constant('consume'), consuming) },
    { weight: 4, arbitrary: fc.tuple(fc.constant('use'), fc.constantFrom(...CONTACTS)) },
    { weight: 4, arbitrary: fc.tuple(fc.constant('move'), fc.constantFrom<Who>('consumer', 'reader')) },
    { weight: 3, arbitrary: fc.constantFrom(['halt'], ['release']) },
    { weight: 4, arbitrary: fc.constant(['read']) },
    { weight: 2, arbitrary: fc.constant(['wait']) },
  ) as fc.Arbitrary<Op>,
  { minLength: 10, maxLength: 30 },
);

it('wherever the addresses lead meanwhile, no answer of an index lacks a change that was consumed', async () => {
  const site = await freshStores(LIMITS);
  await writeSite(freshSitePool(site.url), everybodyKnows([USER], CONTACTS));
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(history, async (ops) => {
      await using resources = new AsyncDisposableStack();
      await site.primary.write("DELETE FROM recency_settings WHERE name LIKE 'redis:%'", []);
      const own = { ...site, prefix: freshName() };
      const [consumer, reader] = [
        await startProcess(own, LIMITS, resources),
        await startProcess(own, LIMITS, resources),
      ];
      const world = new World(site, { consumer, reader });
      for (const op of ops) await doOp(world, op);
      answered += world.answered;
    }),
    { numRuns: HISTORIES },
  );
  expect(answered).toBeGreaterThan(HISTORIES / 2);
});
