import type { Id } from '../../src/contracts/id.ts';
import { byKeyDescending, type Key } from '../../src/contracts/key.ts';
import type { Relation } from '../../src/contracts/relation.ts';
import type { Watch } from '../../src/contracts/watch.ts';
import { inSequence, type Operation } from '../../src/index/protocol.ts';
import type { DeliveryOutcome } from '../../src/push/channel.ts';
import type { PendingDelivery } from '../../src/push/check.ts';
import type { HeadAsked } from '../../src/push/check-steps.ts';
import type { Head } from '../../src/push/told.ts';
import type { WatchSave } from '../../src/push/watch-table.ts';
import type { Product } from '../load-product.ts';
import type { Violation } from '../violation.ts';
import {
  type Delivered,
  FRIENDS,
  type PushScenario,
  type Running,
  type SiteAction,
  USER,
  WATCH,
  type World,
} from './world.ts';

/** One thing that may happen now. */
export interface PushMove {
  readonly world: World;
  readonly what: string;
  readonly broken?: Violation;
}

/** The times of a check: it is always now, and what is due later becomes due when time passes. */
const NOW = 1_000;
const CHECK = { now: NOW, most: 6, kinds: new Set(['contacts'] as const) };
const HALF = () => 0.5;

/** A head as a check is given it, and what it would be without an end. */
type ReadHead = Head & { readonly all: readonly Key[] };

type AnyStep = { readonly name: string; readonly args: readonly unknown[] };

/** Everything that may happen in a world, with the product's own operations. */
export class PushMoves {
  readonly #code: Product['code'];
  readonly #scenario: PushScenario;

  constructor(code: Product['code'], scenario: PushScenario) {
    this.#code = code;
    this.#scenario = scenario;
  }

  start(): World {
    const { photos, isWatched, wasWatched = false, actions } = this.#scenario;
    const { entries, floor } = this.#headOf(photos.toSorted(byKeyDescending));
    return {
      actions,
      photos,
      deleted: [],
      refreshed: photos,
      tasks: [],
      watch: isWatched
        ? { ...NEW, told: { contacts: { entries, floor, relation: 'any' } }, dueAt: undefined }
        : undefined,
      version: 1,
      isEnrolled: isWatched || wasWatched,
      isDue: wasWatched,
      isSubscribed: isWatched,
      isNewEpoch: false,
      running: isWatched ? [] : [{ kind: 'subscribe', replies: [] }],
      delivered: [],
      owed: [],
      hinted: [],
      recorded: isWatched ? photos : undefined,
      faults: 0,
    };
  }

  of(world: World): PushMove[] {
    return [
      ...this.#site(world),
      ...this.#begin(world),
      ...world.running.flatMap((running, place) => this.#advance(world, running, place)),
      ...this.#time(world),
      ...this.#faults(world),
    ];
  }

  /** Nothing is on its way: everything new must have been told. */
  isAtRest({ actions, tasks, running, isDue, watch, isNewEpoch }: World): boolean {
    const isQuiet = actions.length + tasks.length + running.length === 0 && !isDue && !isNewEpoch;
    return isQuiet && watch !== undefined && watch.dueAt === undefined;
  }

  /** N1: what a live answer shows was told, or was there when the watch began; where heads have an end, or it was said that there is more. */
  judge(world: World): Violation | undefined {
    if (!this.isAtRest(world)) return undefined;
    const { delivered, hinted, owed, recorded = [] } = world;
    const isOwed = (key: Key) => this.#scenario.head === undefined || owed.some((one) => isSame(one, key));
    const missed = this.#shown(world, world.watch?.relation).find(
      (key) => isOwed(key) && ![...delivered, ...recorded, ...hinted].some((one) => isSame(one, key)),
    );
    return missed && { rule: 'N1', what: `${textOf(missed)} was never told` };
  }

  /** What a live answer shows now, filtered by the relation. */
  #shown({ photos, refreshed }: World, relation: Relation = 'any'): Key[] {
    const isThere = (key: Key) => this.#scenario.shows === 'committed' || refreshed.some((one) => isSame(one, key));
    const isShown = (key: Key) => isThere(key) && passes(key, relation);
    const latest = new Map<Id, Key>();
    for (const key of photos.filter(isShown)) {
      if (key.at > (latest.get(key.id)?.at ?? 0)) latest.set(key.id, key);
    }
    return [...latest.values()].sort(byKeyDescending);
  }

  /** @param shown everything, highest first */
  #headOf(shown: readonly Key[]): Head {
    const { most, depth } = this.#scenario.head ?? { most: shown.length, depth: shown.length };
    return this.#code.headOf(shown.slice(0, most), shown.length > most, depth);
  }

  *#site(world: World): Iterable<PushMove> {
    for (const action of this.#scenario.areInOrder ? world.actions.slice(0, 1) : world.actions) {
      if (action.do === 'filter' || action.do === 'test') {
        yield* this.#change(world, action);
        continue;
      }
      const key = { id: action.contact, at: action.at };
      const isThere = world.photos.some((one) => isSame(one, key));
      if ((action.do === 'delete') !== isThere) continue;
      const actions = world.actions.filter((one) => one !== action);
      const photos = isThere
        ? world.photos.filter((one) => !isSame(one, key))
        : [...world.photos, key].sort(byKeyDescending);
      const deleted = isThere ? [...world.deleted, key] : world.deleted;
      const { depth = 0 } = this.#scenario.head ?? {};
      const isOwed = !isThere && photos.findIndex((one) => isSame(one, key)) < depth;
      const owed = isOwed ? [...world.owed, key].sort(byKeyDescending) : world.owed;
      const tasks = [...world.tasks, action.contact].sort();
      yield {
        world: { ...world, actions, photos, deleted, tasks, owed },
        what: `${action.do} ${textOf(key)}, with its task`,
      };
    }
  }

  /** The site changes the watch, with the product's own change. */
  *#change(world: World, action: Extract<SiteAction, { do: 'filter' | 'test' }>): Iterable<PushMove> {
    const { watch } = world;
    const isEnrolling = world.running.some(({ kind }) => kind === 'enroll');
    if (watch === undefined || isEnrolling || (action.do === 'test' && watch.outgoing !== undefined)) return;
    const { changed, tested } = this.#code;
    const after = action.do === 'test' ? tested(watch, 'test', NOW) : changed(watch, { relation: action.relation });
    const version = world.version + 1;
    const changing = {
      ...world,
      actions: world.actions.filter((one) => one !== action),
      watch: { ...after, dueAt: NOW, version: String(version) },
      version,
    };
    const what = action.do === 'test' ? 'the watch is tested' : `the watch is told of ${action.relation}`;
    yield { world: withRunning(changing, { kind: 'enroll', replies: [] }), what };
  }

  *#begin(world: World): Iterable<PushMove> {
    const { running, tasks, isDue, watch, isNewEpoch } = world;
    const isRunning = (kinds: readonly Running['kind'][]) => running.filter(({ kind }) => kinds.includes(kind)).length;
    const [task] = tasks;
    if (task !== undefined && isRunning(['worker']) === 0) {
      const worker = { kind: 'worker', task: Number(task), replies: [], acked: false } as const;
      yield {
        world: withRunning({ ...world, tasks: tasks.slice(1) }, worker),
        what: `a worker takes the task of ${task}`,
      };
    }
    if (isDue && isRunning(['check', 'deliver', 'settle', 'unwatch']) < this.#scenario.notifiers) {
      const kind = watch === undefined ? 'unwatch' : 'check';
      yield {
        world: withRunning({ ...world, isDue: false }, { kind, replies: [] }),
        what: 'a notifier takes the user',
      };
    }
    const isSweepDue = isNewEpoch || (watch?.dueAt !== undefined && watch.dueAt <= NOW);
    if (watch !== undefined && isSweepDue && isRunning(['enroll']) === 0) {
      const sweeping = withRunning({ ...world, isNewEpoch: false }, { kind: 'enroll', replies: [] });
      yield { world: sweeping, what: 'the sweep finds the watch' };
    }
  }

  #advance(world: World, running: Running, place: number): PushMove[] {
    if (running.kind === 'deliver') return this.#deliver(world, running, place);
    const { step, result } = this.#next(running);
    if (step === undefined) return [this.#end(world, running, result, place)];
    const { world: after, reply, what } = this.#take(world, step as AnyStep, running);
    const advanced = { ...running, replies: [...running.replies, reply ?? null] } as Running;
    return [{ world: replaced(after, place, advanced), what }];
  }

  /** The next step of an operation, or its result. */
  #next(running: Exclude<Running, { kind: 'deliver' }>): { step?: unknown; result?: unknown } {
    const operation = inSequence(this.#operation(running) as Operation<unknown>);
    let next = operation.next();
    for (const reply of running.replies) next = operation.next(revived(reply));
    return next.done ? { result: next.value } : { step: next.value };
  }

  #operation(running: Exclude<Running, { kind: 'deliver' }>): unknown {
    const { check, settle, subscribe, enroll, unwatch, refresh } = this.#code;
    if (running.kind === 'worker') return refresh([{ user: USER, contact: String(running.task) }]);
    if (running.kind === 'check') return check([WATCH], CHECK);
    if (running.kind === 'subscribe') return subscribe(NEW_WATCH);
    if (running.kind === 'enroll') return enroll([USER]);
    if (running.kind === 'unwatch') return unwatch([USER]);
    const outcomes = running.outcomes.map(
      (is): DeliveryOutcome => (is === 'failed' ? { is, why: '' } : { is: 'delivered' }),
    );
    return settle(running.checked as PendingDelivery[], outcomes, { now: NOW, random: HALF });
  }

  #end(world: World, running: Running, result: unknown, place: number): PushMove {
    const left = { ...world, running: world.running.filter((_one, i) => i !== place) };
    if (running.kind === 'subscribe') return { world: { ...left, isSubscribed: true }, what: 'the watch exists' };
    if (running.kind !== 'check') return { world: left, what: `the ${running.kind} has ended` };
    const checked = JSON.parse(JSON.stringify(result)) as PendingDelivery[];
    if (checked.length === 0) return { world: left, what: 'the check has ended: nothing is delivered' };
    const [head] = running.replies[1] as [ReadHead];
    return {
      world: withRunning(left, { kind: 'deliver', checked, shown: head.entries, all: head.all }),
      what: 'the check has ended: something is delivered',
    };
  }

  /**
   * N2: nothing is told that the answer did not show. N3: an entry is told twice only under the same id. N4: nothing, not even a
   * test, is delivered to a watch before its first head is recorded, because a delivery may take for ever.
   */
  #deliver(world: World, { checked, shown, all }: Extract<Running, { kind: 'deliver' }>, place: number): PushMove[] {
    const [{ notification }] = checked as [PendingDelivery];
    const told = notification.sources.map(({ id, at }): Delivered => ({ id, at, notification: notification.id }));
    const hidden = told.find(({ id, at }) => !shown.some((key) => key.id === id && key.at >= at));
    const twice = told.find((one) =>
      world.delivered.some((old) => isSame(old, one) && old.notification !== one.notification),
    );
    const [{ save }] = checked as [PendingDelivery];
    const isUnrecorded = save.told.contacts === undefined;
    const unrecorded = isUnrecorded && { rule: 'N4', what: 'a delivery begins, and what is not news is not recorded' };
    const broken = hidden
      ? { rule: 'N2', what: `${textOf(hidden)} was told, and no answer shows it` }
      : twice
        ? { rule: 'N3', what: `${textOf(twice)} was told twice, under two ids` }
        : unrecorded || undefined;
    const known = new Set(world.delivered.map(deliveredText));
    const fresh = told.filter((one) => !known.has(deliveredText(one)));
    const delivered = [...world.delivered, ...fresh].sort((a, b) => (deliveredText(a) < deliveredText(b) ? -1 : 1));
    const hinted = notification.more ? union(world.hinted, all) : world.hinted;
    const what = `delivers ${told.map(textOf).join(' ')}${notification.more ? ' and more' : ''}`;
    const settled = (outcome: string, after: World): PushMove => ({
      world: replaced({ ...after, delivered, hinted }, place, {
        kind: 'settle',
        checked,
        outcomes: [outcome],
        replies: [],
      }),
      what: outcome === 'delivered' ? what : `${what}, which fails, perhaps after it was received`,
      ...(broken ? { broken } : {}),
    });
    const { faults, faultsAtMost } = this.#scenario;
    const mayFail = faults.includes('failure') && world.faults < faultsAtMost;
    return [
      settled('delivered', world),
      ...(mayFail ? [settled('failed', { ...world, faults: world.faults + 1 })] : []),
    ];
  }

  /** Does a step. */
  #take(world: World, { name, args }: AnyStep, running: Running): { world: World; reply?: unknown; what: string } {
    switch (name) {
      case 'nonces':
        return { world, reply: ['n'], what: 'the worker reads the nonce' };
      case 'pairs':
        return { world, reply: { epoch: 'E', rows: [] }, what: 'the worker reads the pair' };
      case 'apply':
        return {
          world: { ...world, refreshed: world.photos },
          reply: ['applied'],
          what: 'the worker writes the index',
        };
      case 'signal':
        return { world: world.isEnrolled ? { ...world, isDue: true } : world, what: 'the worker signals' };
      case 'insert':
        return { world: { ...world, watch: NEW }, reply: WATCH, what: 'the row of the watch is written' };
      case 'watch':
        return { world: { ...world, isEnrolled: true }, what: 'the user is among the watched' };
      case 'unwatch':
        return { world: { ...world, isEnrolled: false }, what: 'the user is no longer among the watched' };
      case 'watchedOf':
        return {
          world,
          reply: world.watch === undefined ? [] : [USER],
          what: 'the notifier looks for a watch of the user',
        };
      case 'again':
        return { world: { ...world, isDue: true }, what: 'a check is asked for' };
      case 'watches':
        return { world, reply: world.watch === undefined ? [] : [world.watch], what: 'the notifier reads the watch' };
      case 'heads': {
        const all = this.#shown(world, (args[0] as HeadAsked[])[0]?.relation);
        const head: ReadHead = { ...this.#headOf(all), all };
        return { world, reply: [head], what: 'the notifier reads the head' };
      }
      case 'save':
        return this.#save(world, (args[0] as WatchSave[])[0] as WatchSave, running);
      default:
        throw new Error(`the model of push does not know the step ${name}`);
    }
  }

  #save(world: World, save: WatchSave, running: Running): { world: World; reply: unknown; what: string } {
    const isCompared = this.#scenario.saves === undefined;
    if (world.watch === undefined || (isCompared && world.watch.version !== save.version))
      return { world, reply: { pairs: [] }, what: `${running.kind}: the save is refused` };
    const version = world.version + 1;
    const dueAt = save.dueAt === undefined ? undefined : save.dueAt > NOW ? LATER : NOW;
    const outgoing = save.outgoing && { ...save.outgoing, since: NOW, attempts: Math.min(save.outgoing.attempts, 1) };
    const watch = { ...world.watch, told: save.told, outgoing, dueAt, notifiedAt: undefined, version: String(version) };
    const recorded = recordedBy(save, world, running);
    const what = `${running.kind}: saves what is ${outgoing === undefined ? 'told' : 'outgoing'}`;
    return { world: { ...world, watch, version, recorded }, reply: { pairs: [[WATCH, String(version)]] }, what };
  }

  /** What is due later becomes due. While somebody may still be at it, that is a delay; otherwise it is only patience. */
  *#time(world: World): Iterable<PushMove> {
    const { watch, running, faults } = world;
    if (watch?.dueAt !== LATER) return;
    const isBusy = running.some(({ kind }) => kind === 'deliver' || kind === 'settle' || kind === 'check');
    if (isBusy && !this.#mayFail('delay', world)) return;
    const passed = { ...world, watch: { ...watch, dueAt: NOW }, faults: isBusy ? faults + 1 : faults };
    yield { world: passed, what: 'time passes' };
  }

  *#faults(world: World): Iterable<PushMove> {
    const failed = { ...world, faults: world.faults + 1 };
    if (this.#mayFail('wipe', world)) {
      yield {
        world: { ...failed, isEnrolled: false, isDue: false, isNewEpoch: true },
        what: 'Redis loses everything: a new epoch',
      };
    }
    if (!this.#mayFail('crash', world)) return;
    for (const [place, running] of world.running.entries()) {
      const left = { ...failed, running: world.running.filter((_one, i) => i !== place) };
      if (running.kind === 'worker') {
        const next = this.#next(running).step as AnyStep | undefined;
        const isAcked = this.#scenario.signals === 'acknowledged' && next?.name === 'signal';
        const tasks = isAcked ? world.tasks : [...world.tasks, String(running.task)].sort();
        yield { world: { ...left, tasks }, what: 'the worker crashes; its task is delivered again' };
      } else if (running.kind === 'check')
        yield { world: { ...left, isDue: true }, what: 'the notifier crashes; its lease ends' };
      else if (running.kind !== 'subscribe' || world.watch !== undefined) {
        // A notifier that takes over looks through all watches at its start.
        const isNewEpoch = left.isNewEpoch || running.kind === 'enroll';
        yield { world: { ...left, isSubscribed: true, isNewEpoch }, what: `the process crashes: ${running.kind}` };
      }
    }
  }

  #mayFail(fault: PushScenario['faults'][number], world: World): boolean {
    return this.#scenario.faults.includes(fault) && world.faults < this.#scenario.faultsAtMost;
  }
}

/** Sooner than the end of any wait, which would be taken for the time of another clock. */
const LATER = NOW + 100;

const NEW_WATCH = {
  user: USER,
  kinds: ['contacts'],
  relation: 'any',
  muted: [],
  intervalMs: 0,
  channel: 'kafka',
  secrets: [],
} as const;

const NEW: Watch = {
  ...NEW_WATCH,
  id: WATCH,
  ended: undefined,
  told: {},
  outgoing: undefined,
  notifiedAt: undefined,
  dueAt: NOW,
  version: '1',
};

function passes({ id }: Key, relation: Relation): boolean {
  return relation === 'any' || FRIENDS.includes(id);
}

/** What is not news from here on: the first head; of another filter, those whom the filter before did not pass. */
function recordedBy({ told }: WatchSave, { watch, recorded }: World, running: Running): World['recorded'] {
  const [before, after] = [watch?.told.contacts, told.contacts];
  if (recorded === undefined) return after?.entries;
  if (before?.relation === undefined || after?.relation === before.relation || running.kind !== 'check')
    return recorded;
  const [{ entries }] = running.replies[1] as [ReadHead];
  return union(
    recorded,
    entries.filter((key) => !passes(key, before.relation as Relation)),
  );
}

function union(some: readonly Key[], others: readonly Key[]): Key[] {
  return [...some, ...others.filter((key) => !some.some((one) => isSame(one, key)))].sort(byKeyDescending);
}

function withRunning(world: World, running: Running): World {
  return { ...world, running: inOrder([...world.running, running]) };
}

function replaced(world: World, place: number, running: Running): World {
  return { ...world, running: inOrder(world.running.map((one, i) => (i === place ? running : one))) };
}

/** It does not matter who does what. */
function inOrder(running: readonly Running[]): Running[] {
  return running
    .map((one) => [JSON.stringify(one), one] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, one]) => one);
}

/** Replies of a save are maps. */
function revived(reply: unknown): unknown {
  const isMap = typeof reply === 'object' && reply !== null && 'pairs' in reply;
  return isMap ? new Map(reply.pairs as [string, string][]) : reply;
}

function isSame(a: Key, b: Key): boolean {
  return a.id === b.id && a.at === b.at;
}

function textOf({ id, at }: Key): string {
  return `${id}@${at}`;
}

function deliveredText(one: Delivered): string {
  return `${textOf(one)} ${one.notification}`;
}
