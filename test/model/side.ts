import type { Id } from '../../src/contracts/id.ts';
import { CONTACTS, type Kind } from '../../src/contracts/kind.ts';
import { DelayedWork, Rechecks } from '../../src/index/delayed-work.ts';
import { run, type Steps } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { stepsOn } from '../../src/index/steps.ts';
import { type KindDatabase, KindStatements } from '../../src/mysql/statements/kind-statements.ts';
import { ColdBuilds } from '../../src/query/cold-builds.ts';
import { MarkSeen } from '../../src/query/mark-seen.ts';
import { DelayQueue } from '../../src/redis/delay-queue.ts';
import { IndexCheck } from '../../src/repair/index-check.ts';
import { USUAL_SITE } from '../../src/site/site.ts';
import { stepsOf } from './actor-steps.ts';
import type { Arena } from './arena.ts';
import type { RestStores } from './at-rest.ts';
import { CAST, GROUPS, LIMITS } from './cast.ts';
import { Client, type Queries, queriesOn } from './client.ts';
import { readPlainGroups, readPlainSql } from './plain-sql.ts';
import { SeenBy } from './seen-by.ts';
import type { Site } from './site.ts';
import { Truths } from './truths.ts';
import type { Actor, Turns } from './turns.ts';
import { WriteWatch } from './write-watch.ts';

export interface SideOptions {
  readonly kind: Kind;
  readonly arena: Arena;
  readonly turns: Turns;
  readonly site: Site;
  readonly prefix: string;
  readonly inBackground: (work: Promise<unknown>) => void;
  /** Called with a broken invariant. */
  readonly onFault: (error: Error) => void;
}

/** All of Recency about one kind, over the stores that all kinds share: as the product binds it. */
export class Side {
  readonly kind: Kind;
  readonly stores: ReturnType<typeof stepsOn>;
  readonly delayQueue: DelayQueue;
  readonly delayed: DelayedWork;
  readonly rechecks: Rechecks;
  readonly truths: Truths;
  readonly watch: WriteWatch;
  readonly seenBy: SeenBy;
  readonly client: Client;
  readonly #options: SideOptions;
  readonly #primary: KindDatabase;
  readonly #api: Actor;

  /** @param api answers clients, about every kind */
  constructor(options: SideOptions, api: Actor) {
    const { kind, arena, turns, site, prefix } = options;
    const { redis, freshNonce, pool } = arena;
    this.#options = options;
    this.#api = api;
    this.kind = kind;
    this.#primary = { server: arena.primary, statements: new KindStatements(USUAL_SITE, kind) };
    this.delayQueue = new DelayQueue(redis, kind.name === CONTACTS.name ? prefix : `${prefix}:${kind.name}`);
    this.delayed = new DelayedWork(this.delayQueue);
    this.rechecks = new Rechecks(this.#primary);
    const sizes = { ...LIMITS, prefix, freshNonce };
    this.stores = stepsOn({ primary: this.#primary, redis, delayed: this.delayed }, sizes);
    const plain = kind.name === CONTACTS.name ? readPlainSql : readPlainGroups;
    this.truths = new Truths(() => plain(pool), turns.now);
    this.watch = new WriteWatch({ steps: this.stores, redis, prefix, kind, truths: this.truths, now: turns.now });
    this.seenBy = new SeenBy(new MarkSeen({ database: arena.primary }), kind);
    const parts = { queries: this.#queries(), journal: site.journal, now: turns.now, seenBy: this.seenBy, kind };
    this.client = new Client(parts);
  }

  /** Whom users of this kind have: people, or groups. */
  get sources(): readonly Id[] {
    return this.kind.name === CONTACTS.name ? CAST : GROUPS;
  }

  /** What its state is compared with when nothing is in flight. */
  get restStores(): RestStores {
    const { arena, prefix } = this.#options;
    const { kind } = this;
    return { index: this.stores.index, primary: this.#primary, redis: arena.redis, prefix, limits: LIMITS, kind };
  }

  /** Everybody who has any row, and so gets an index. */
  owners(): Promise<readonly Id[]> {
    return this.stores.owners(CAST);
  }

  /** The code that answers clients, called directly while nothing else runs. */
  answering(): Queries {
    const nobody = () => undefined;
    const { index } = this.stores;
    return queriesOn({ index, database: this.#primary, limits: LIMITS, onCold: nobody, onLow: nobody });
  }

  /** Steps in turns of the actor's own. */
  stepsOf(actor: Actor): Steps {
    const { turns, onFault } = this.#options;
    return stepsOf({ actor, turns, watch: this.watch, onFault });
  }

  /** Builds these indexes, as a backfill does. */
  backfill(users: readonly Id[], keeper: Actor): void {
    this.#options.inBackground(run(rebuild(users), this.stepsOf(keeper)));
  }

  /** Rebuilds every index that differs, even if its task is still on its way. */
  repair(users: readonly Id[], keeper: Actor): void {
    const { arena, inBackground } = this.#options;
    const primary = { ...this.#primary, server: arena.inTurns };
    const now = () => performance.now();
    const examination = new IndexCheck({ index: this.#readInTurns(), primary, limits: LIMITS, now });
    const repair = async () => {
      const found = await examination.look(users);
      const wrong = found.filter(({ mismatches }) => mismatches.length > 0).map(({ user }) => user);
      if (wrong.length > 0) await run(rebuild(wrong), this.stepsOf(keeper));
    };
    inBackground(repair());
  }

  #readInTurns() {
    const { turns } = this.#options;
    const read: typeof this.stores.index.read = (user, count, touch) =>
      turns.take(this.#api, 'read', () => this.stores.index.read(user, count, touch));
    return { read };
  }

  #queries(): Queries {
    const { arena, turns, inBackground, onFault } = this.#options;
    const builds = new ColdBuilds({
      build: async (user) => {
        await run(rebuild([user]), this.stepsOf(this.#api));
        return 'built';
      },
      concurrency: 2,
      queue: 10,
      onError: (error) => onFault(error as Error),
    });
    return queriesOn({
      index: this.#readInTurns(),
      database: { ...this.#primary, server: arena.inTurns },
      limits: LIMITS,
      onCold: (user) => builds.request(user),
      onLow: (user) => inBackground(turns.take(this.#api, 'ask for a rebuild', () => this.delayed.askForRebuild(user))),
    });
  }
}
