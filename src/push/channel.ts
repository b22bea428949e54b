import { isoTime } from '../contracts/http.ts';
import type { Id } from '../contracts/id.ts';
import type { ChannelName, NewSource, Outgoing, WatchTarget } from '../contracts/watch.ts';

/** What a watch is told: thin, so that it never holds more than the user may see. */
export interface Notification {
  /** The same at every delivery of the same notification. */
  readonly id: string;
  readonly watch: Id;
  readonly user: Id;
  /** Of this delivery, ms since 1970 UTC. */
  readonly timestamp: number;
  /** Newest first, all visible a moment ago. */
  readonly sources: readonly NewSource[];
  /** There may be more, which a live answer shows. */
  readonly more: boolean;
  /** It only tests the delivery. */
  readonly isTest: boolean;
  readonly target: WatchTarget;
}

/** What became of a delivery. */
export type DeliveryOutcome =
  | { readonly is: 'delivered' }
  /** Not now. `afterMs`: no sooner than that, as the receiver asked. */
  | { readonly is: 'failed'; readonly why: string; readonly afterMs?: number }
  /** The receiver wants no more of this watch. */
  | { readonly is: 'gone'; readonly why: string };

/** Carries notifications to where they are received, at least once. */
export interface Channel {
  /**
   * Outcomes in the order of the notifications, each as soon as it is known: a receiver that is slow delays no other one.
   * None of the promises rejects.
   */
  deliver(notifications: readonly Notification[]): readonly Promise<DeliveryOutcome>[];
  close(): Promise<void>;
}

/** The type of an event: something is new, or only a test of the delivery. */
export function typeOf({ isTest }: Pick<Notification, 'isTest'>) {
  return isTest ? 'recency.test' : 'recency.activity';
}

/** The body of a webhook, and the value of a Kafka record. */
export function bodyOf(notification: Notification) {
  const { user, timestamp, sources, more } = notification;
  const shown = sources.map(({ kind, id, at }) => ({ kind, id, last_upload_at: isoTime(at) }));
  return { type: typeOf(notification), timestamp: isoTime(timestamp), data: { user, sources: shown, more } };
}

/**
 * Deliveries of a webhook are tried for three days, as Standard Webhooks recommends; a topic is never given up. `longestMs`: the
 * longest wait.
 */
const RETRIES: Readonly<Record<ChannelName, { readonly giveUpMs: number; readonly longestMs: number }>> = {
  webhook: { giveUpMs: 3 * 86_400_000, longestMs: 3_600_000 },
  kafka: { giveUpMs: Number.POSITIVE_INFINITY, longestMs: 5_000 },
};

const SHORTEST_MS = 1_000;

/** The longest wait that a receiver may ask for, ms. */
export const LONGEST_WAIT_MS = 86_400_000;

/**
 * When a delivery that failed is tried again: after a tenth of the time since the first try, so that a receiver that was away
 * for a minute is told within seconds of its return, and one that is away for days is asked once an hour. A quarter more or
 * less at random, so that the watches of one receiver do not come together.
 * @param by `afterMs`: no sooner than that, as the receiver asked; `random`: from 0 to 1
 * @returns ms since 1970 UTC; undefined: it is given up
 */
export function retryAt(
  channel: ChannelName,
  { since }: Pick<Outgoing, 'since'>,
  by: { readonly now: number; readonly random: () => number; readonly afterMs?: number | undefined },
): number | undefined {
  const { now, random, afterMs = 0 } = by;
  const { giveUpMs, longestMs } = RETRIES[channel] ?? RETRIES.kafka; // a channel that only another version knows
  const elapsed = now - since;
  if (elapsed >= giveUpMs) return undefined;
  const wait = Math.min(Math.max(elapsed / 10, SHORTEST_MS), longestMs) * (0.75 + random() / 2);
  return now + Math.round(Math.max(wait, afterMs));
}
