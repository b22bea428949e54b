import type { Id } from '../contracts/id.ts';
import { isoTime } from '../contracts/iso-time.ts';
import type { NewSource, WatchTarget } from '../contracts/watch.ts';

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
