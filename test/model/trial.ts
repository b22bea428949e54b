import type { Scheduler } from 'fast-check';
import type { Id } from '../../src/contracts/id.ts';
import { DelayedWork, Rechecks } from '../../src/index/delayed-work.ts';
import { bumpEpoch } from '../../src/index/epoch.ts';
import { run, type Steps } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { stepsOn } from '../../src/index/steps.ts';
import { readRecheckBacklog } from '../../src/mysql/rechecks.ts';
import { ColdBuilds } from '../../src/query/cold-builds.ts';
import { MarkSeen } from '../../src/query/mark-seen.ts';
import { DelayQueue } from '../../src/redis/delay-queue.ts';
import { OutboxRelay } from '../../src/relay/relay.ts';
import { IndexCheck } from '../../src/repair/index-check.ts';
import { type Random, shuffled } from '../../src/tools/demo/random.ts';
import type { TaskPublisher } from '../../src/transport/task-publisher.ts';
import type { Loss } from '../../src/transport/task-source.ts';
import { stepsOf } from './actor-steps.ts';
import type { Arena } from './arena.ts';
import type { Carrier } from './carrier.ts';
import { CAST, LIMITS } from './cast.ts';
import { Client, type Queries, queriesOn } from './client.ts';
import type { HistoryCounts } from './counts.ts';
import { Disturbances } from './disturbances.ts';
import { EarlyTasks } from './early-tasks.ts';
import { type Move, perform, type Relating } from './moves.ts';
import { SeenBy } from './seen-by.ts';
import { newSite, type Site } from './site.ts';
import { Truths } from './truths.ts';
import { Actor, Turns } from './turns.ts';
import { Workers } from './workers.ts';
import { WriteWatch } from './write-watch.ts';

/** How many of the five people begin with an index. */
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
  readonly client: Client;
  readonly seenBy: SeenBy;
  readonly early: EarlyTasks;
  readonly delayQueue: DelayQueue;
  readonly stores: ReturnType<typeof stepsOn>;
  readonly truths: Truths;
  readonly watch: WriteWatch;
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
  readonly #delayed: DelayedWork;

  private constructor({ arena, turns, site, random, prefix, carrier }: Beginning) {
    this.arena = arena;
    this.carrier = carrier;
    this.random = random;
    this.turns = turns;
    this.site = site;
    this.prefix = prefix;
    const { primary, redis, logger, freshNonce } = arena;
    this.delayQueue = new DelayQueue(redis, this.prefix);
    this.#delayed = new DelayedWork(this.delayQueue);
    const sizes = { ...LIMITS, prefix: this.prefix, freshNonce };
    this.stores = stepsOn({ primary, redis, delayed: this.#delayed }, sizes);
    this.truths = new Truths(arena.pool, turns.now);
    const { truths } = this;
    this.watch = new WriteWatch({ steps: this.stores, redis, prefix, truths, now: turns.now });
    const onLoss = (loss: Loss) => this.beginEpoch(`tasks were lost: ${loss.detail}`);
    const doing = { turns, carrier, watch: this.watch, delayed: this.#delayed, rechecks: new Rechecks(primary) };
    this.workers = new Workers({ ...doing, logger, onLoss, onFault: this.#fault });
    this.disturbances = new Disturbances(redis, this.prefix);
    this.early = new EarlyTasks(site, primary);
    arena.inTurns.asking(turns, this.#api);
    this.seenBy = new SeenBy(new MarkSeen({ database: primary, clock: Date.now }));
    const { seenBy } = this;
    this.client = new Client({ queries: this.#queries(), journal: site.journal, now: turns.now, seenBy });
  }

  /** Starts with everybody as everybody's contact, and most indexes warm. */
  static async begin(arena: Arena, scheduler: Scheduler, random: Random): Promise<Trial> {
    const turns = new Turns(scheduler, random);
    const prefix = arena.nextPrefix();
    const carrier = await arena.openCarrier(prefix, random);
    const site = await newSite(arena.pool, turns.now);
    const trial = new Trial({ arena, turns, site, random, prefix, carrier });
    await run(rebuild(shuffled(random, CAST).slice(0, WARM)), trial.stores);
    await trial.watch.begin(CAST);
    await trial.truths.look();
    return trial;
  }

  get counts(): HistoryCounts {
    const { carrier, client, workers } = this;
    return {
      histories: 1,
      actions: this.#actions,
      deliveries: carrier.acknowledged,
      reads: client.answers,
      narrowed: client.narrowed,
      kills: workers.kills,
      epochs: this.#epochs,
    };
  }

  /** The code that answers clients, called directly while nothing else runs. */
  answering(): Queries {
    const nobody = () => undefined;
    return queriesOn({
      ...{ index: this.stores.index, database: this.arena.primary, limits: LIMITS, onCold: nobody, onLow: nobody },
    });
  }

  /** Does a move on the site. */
  async act(made: Move): Promise<void> {
    if (this.early.isHeld(made) || !(await perform(made, this.site))) return;
    this.#actions++;
    await this.truths.look();
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
    return (await this.delayQueue.size()) + (await readRecheckBacklog(this.arena.primary, 1_000)).rows;
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

  /** Builds these indexes, as a backfill does. */
  backfill(users: readonly Id[]): void {
    this.inBackground(run(rebuild(users), this.#stepsOf(this.#keeper)));
  }

  /** Rebuilds every index that differs, even if its task is still on its way. */
  repair(users: readonly Id[]): void {
    const steps = this.#stepsOf(this.#keeper);
    const index = this.#readInTurns();
    const examination = new IndexCheck({
      index,
      primary: this.arena.inTurns,
      limits: LIMITS,
      now: () => performance.now(),
    });
    const repair = async () => {
      const found = await examination.look(users);
      const wrong = found.filter(({ mismatches }) => mismatches.length > 0).map(({ user }) => user);
      if (wrong.length > 0) await run(rebuild(wrong), steps);
    };
    this.inBackground(repair());
  }

  async beginEpoch(why: string): Promise<void> {
    this.#epochs++;
    await bumpEpoch(this.arena.primary, why);
  }

  /** Redis falls back to an older state; this is noticed some time later. */
  async failOver(): Promise<void> {
    if (!(await this.disturbances.restore())) return;
    this.watch.forget();
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

  #stepsOf(actor: Actor): Steps {
    return stepsOf({ actor, turns: this.turns, watch: this.watch, onFault: this.#fault });
  }

  #readInTurns() {
    const read: typeof this.stores.index.read = (user, count, touch) =>
      this.turns.take(this.#api, 'read', () => this.stores.index.read(user, count, touch));
    return { read };
  }

  #queries(): Queries {
    const steps = this.#stepsOf(this.#api);
    const builds = new ColdBuilds({
      build: async (user) => {
        await run(rebuild([user]), steps);
        return 'built';
      },
      concurrency: 2,
      queue: 10,
      onError: (error) => this.#fault(error as Error),
    });
    return queriesOn({
      index: this.#readInTurns(),
      database: this.arena.inTurns,
      limits: LIMITS,
      onCold: (user) => builds.request(user),
      onLow: (user) =>
        this.inBackground(this.turns.take(this.#api, 'ask for a rebuild', () => this.#delayed.askForRebuild(user))),
    });
  }
}
