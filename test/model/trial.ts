import type { Scheduler } from 'fast-check';
import type { Id } from '../../src/contracts/id.ts';
import { CONTACTS, GROUPS, type Kind } from '../../src/contracts/kind.ts';
import { bumpEpoch } from '../../src/index/epoch.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { readRecheckBacklog } from '../../src/mysql/rechecks.ts';
import { OutboxRelay } from '../../src/relay/relay.ts';
import { type Random, shuffled } from '../../src/tools/demo/random.ts';
import type { TaskPublisher } from '../../src/transport/task-publisher.ts';
import type { Loss } from '../../src/transport/task-source.ts';
import type { Arena } from './arena.ts';
import type { Carrier } from './carrier.ts';
import { CAST } from './cast.ts';
import type { HistoryCounts } from './counts.ts';
import { Disturbances } from './disturbances.ts';
import { EarlyTasks } from './early-tasks.ts';
import { type Move, perform, type Relating } from './moves.ts';
import { Side } from './side.ts';
import { newSite, type Site } from './site.ts';
import { Actor, Turns } from './turns.ts';
import { Workers } from './workers.ts';

/** How many of the five people begin with an index, of each kind. */
const WARM = 4;

interface Beginning {
  readonly arena: Arena;
  readonly turns: Turns;
  readonly site: Site;
  readonly random: Random;
  readonly prefix: string;
  readonly carrier: Carrier;
}

/** One history: a site of five people with all of Recency around it, each step in its own turn. */
export class Trial {
  readonly arena: Arena;
  readonly turns: Turns;
  readonly prefix: string;
  readonly site: Site;
  readonly carrier: Carrier;
  readonly workers: Workers;
  readonly disturbances: Disturbances;
  readonly early: EarlyTasks;
  readonly contacts: Side;
  readonly groups: Side;
  /** Both. */
  readonly sides: readonly Side[];
  /** The actor of the commands. */
  readonly director = new Actor('', true);
  /** Orders the remaining work at the end. */
  readonly random: Random;
  #epochs = 0;
  #actions = 0;
  readonly #background = new Set<Promise<unknown>>();
  readonly #faults: Error[] = [];
  readonly #api = new Actor('api');
  readonly #keeper = new Actor('backfill and repair');

  private constructor({ arena, turns, site, random, prefix, carrier }: Beginning) {
    this.arena = arena;
    this.carrier = carrier;
    this.random = random;
    this.turns = turns;
    this.site = site;
    this.prefix = prefix;
    const { primary, redis, logger } = arena;
    arena.inTurns.asking(turns, this.#api);
    const inBackground = (work: Promise<unknown>) => this.inBackground(work);
    const sideOf = (kind: Kind) =>
      new Side({ kind, arena, turns, site, prefix, inBackground, onFault: this.#fault }, this.#api);
    this.contacts = sideOf(CONTACTS);
    this.groups = sideOf(GROUPS);
    this.sides = [this.contacts, this.groups];
    const onLoss = (loss: Loss) => this.beginEpoch(`tasks were lost: ${loss.detail}`);
    this.workers = new Workers({ turns, carrier, sides: this.sides, logger, onLoss, onFault: this.#fault });
    this.disturbances = new Disturbances(redis, prefix);
    this.early = new EarlyTasks(site, primary);
  }

  /** Starts with everybody as everybody's contact and in every group, and most indexes warm. */
  static async begin(arena: Arena, scheduler: Scheduler, random: Random): Promise<Trial> {
    const turns = new Turns(scheduler, random);
    const prefix = arena.nextPrefix();
    const carrier = await arena.openCarrier(prefix, random);
    const site = await newSite(arena.pool, turns.now);
    const trial = new Trial({ arena, turns, site, random, prefix, carrier });
    for (const { stores, watch, truths } of trial.sides) {
      await run(rebuild(shuffled(random, CAST).slice(0, WARM)), stores);
      await watch.begin(CAST);
      await truths.look();
    }
    return trial;
  }

  get counts(): HistoryCounts {
    const { carrier, sides, workers } = this;
    const sum = (of: 'answers' | 'narrowed') => sides.reduce((all, { client }) => all + client[of], 0);
    return {
      histories: 1,
      actions: this.#actions,
      deliveries: carrier.acknowledged,
      reads: sum('answers'),
      of_groups: this.groups.client.answers,
      narrowed: sum('narrowed'),
      kills: workers.kills,
      epochs: this.#epochs,
    };
  }

  /** Does a move on the site. */
  async act(made: Move): Promise<void> {
    if (this.early.isHeld(made) || !(await perform(made, this.site))) return;
    this.#actions++;
    await Promise.all(this.sides.map(({ truths }) => truths.look()));
  }

  /** Changes a relationship; its task is sent before the commit. */
  async actEarly(made: Relating): Promise<void> {
    const task = await this.early.begin(made);
    if (task !== undefined) await this.carrier.publish([task]);
  }

  /** Commits the nth of those transactions. */
  async commitEarly(nth: number): Promise<void> {
    await this.early.end(nth, (made) => this.act(made));
  }

  /** Makes delayed work due now. @param leasesToo also ends the leases of work in progress */
  async letTimePass(leasesToo: boolean): Promise<void> {
    await this.disturbances.letTimePass(leasesToo);
    await this.early.letTimePass();
  }

  /** Delayed work: waiting, leased or to be re-checked. */
  async putOff(): Promise<number> {
    const queued = await Promise.all(this.sides.map(({ delayQueue }) => delayQueue.size()));
    const { rows } = await readRecheckBacklog(this.arena.primary, 1_000);
    return queued.reduce((sum, items) => sum + items, rows);
  }

  /** Publishes tasks of committed changes. @param dies the relay is killed before it marks them as published */
  async publish(dies: boolean): Promise<void> {
    const publish: TaskPublisher['publish'] = async (tasks) => {
      await this.carrier.publish(tasks);
      if (dies) throw new Error('killed');
    };
    const deadLetters = { put: async () => this.#fault(new Error('a row of the outbox is no task')) };
    const { primary: database, logger } = this.arena;
    const publisher = { publish, checkRoom: async () => undefined };
    const relay = new OutboxRelay({ database, publisher, deadLetters, logger });
    await relay.runOnce().catch((error: Error) => {
      if (error.message !== 'killed') throw error;
    });
  }

  /** Builds these indexes of one kind, as a backfill does. */
  backfill(side: Side, users: readonly Id[]): void {
    side.backfill(users, this.#keeper);
  }

  /** Rebuilds every index of one kind that differs, even if its task is still on its way. */
  repair(side: Side, users: readonly Id[]): void {
    side.repair(users, this.#keeper);
  }

  async beginEpoch(why: string): Promise<void> {
    this.#epochs++;
    await bumpEpoch(this.arena.primary, why);
  }

  /** Redis falls back to an older state; this is noticed some time later. */
  async failOver(): Promise<void> {
    if (!(await this.disturbances.restore())) return;
    for (const { watch } of this.sides) watch.forget();
    const noticed = () => this.beginEpoch('the test had Redis fail over');
    this.inBackground(this.turns.take(this.#keeper, 'a new epoch', noticed));
  }

  /** Runs in the background. An error is a fault. */
  inBackground(work: Promise<unknown>): void {
    const done = work.catch(this.#fault).finally(() => this.#background.delete(done));
    this.#background.add(done);
  }

  /** Waits until nothing runs in the background. */
  async backgroundEnds(): Promise<void> {
    while (this.#background.size > 0) await Promise.all(this.#background);
  }

  /** @throws Error for the first broken invariant */
  throwFaults(): void {
    const [first] = this.#faults;
    if (first !== undefined) throw first;
  }

  readonly #fault = (error: Error): void => {
    this.#faults.push(error);
  };

  /** Ends everything that runs in the background. */
  async close(): Promise<void> {
    this.workers.end();
    await this.carrier.close();
  }
}
