import type { Id } from '../contracts/id.ts';
import type { Outgoing, TestOutcome } from '../contracts/watch.ts';
import { type Leads, States } from '../timing/states.ts';
import { type DeliveryOutcome, type Notification, retryAt } from './channel.ts';
import { AGAIN_MS, again, type PendingDelivery, REDELIVER_MS } from './check.ts';
import { type CheckOperation, checkStep } from './check-steps.ts';
import type { WatchSave } from './watch-table.ts';

/**
 * - `sending`: the channel has it, and nothing is known of it yet.
 * - `unsaved`: its outcome is known, and not in MySQL.
 * - `saved`: nothing is left to do.
 */
type DeliveryState = 'sending' | 'unsaved' | 'saved';

const LEADS: Leads<DeliveryState> = { sending: ['unsaved'], unsaved: ['saved'], saved: [] };

/** Of a reason that is kept, characters. */
const LONGEST_WHY = 255;

/** A delivery that has begun. */
export interface Underway {
  readonly state: States<DeliveryState>;
  delivery: PendingDelivery;
  /** When, monotonic, ms. */
  readonly from: number;
  /** Ends it with this outcome, unless it has ended. */
  readonly end: (outcome: DeliveryOutcome) => void;
  /** Once it has ended. */
  outcome?: DeliveryOutcome;
}

/** One that is being sent. */
export function newDelivery(begun: Pick<Underway, 'delivery' | 'from' | 'end'>): Underway {
  return { ...begun, state: new States('sending', LEADS) };
}

export const hasEnded = (one: Underway): one is Required<Underway> => one.state.is('unsaved');

/** Steps 4 and 5 of a check (check.ts). @param now ms since 1970 UTC, after the delivery */
export function* settle(
  deliveries: readonly PendingDelivery[],
  outcomes: readonly DeliveryOutcome[],
  { now, random }: { readonly now: number; readonly random: () => number },
): CheckOperation<void> {
  const results = deliveries.map((delivery, i) => resultOf(delivery, outcomes[i] as DeliveryOutcome, now, random));
  const buried = results.flatMap(({ buried }) => (buried === undefined ? [] : [buried]));
  if (buried.length > 0) yield* checkStep('deadLetter', buried);
  const saved = yield* checkStep(
    'save',
    results.map(({ save }) => save),
  );
  // A repeated notification tells only what it said before, and a watch may have changed meanwhile: both are looked at again.
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

interface Result {
  readonly user: Id;
  readonly save: WatchSave;
  readonly isAgain: boolean;
  readonly buried?: Notification;
}

function testedAs({ id: notification }: Outgoing, outcome: DeliveryOutcome): TestOutcome {
  return outcome.is === 'delivered' ? { notification } : { notification, why: outcome.why.slice(0, LONGEST_WHY) };
}

function resultOf(delivery: PendingDelivery, outcome: DeliveryOutcome, now: number, random: () => number): Result {
  const { save, notification, told } = delivery;
  const { user } = notification;
  const outgoing = save.outgoing as Outgoing;
  const isFirst = outgoing.attempts === 0;
  // Due, so that it is looked at again whatever becomes of this process.
  const over = { outgoing: undefined, dueAt: now, ...(outgoing.isTest ? { tested: testedAs(outgoing, outcome) } : {}) };
  if (outcome.is === 'delivered') {
    const after = isFirst ? { ...over, dueAt: undefined } : over;
    const notifiedAt = outgoing.isTest ? save.notifiedAt : now;
    return { user, save: { ...save, ...after, told, notifiedAt }, isAgain: !isFirst };
  }
  if (outcome.is === 'gone')
    return { user, save: { ...save, ...over, ended: outcome.why.slice(0, LONGEST_WHY) }, isAgain: true };
  if (outgoing.isTest) return { user, save: { ...save, ...over }, isAgain: true };
  const dueAt = retryAt(notification.target.channel, outgoing, { now, random, afterMs: outcome.afterMs });
  if (dueAt === undefined) return { user, save: { ...save, ...over, told }, isAgain: true, buried: notification };
  const failed = { ...outgoing, attempts: outgoing.attempts + (isFirst ? 1 : 0), waitMs: dueAt - now };
  return { user, save: { ...save, outgoing: failed, dueAt }, isAgain: false };
}
