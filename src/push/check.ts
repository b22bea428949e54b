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
 * - A process dies between delivery and save. What it delivered is in MySQL as outgoing, so whoever takes over delivers the
 *   same again, under the same id.
 * - Two notifiers check the same user. Only one of them saves the outgoing notification, and only that one delivers it. The
 *   other looks again: what it saw may be newer than what the first one saw. This holds for every save that is refused,
 *   also that of a first head.
 * - A photo is deleted before it is delivered. Heads are read after the watch, and whatever is delivered again is compared
 *   with a head of that moment.
 * - Two uploads commit in another order than that of their times. What was told is a head, not a single time (told.ts).
 * - A change comes while a watch is created. Its row is written first, then the user is put among the watched ones, and
 *   then checked; the first check of a row that was told nothing only records the head. A change before that check is in
 *   that head; one after it finds the user watched.
 * - A hint comes while a notification is on its way. The user is checked again until that has ended.
 * - A hint comes while a notification waits for its next try, and so does nothing. Once that has ended, the watch is due, in
 *   MySQL: a process that dies before it asks for the next check does no harm.
 */
import { createHash } from 'node:crypto';
import type { Id } from '../contracts/id.ts';
import { byKeyDescending } from '../contracts/key.ts';
import type { KindName } from '../contracts/kind.ts';
import type { NewSource, Outgoing, Told, Watch } from '../contracts/watch.ts';
import type { WatchSave } from '../mysql/watches.ts';
import type { DeliveryOutcome, Notification } from './channel.ts';
import { type CheckOperation, checkStep, type HeadAsked } from './check-steps.ts';
import { retryAt } from './retry.ts';
import { type Head, type Heads, isSameTold, newsIn, stillVisible, toldAfter, toldOf } from './told.ts';

/** After this long a notification that is neither delivered nor refused is delivered again: its process has died, ms. */
export const REDELIVER_MS = 8_000;

/** A user is checked again after this, where a save was refused, a head cannot be had, or a notification is on its way, ms. */
const AGAIN_MS = 100;

/** The longest such wait, ms. */
const LONGEST_AGAIN_MS = 6_400;

export interface CheckOptions {
  /** ms since 1970 UTC. */
  readonly now: number;
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

/** Steps 1 to 3. @param users each once @returns what is to be delivered; then `settle` */
export function* check(users: readonly Id[], options: CheckOptions): CheckOperation<readonly PendingDelivery[]> {
  const watches = (yield* checkStep('watches', users)).filter(({ ended }) => ended === undefined);
  if (watches.length === 0) return [];
  const asked = askedBy(watches);
  const heads = yield* checkStep('heads', [...asked.values()]);
  const headOf = new Map([...asked.keys()].map((text, i) => [text, heads[i]]));
  const plans = watches.map((watch) => planOf(watch, headsFor(watch, headOf), options));
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

/** Steps 4 and 5. @param now ms since 1970 UTC, after the delivery */
export function* settle(
  deliveries: readonly PendingDelivery[],
  outcomes: readonly DeliveryOutcome[],
  { now, random }: { readonly now: number; readonly random: () => number },
): CheckOperation<void> {
  const results = deliveries.map((delivery, i) => resultOf(delivery, outcomes[i] as DeliveryOutcome, now, random));
  const buried = results.flatMap(({ buried }) => (buried === undefined ? [] : [buried]));
  if (buried.length > 0) yield* checkStep('bury', buried);
  const saved = yield* checkStep(
    'save',
    results.map(({ save }) => save),
  );
  // Of those whose notification was not the first try, only that was told; and whoever was changed meanwhile is looked at again.
  const isAgain = ({ save, isAgain }: Result) => isAgain || !saved.has(save.id);
  yield* again(results.map((result) => ({ ...result, againMs: isAgain(result) ? AGAIN_MS : undefined })));
}

/**
 * Keeps deliveries that take long from being taken for those of a process that has died.
 * @param now ms since 1970 UTC
 * @returns them as they are saved now; without those that somebody changed meanwhile, whose outcome will not count
 */
export function* prolong(
  deliveries: readonly PendingDelivery[],
  now: number,
): CheckOperation<readonly PendingDelivery[]> {
  const saves = deliveries.map(({ save }) => ({ ...save, dueAt: now + REDELIVER_MS }));
  const saved = yield* checkStep('save', saves);
  return deliveries.flatMap((delivery, i) => {
    const [save, version] = [saves[i] as WatchSave, saved.get(delivery.save.id)];
    return version === undefined ? [] : [{ ...delivery, save: { ...save, version } }];
  });
}

/** Has users checked again, those of whom it is said when, each once for each time. */
function* again(some: readonly Pick<Plan, 'user' | 'againMs'>[]): CheckOperation<void> {
  const asked = some.filter(({ againMs }) => againMs !== undefined);
  for (const [ms = 0, those] of Map.groupBy(asked, ({ againMs }) => againMs)) {
    yield* checkStep('again', [...new Set(those.map(({ user }) => user))], ms);
  }
}

interface Plan {
  readonly user: Id;
  /** Undefined: there is nothing to write. */
  readonly save?: WatchSave;
  readonly delivery?: PendingDelivery;
  /** The user is checked again after so many ms. */
  readonly againMs?: number | undefined;
}

function askedBy(watches: readonly Watch[]): Map<string, HeadAsked> {
  const asked = new Map<string, HeadAsked>();
  for (const { user, kinds, relation } of watches) {
    for (const kind of kinds) asked.set(textOf({ user, kind, relation }), { user, kind, relation });
  }
  return asked;
}

const textOf = ({ user, kind, relation }: HeadAsked) => `${user} ${kind} ${relation}`;

/** Undefined: one of them cannot be had now. */
function headsFor(watch: Watch, headOf: ReadonlyMap<string, Head | undefined>): Heads | undefined {
  const heads: Partial<Record<KindName, Head>> = {};
  for (const kind of watch.kinds) {
    const head = headOf.get(textOf({ ...watch, kind }));
    if (head === undefined) return undefined;
    heads[kind] = head;
  }
  return heads;
}

function planOf(watch: Watch, heads: Heads | undefined, options: CheckOptions): Plan {
  const { user, outgoing } = watch;
  if (heads === undefined) return { user, againMs: AGAIN_MS };
  if (outgoing !== undefined) return redelivery(watch, outgoing, heads, options);
  const { now, most } = options;
  const told = toldWith(watch, heads, most);
  const news = newsOf(watch, heads);
  if (news.length === 0) {
    const isSame = watch.kinds.every((kind) => isSameTold(watch.told[kind], told[kind] as NonNullable<Told[KindName]>));
    return {
      user,
      ...(isSame && watch.dueAt === undefined ? {} : { save: saveOf(watch, { told, dueAt: undefined }) }),
    };
  }
  const next = (watch.notifiedAt ?? 0) + watch.intervalMs;
  if (next > now) {
    const recorded = firstHeads(watch, told);
    return { user, save: saveOf(watch, { told: recorded, dueAt: next }) };
  }
  const sources = news.sort(byKeyDescending);
  const more = watch.kinds.some((kind) => hasMore(heads[kind], news, kind));
  const first: Outgoing = { id: idOf(watch.id, sources), sources, more, attempts: 0, since: now };
  const save = saveOf(watch, { told: firstHeads(watch, told), outgoing: first, dueAt: now + REDELIVER_MS });
  return { user, save, delivery: { save, notification: notificationOf(watch, first, sources, now), told } };
}

/** A notification whose delivery failed, or whose process died. Not before it is due: whoever delivers it may still be at it. */
function redelivery(watch: Watch, outgoing: Outgoing, heads: Heads, { now }: CheckOptions): Plan {
  const { user, dueAt = 0 } = watch;
  if (dueAt > now) return { user, againMs: outgoing.attempts === 0 ? laterAndLater(now - outgoing.since) : undefined };
  const sources = stillVisible(outgoing, heads).filter(({ id }) => !watch.muted.includes(id));
  if (sources.length === 0 && !outgoing.isTest)
    return { user, save: saveOf(watch, { outgoing: undefined, dueAt: now }), againMs: AGAIN_MS };
  const save = saveOf(watch, { outgoing: { ...outgoing, attempts: outgoing.attempts + 1 }, dueAt: now + REDELIVER_MS });
  const notification = notificationOf(watch, outgoing, sources, now);
  return { user, save, delivery: { save, notification, told: toldOf(sources, watch.told) } };
}

/**
 * When to look again at a notification that is on its way for so long: after about as long again, so that a slow receiver
 * costs few checks; in powers of two, so that a page of users has few different times. All in ms.
 */
function laterAndLater(elapsed: number): number {
  const powers = Math.floor(Math.log2(Math.max(elapsed, AGAIN_MS) / AGAIN_MS));
  return Math.min(AGAIN_MS * 2 ** powers, LONGEST_AGAIN_MS);
}

function newsOf(watch: Watch, heads: Heads): NewSource[] {
  const muted = new Set(watch.muted);
  return watch.kinds.flatMap((kind) => {
    const news = newsIn(heads[kind] as Head, watch.told[kind]);
    return news.filter(({ id }) => !muted.has(id)).map(({ id, at }) => ({ kind, id, at }));
  });
}

function toldWith({ kinds, told }: Watch, heads: Heads, most: number): Told {
  return Object.fromEntries(kinds.map((kind) => [kind, toldAfter(heads[kind] as Head, told[kind], most)]));
}

/** What was told, with the heads of kinds that were told nothing yet. */
function firstHeads({ kinds, told }: Watch, after: Told): Told {
  return Object.fromEntries(kinds.map((kind) => [kind, told[kind] ?? after[kind]]));
}

/** Was everything that the head holds new, so that what is below it may be new as well? */
function hasMore(head: Head | undefined, news: readonly NewSource[], kind: KindName): boolean {
  return head?.floor !== undefined && news.filter((source) => source.kind === kind).length === head.entries.length;
}

function saveOf(watch: Watch, changes: Partial<Omit<WatchSave, 'id' | 'version'>>): WatchSave {
  const { id, version, told, outgoing, notifiedAt, dueAt, ended } = watch;
  return { id, version, told, outgoing, notifiedAt, dueAt, ended, ...changes };
}

function notificationOf(
  watch: Watch,
  { id, more, isTest = false }: Outgoing,
  sources: NewSource[],
  now: number,
): Notification {
  const { channel, url, secrets } = watch;
  const target = url === undefined ? { channel, secrets } : { channel, url, secrets };
  return { id, watch: watch.id, user: watch.user, timestamp: now, sources, more, isTest, target };
}

/** The same for the same watch and entries. */
function idOf(watch: Id, sources: readonly NewSource[]): string {
  const entries = sources.map(({ kind, id, at }) => `${kind}/${id}@${at}`);
  return createHash('sha256')
    .update(`${watch} ${entries.join(' ')}`)
    .digest('base64url')
    .slice(0, 22);
}

interface Result {
  readonly user: Id;
  readonly save: WatchSave;
  readonly isAgain: boolean;
  readonly buried?: Notification;
}

function resultOf(delivery: PendingDelivery, outcome: DeliveryOutcome, now: number, random: () => number): Result {
  const { save, notification, told } = delivery;
  const { user } = notification;
  const outgoing = save.outgoing as Outgoing;
  const isFirst = outgoing.attempts === 0;
  const over = { outgoing: undefined, dueAt: now }; // due, so that it is looked at again whatever becomes of this process
  if (outcome.is === 'delivered') {
    const after = isFirst ? { ...over, dueAt: undefined } : over;
    return { user, save: { ...save, ...after, told, notifiedAt: now }, isAgain: !isFirst };
  }
  if (outcome.is === 'gone')
    return { user, save: { ...save, ...over, ended: outcome.why.slice(0, 255) }, isAgain: false };
  if (outgoing.isTest) return { user, save: { ...save, ...over }, isAgain: true };
  const dueAt = retryAt(notification.target.channel, outgoing, { now, random, afterMs: outcome.afterMs });
  if (dueAt === undefined) return { user, save: { ...save, ...over, told }, isAgain: true, buried: notification };
  return {
    user,
    save: { ...save, outgoing: { ...outgoing, attempts: outgoing.attempts + (isFirst ? 1 : 0) }, dueAt },
    isAgain: false,
  };
}
