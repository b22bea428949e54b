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
  /** There are more, which a live answer shows. */
  readonly more: boolean;
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
  /** Outcomes in the order of the notifications. One that is slow or refused delays no other receiver's. Never rejects for one receiver's sake. */
  deliver(notifications: readonly Notification[]): Promise<readonly DeliveryOutcome[]>;
}

/** The body of a webhook, and the data of a Kafka record. */
export function bodyOf({ user, timestamp, sources, more }: Notification) {
  return {
    type: 'recency.activity',
    timestamp: isoTime(timestamp),
    data: {
      user,
      sources: sources.map(({ kind, id, at }) => ({ kind, id, last_upload_at: isoTime(at) })),
      more,
    },
  } as const;
}
