import type { Id } from '../../src/contracts/id.ts';
import type { Key } from '../../src/contracts/key.ts';
import type { Relation } from '../../src/contracts/relation.ts';
import type { Watch } from '../../src/contracts/watch.ts';

/** The only user, who is watched by one watch. */
export const USER: Id = '5';
export const WATCH: Id = '1';

/** Something that the site does. Uploads may commit in another order than that of their times. */
export type SiteAction =
  | { readonly do: 'upload'; readonly contact: Id; readonly at: number }
  | { readonly do: 'delete'; readonly contact: Id; readonly at: number }
  /** The watch is told of friends alone from here on, or of all. */
  | { readonly do: 'filter'; readonly relation: Relation }
  /** The watch is tested, unless a notification is on its way. */
  | { readonly do: 'test' };

/** Contacts who are friends. */
export const FRIENDS: readonly Id[] = ['10'];

/** What may go wrong. */
export type PushFault =
  /** A worker, or a notifier, loses its work. */
  | 'crash'
  /** A delivery fails, though the receiver may have had it. */
  | 'failure'
  /** So much time passes that a delivery in progress counts as lost. */
  | 'delay'
  /** Redis loses who is watched and who is to be checked; a new epoch begins. */
  | 'wipe';

/** One search: every interleaving of everything that may happen here. */
export interface PushScenario {
  readonly name: string;
  /** Photos of the contacts at the start. */
  readonly photos: readonly Key[];
  /** In any order, unless that is said. */
  readonly actions: readonly SiteAction[];
  readonly areInOrder?: boolean;
  /** Entries of a head, and the depth of its floor; undefined: a head has everything. */
  readonly head?: { readonly most: number; readonly depth: number };
  /** Is the watch there at the start, told of these photos? Otherwise it is created meanwhile. */
  readonly isWatched: boolean;
  /** Had the user a watch before, which is gone, so that signals are still given? Only where it is created meanwhile. */
  readonly wasWatched?: boolean;
  /** Does a live answer show an upload before its task is processed? It may (from plain SQL), and it may not (from the index). */
  readonly shows: 'committed' | 'refreshed';
  readonly notifiers: number;
  readonly faults: readonly PushFault[];
  readonly faultsAtMost: number;
  /** Deviations: a save that is compared with nothing; a signal after the task is acknowledged. */
  readonly saves?: 'always';
  readonly signals?: 'acknowledged';
}

/** What runs: an operation of the product, as its cause and the replies so far, because a generator cannot be copied. */
export type Running =
  | { readonly kind: 'worker'; readonly task: number; readonly replies: readonly unknown[]; readonly acked: boolean }
  | { readonly kind: 'check'; readonly replies: readonly unknown[] }
  | {
      readonly kind: 'settle';
      readonly checked: readonly unknown[];
      readonly outcomes: readonly string[];
      readonly replies: readonly unknown[];
    }
  | {
      readonly kind: 'deliver';
      readonly checked: readonly unknown[];
      readonly shown: readonly Key[];
      /** What an answer without an end would have shown. */
      readonly all: readonly Key[];
    }
  | { readonly kind: 'subscribe'; readonly replies: readonly unknown[] }
  | { readonly kind: 'enroll'; readonly replies: readonly unknown[] }
  | { readonly kind: 'unwatch'; readonly replies: readonly unknown[] };

/** An entry that was delivered, perhaps, and under which id. */
export interface Delivered extends Key {
  readonly notification: string;
}

/** Everything that there is, as plain data: states with equal texts are one. */
export interface World {
  /** Those still to come. */
  readonly actions: readonly SiteAction[];
  /** Committed photos. */
  readonly photos: readonly Key[];
  /** Photos that were deleted: never told from then on. */
  readonly deleted: readonly Key[];
  /** Photos whose uploads the index has. */
  readonly refreshed: readonly Key[];
  /** Contacts with a task that is not acknowledged and not being worked on. */
  readonly tasks: readonly Id[];
  /** MySQL. `told` and `outgoing` as the product has them; versions count up. */
  readonly watch: Watch | undefined;
  readonly version: number;
  /** Redis. */
  readonly isEnrolled: boolean;
  readonly isDue: boolean;
  /** Is nobody subscribing any more? */
  readonly isSubscribed: boolean;
  /** An epoch began, and the sweep has not seen it. */
  readonly isNewEpoch: boolean;
  readonly running: readonly Running[];
  readonly delivered: readonly Delivered[];
  /** Uploads that the watch is owed: each stood above the floor of a head when it was committed. Only where heads have an end. */
  readonly owed: readonly Key[];
  /** What was there when a notification said that there is more. */
  readonly hinted: readonly Key[];
  /** What the first head held, of the watch or of a contact whom it was not told of before: not news. */
  readonly recorded: readonly Key[] | undefined;
  readonly faults: number;
}
