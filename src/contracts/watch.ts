/**
 * A watch: who is told of what is new, how, and what it was told last. A notification is the difference between what a live
 * answer shows and that.
 */
import type { Id } from './id.ts';
import type { Key } from './key.ts';
import type { KindName } from './kind.ts';
import type { Relation } from './relation.ts';

export const CHANNELS = ['webhook', 'kafka'] as const;

/** How a watch is told. */
export type ChannelName = (typeof CHANNELS)[number];

/** What a watch is told of. */
export interface WatchFilter {
  /** At least one. */
  readonly kinds: readonly KindName[];
  /** Of contacts; a kind without relations is not filtered. */
  readonly relation: Relation;
  /** Ids of contacts, or of sources of the other kinds, that it is never told of. */
  readonly muted: readonly Id[];
}

/** Its deliveries. */
export interface WatchTarget {
  readonly channel: ChannelName;
  /** Of a webhook. */
  readonly url?: string;
  /** Of a webhook: `whsec_…` (Standard Webhooks), the newest first. Never logged. */
  readonly secrets: readonly string[];
}

/** The head of one kind that a watch was last told, complete above its floor. */
export interface ToldHead {
  /** Highest first. A contact may have two: the photo that is dated ahead, and the one before it. */
  readonly entries: readonly Key[];
  /** Another contact is news above it; undefined: wherever it is. */
  readonly floor: Key | undefined;
  /** What it was filtered by; undefined, as older versions write it: by what the watch says. */
  readonly relation?: Relation;
}

/** By kind. A kind that is not in it has been told nothing yet: its first head is only recorded. */
export type Told = Readonly<Partial<Record<KindName, ToldHead>>>;

/** A source with something new. With its time it is the entry's identity: nobody is told of the same one twice but by a retry. */
export interface NewSource {
  readonly kind: KindName;
  readonly id: Id;
  /** ms since 1970 UTC. */
  readonly at: number;
}

/**
 * A notification that is about to be delivered, or whose delivery failed. It is saved before it is delivered, so that a
 * process that takes over delivers it under the same id.
 */
export interface Outgoing {
  /** The same at every delivery of it. */
  readonly id: string;
  /** Newest first. A delivery leaves out those that the user may no longer see. */
  readonly sources: readonly NewSource[];
  /** There were more than one notification holds. */
  readonly more: boolean;
  /** Deliveries that failed. */
  readonly attempts: number;
  /** It only tests the delivery: it has no sources, and is not tried again. */
  readonly isTest?: boolean;
  /** When the first delivery was due, ms since 1970 UTC: retries end three days later. */
  readonly since: number;
  /** How long the wait is that the watch is in, ms: clocks that differ make it no longer. Older versions write none. */
  readonly waitMs?: number;
}

/** What became of a test. */
export interface TestOutcome {
  readonly notification: string;
  /** Why it failed; undefined: it was delivered. */
  readonly why?: string;
}

/** A row of `recency_watches`. */
export interface Watch extends WatchFilter, WatchTarget {
  readonly id: Id;
  readonly user: Id;
  /** Least time from one notification to the next, ms; what is new meanwhile comes together. */
  readonly intervalMs: number;
  /** Why nothing is delivered any more (an endpoint answered 410); undefined: it is. */
  readonly ended: string | undefined;
  readonly told: Told;
  readonly outgoing: Outgoing | undefined;
  /** The last delivery, ms since 1970 UTC; undefined: none yet. */
  readonly notifiedAt: number | undefined;
  /** The last test; undefined: there was none, or it has not ended. */
  readonly tested?: TestOutcome | undefined;
  /** When it is to be looked at again by itself, ms since 1970 UTC (a retry, the end of an interval); undefined: when a hint comes. */
  readonly dueAt: number | undefined;
  /** Every write replaces it: what is saved about a watch is compared with it. */
  readonly version: string;
}
