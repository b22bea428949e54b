/**
 * A check of users who are watched: what is new to their watches is delivered. Read this before changing anything in this
 * folder.
 *
 * # The rule
 *
 * "Check this user" is a hint, as a task is: it says that something may have changed, never what. A notification is the
 * difference between what a live answer shows and what the watch was told last. So a hint that comes twice or late does no
 * harm, and one that is lost is made good by the next one.
 *
 *   1. watches ← MySQL, each with its version and what it was told,
 *   2. then heads ← live answers, as the user may see them now,
 *   3. what is new is saved as OUTGOING, under compare-and-set on the version,
 *   4. it is delivered,
 *   5. the watch counts as told of it, again under compare-and-set.
 *
 * # What can go wrong, and what prevents it
 *
 * - A process dies between delivery and save. What it delivered is in MySQL as outgoing, so the process that takes over
 *   delivers the same again, under the same id.
 * - Two notifiers check the same user. Only one of them saves the outgoing notification, and only that one delivers it. The
 *   other looks again: what it saw may be newer than what the first one saw. This holds for every save that is refused,
 *   also that of a first head.
 * - A photo is deleted before it is delivered. Heads are read after the watch, and whatever is delivered again is compared
 *   with a head of that moment.
 * - Two uploads commit in another order than that of their times. What was told is a head, not a single time (told.ts).
 * - A change comes while a watch is created. Its row is written first, then the user is put among the watched ones, and
 *   then checked; the first check of a row that was told nothing only records the head. A change before that check is in
 *   that head; one after it finds the user watched.
 * - A filter is changed, or a new watch is tested, while a notification is on its way, perhaps for days. What counts as told
 *   under the new filter is recorded by the next check all the same, from heads that are read for that (told.ts); the
 *   notification is left alone.
 * - A hint comes while a notification is on its way. The user is checked again until that has ended.
 * - Clocks differ, or are set back. No wait is longer than it was meant to be, because a time in the future beyond that is
 *   taken for one that another clock has written.
 * - A hint comes while a notification waits for its next try, and so does nothing. Once that has ended, the watch is due, in
 *   MySQL: a process that dies before it asks for the next check does no harm.
 */
import { createHash } from 'node:crypto';
import type { Id } from '../contracts/id.ts';
import { byKeyDescending } from '../contracts/key.ts';
import type { KindName } from '../contracts/kind.ts';
import type { NewSource, Outgoing, Told, ToldHead, Watch } from '../contracts/watch.ts';
import { LONGEST_WAIT_MS, type Notification } from './channel.ts';
import { type CheckOperation, checkStep } from './check-steps.ts';
import { askedBefore, askedBy, headsFor, headsOf, isRecorded, relationOf } from './heads.ts';
import {
  areSomeBelow,
  type Head,
  type Heads,
  isSameTold,
  mayHaveMore,
  newsIn,
  stillVisible,
  toldAfter,
  toldOf,
  toldUnder,
} from './told.ts';
import { enroll } from './watch-changes.ts';
import type { WatchSave } from './watch-table.ts';

/** After this long a notification that is neither delivered nor refused is delivered again: its process has died, ms. */
export const REDELIVER_MS = 8_000;

/** A user is first checked again after this, where a save was refused, a head cannot be had, or a notification is on its way, ms. */
export const AGAIN_MS = 100;

/** The longest such wait, ms. */
const LONGEST_AGAIN_MS = 6_400;

interface CheckOptions {
  /** ms since 1970 UTC. */
  readonly now: number;
  /** Those in use. What a watch was told of another one is kept as it is, until that is in use again. */
  readonly kinds: ReadonlySet<KindName>;
  /** Entries of a told head that are kept at most. */
  readonly most: number;
}

/** A notification to deliver, and what the watch counts as told once it is delivered. */
export interface PendingDelivery {
  /** As it was saved, with the outgoing notification. */
  readonly save: WatchSave;
  readonly notification: Notification;
  /** After the delivery. */
  readonly told: Told;
}

/** Steps 1 to 3. @param ids of watches, each once @returns what is to be delivered; then `settle` (settle.ts) */
export function* check(ids: readonly Id[], options: CheckOptions): CheckOperation<readonly PendingDelivery[]> {
  const read = yield* checkStep('watches', ids);
  const watches = read.filter(isGoing).map((row) => {
    const watch = withoutFuture(row, options.now);
    return {
      watch: { ...watch, kinds: watch.kinds.filter((kind) => options.kinds.has(kind)) },
      isHealed: watch !== row,
    };
  });
  if (watches.length === 0) return [];
  const shown = yield* headsOf(watches.flatMap(({ watch }) => askedBy(watch)));
  const before = yield* headsOf(watches.flatMap(({ watch }) => askedBefore(watch)));
  const plans = watches.map(({ watch, isHealed }) => {
    const plan = planOf(
      watch,
      { shown: headsFor(askedBy(watch), shown), before: headsFor(askedBefore(watch), before) },
      options,
    );
    return plan.save === undefined && isHealed ? { ...plan, save: saveOf(watch, {}) } : plan;
  });
  const written = plans.flatMap(({ save }) => (save === undefined ? [] : [save]));
  const saved = written.length > 0 ? yield* checkStep('save', written) : new Map<Id, string>();
  const isRefused = ({ save }: Plan) => save !== undefined && !saved.has(save.id);
  yield* again(plans.map((plan) => ({ ...plan, againMs: isRefused(plan) ? AGAIN_MS : plan.againMs })));
  return plans.flatMap(({ delivery }) => {
    const version = delivery && saved.get(delivery.save.id);
    return delivery === undefined || version === undefined
      ? []
      : [{ ...delivery, save: { ...delivery.save, version } }];
  });
}

/**
 * Removes users who have no watch any more from those whose changes are signalled. One who was given a watch meanwhile may
 * have lost its signals with that, and is put back: a process that inserts the watch after this look adds the user after the removal.
 */
export function* unwatch(users: readonly Id[]): CheckOperation<void> {
  yield* checkStep('unwatch', users);
  const watched = yield* checkStep('watchedOf', users);
  if (watched.length > 0) yield* enroll(watched);
}

/** Has users checked again, those of whom it is said when, each once for each time. */
export function* again(some: readonly AskedAgain[]): CheckOperation<void> {
  const asked = some.filter(({ againMs }) => againMs !== undefined);
  for (const [ms = 0, those] of Map.groupBy(asked, ({ againMs }) => againMs)) {
    yield* checkStep('again', [...new Set(those.map(({ user }) => user))], ms);
  }
}

/** A user who is checked again after so many ms; undefined: not. */
interface AskedAgain {
  readonly user: Id;
  readonly againMs?: number | undefined;
}

interface Plan extends AskedAgain {
  /** Undefined: there is nothing to write. */
  readonly save?: WatchSave;
  readonly delivery?: PendingDelivery;
}

/** May something be delivered? To a watch that has ended only a test. */
function isGoing({ ended, outgoing }: Pick<Watch, 'ended' | 'outgoing'>): boolean {
  return ended === undefined || outgoing?.isTest === true;
}

/** The watch without times that no clock of today can have written: none is in the future, and no wait longer than it may be. */
function withoutFuture(watch: Watch, now: number): Watch {
  const { notifiedAt, dueAt, outgoing, intervalMs } = watch;
  const latest = now + (outgoing === undefined ? intervalMs : (outgoing.waitMs ?? LONGEST_WAIT_MS));
  const isBeyond = (notifiedAt ?? 0) > now || (dueAt ?? 0) > latest || (outgoing?.since ?? 0) > now;
  if (!isBeyond) return watch;
  return {
    ...watch,
    notifiedAt: notifiedAt && Math.min(notifiedAt, now),
    dueAt: dueAt && Math.min(dueAt, latest),
    outgoing: outgoing && { ...outgoing, since: Math.min(outgoing.since, now) },
  };
}

interface WatchHeads {
  readonly shown: Heads | undefined;
  /** Those of {@link askedBefore}. */
  readonly before: Heads | undefined;
}

function planOf(watch: Watch, { shown: heads, before }: WatchHeads, options: CheckOptions): Plan {
  const { user, outgoing, kinds } = watch;
  const { now } = options;
  if (heads === undefined || before === undefined) return withoutHeads(watch, now);
  if (!kinds.every((kind) => isRecorded(watch, kind))) return recorded(watch, heads, before, now);
  if (outgoing !== undefined) return redelivery(watch, outgoing, heads, options);
  const told = toldWith(watch, heads, options);
  const news = newsOf(watch, heads, now);
  const sources = news.filter(({ id }) => !watch.muted.includes(id)).sort(byKeyDescending);
  const more = kinds.some((kind) => mayHaveMore(heads[kind] as Head, watch.told[kind]));
  if (sources.length === 0 && !more) {
    const isSame = kinds.every((kind) => isSameTold(watch.told[kind], told[kind] as NonNullable<Told[KindName]>));
    return {
      user,
      ...(isSame && watch.dueAt === undefined ? {} : { save: saveOf(watch, { told, dueAt: undefined }) }),
    };
  }
  const next = (watch.notifiedAt ?? 0) + watch.intervalMs;
  if (next > now) return { user, save: saveOf(watch, { dueAt: next }) };
  const first: Outgoing = { id: idOf(watch, news), sources, more, attempts: 0, since: now, waitMs: REDELIVER_MS };
  const save = saveOf(watch, { outgoing: first, dueAt: now + REDELIVER_MS });
  return { user, save, delivery: { save, notification: notificationOf(watch, first, first, now), told } };
}

/** Asks for heads again, less and less often; the watch is due in MySQL meanwhile. */
function withoutHeads(watch: Watch, now: number): Plan {
  const { user, dueAt } = watch;
  if (dueAt === undefined) return { user, save: saveOf(watch, { dueAt: now }), againMs: AGAIN_MS };
  return dueAt > now ? { user } : { user, againMs: laterAndLater(now - dueAt) };
}

/** Records what counts as told, of kinds that were told nothing and where the filter has changed. The rest is for the next check. */
function recorded(watch: Watch, heads: Heads, before: Heads, now: number): Plan {
  // The watch has been due since it was created or changed.
  const { user, kinds, told, outgoing, dueAt = now } = watch;
  const of = (kind: KindName): ToldHead =>
    isRecorded(watch, kind)
      ? (told[kind] as ToldHead)
      : toldUnder(relationOf(watch, kind), heads[kind] as Head, told[kind], before[kind], { since: dueAt, now });
  const after: Told = { ...told, ...Object.fromEntries(kinds.map((kind) => [kind, of(kind)])) };
  const isNews = (kind: KindName) =>
    newsIn(heads[kind] as Head, after[kind], now).length > 0 || mayHaveMore(heads[kind] as Head, after[kind]);
  const isDone = outgoing === undefined && !kinds.some(isNews);
  return {
    user,
    save: saveOf(watch, { told: after, dueAt: isDone ? undefined : dueAt }),
    againMs: isDone ? undefined : 0,
  };
}

/** A notification whose delivery failed, or whose process died. Not before it is due: another process may still be delivering it. */
function redelivery(watch: Watch, outgoing: Outgoing, heads: Heads, { now }: CheckOptions): Plan {
  const { user, dueAt = 0 } = watch;
  if (dueAt > now) return { user, againMs: outgoing.attempts === 0 ? laterAndLater(now - outgoing.since) : undefined };
  const wanted = outgoing.sources.filter(({ id }) => !watch.muted.includes(id));
  const sources = stillVisible({ sources: wanted }, heads);
  const more = outgoing.more || areSomeBelow(wanted, heads);
  if (sources.length === 0 && !more && !outgoing.isTest)
    return { user, save: saveOf(watch, { outgoing: undefined, dueAt: now }), againMs: AGAIN_MS };
  const next = { ...outgoing, attempts: outgoing.attempts + 1, waitMs: REDELIVER_MS };
  const save = saveOf(watch, { outgoing: next, dueAt: now + REDELIVER_MS });
  const notification = notificationOf(watch, outgoing, { sources, more }, now);
  return { user, save, delivery: { save, notification, told: toldOf(sources, watch.told, now) } };
}

/**
 * When to look again at what has not ended for so long: after about as long again, so that a slow receiver, or a head that
 * cannot be had, costs few checks; in powers of two, so that a page of users has few different times. All in ms.
 */
function laterAndLater(elapsed: number): number {
  const powers = Math.floor(Math.log2(Math.max(elapsed, AGAIN_MS) / AGAIN_MS));
  return Math.min(AGAIN_MS * 2 ** powers, LONGEST_AGAIN_MS);
}

/** Muted ones included. */
function newsOf({ kinds, told }: Watch, heads: Heads, now: number): NewSource[] {
  return kinds.flatMap((kind) => newsIn(heads[kind] as Head, told[kind], now).map(({ id, at }) => ({ kind, id, at })));
}

function toldWith({ kinds, told }: Watch, heads: Heads, options: CheckOptions): Told {
  const after = kinds.map((kind) => [kind, toldAfter(heads[kind] as Head, told[kind], options)] as const);
  return { ...told, ...Object.fromEntries(after) };
}

function saveOf(watch: Watch, changes: Partial<Omit<WatchSave, 'id' | 'version'>>): WatchSave {
  const { id, version, told, outgoing, notifiedAt, dueAt, ended, tested } = watch;
  return { id, version, told, outgoing, notifiedAt, dueAt, ended, tested, ...changes };
}

function notificationOf(
  watch: Watch,
  { id, isTest = false }: Outgoing,
  { sources, more }: Pick<Notification, 'sources' | 'more'>,
  now: number,
): Notification {
  const { channel, url, secrets } = watch;
  const target = url === undefined ? { channel, secrets } : { channel, url, secrets };
  return { id, watch: watch.id, user: watch.user, timestamp: now, sources, more, isTest, target };
}

/** The same for the same watch and entries. Where there is only more, every notification has another one. */
function idOf({ id: watch, version }: Watch, sources: readonly NewSource[]): string {
  const entries = sources.map(({ kind, id, at }) => `${kind}/${id}@${at}`);
  return createHash('sha256')
    .update(`${watch} ${entries.join(' ') || version}`)
    .digest('base64url')
    .slice(0, 22);
}
