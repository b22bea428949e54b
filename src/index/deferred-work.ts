import type { Id } from '../contracts/id.ts';
import type { DelayQueue, Held } from '../redis/delay-queue.ts';
import { chunks } from './chunks.ts';
import { EVERYBODY, keyOf, type PendingWork, type PutOffWork, type Suspect, type SuspectKey } from './drain-barrier.ts';
import type { DeferredWork } from './protocol.ts';

/** One item of the delay queue, as its text says it. Equal items are one. */
export type DelayedItem =
  | { readonly kind: 'refresh'; readonly user: Id; readonly contact: Id }
  | { readonly kind: 'rebuild'; readonly user: Id }
  /**
   * A row that was older than its task said. `attempt` counts from 1. Kept in MySQL (see {@link Rechecks}); in a delay
   * queue only where a version before 0003_outbox_due has left it, and what is still behind then moves to MySQL.
   */
  | {
      readonly kind: 'recheck';
      readonly user: Id;
      readonly contact: Id;
      readonly version: string;
      readonly attempt: number;
    };

/** What lost its race is contended just now: let the others finish. */
const CONTENDED_MS = 100;

/** Items dropped in one call, so that none keeps Redis from others. */
const ITEMS_A_CALL = 200;

/** Many reads may ask for the rebuild of one index; one is enough. */
const REBUILD_DEBOUNCE_MS = 250;

/**
 * What is put off, in a delay queue: only what a new epoch makes unnecessary, because a Redis that is lost takes it
 * along. What it would have done, the rebuilds of the new epoch do.
 */
export class DelayedWork implements PutOffWork {
  readonly #queue: DelayQueue;

  constructor(queue: DelayQueue) {
    this.#queue = queue;
  }

  async defer({ pairs, rebuilds }: DeferredWork): Promise<void> {
    const items: DelayedItem[] = [
      ...pairs.map(({ user, contact }) => ({ kind: 'refresh', user, contact }) as const),
      ...rebuilds.map((user) => ({ kind: 'rebuild', user }) as const),
    ];
    await this.#queue.put(items.map(textOf), CONTENDED_MS);
  }

  /** A read found that the user's index has run low. */
  async askForRebuild(user: Id): Promise<void> {
    await this.#queue.put([textOf({ kind: 'rebuild', user })], REBUILD_DEBOUNCE_MS);
  }

  /**
   * Nothing is to be done to these users' indexes any more: neither what waits nor what is held. Re-checks stay, those in MySQL
   * as well: the commit that they wait for is still to come, and an index built before it will need them.
   */
  async forget(users: readonly Id[]): Promise<void> {
    const refreshes = users.map((user) => beginningOf('refresh', { user }));
    const waiting = await this.#queue.waiting(refreshes);
    const dropped = [...users.map((user) => textOf({ kind: 'rebuild', user })), ...waiting];
    for (const some of chunks(dropped, ITEMS_A_CALL)) await this.#queue.drop(some);
  }

  /** What waits or is being done for these suspects, by its text. @throws RedisUnavailable */
  async pendingFor(suspects: readonly Suspect[]): Promise<PendingWork> {
    const pending = new Map<SuspectKey, Set<string>>(suspects.map((suspect) => [keyOf(suspect), new Set()]));
    for (const text of await this.#queue.waiting(suspects.flatMap(beginningsFor))) {
      for (const suspect of suspectsOf(JSON.parse(text) as DelayedItem)) pending.get(keyOf(suspect))?.add(text);
    }
    return pending;
  }

  async take(count: number, leaseMs: number): Promise<Held<DelayedItem>> {
    const { items, leaseEnd } = await this.#queue.take(count, leaseMs);
    return { items: items.map((text) => JSON.parse(text) as DelayedItem), leaseEnd };
  }

  /** Those of the items that are still held, for `leaseMs` from now. */
  async extend({ items, leaseEnd }: Held<DelayedItem>, leaseMs: number): Promise<Held<DelayedItem>> {
    const held = await this.#queue.extend({ items: items.map(textOf), leaseEnd }, leaseMs);
    return { items: held.items.map((text) => JSON.parse(text) as DelayedItem), leaseEnd: held.leaseEnd };
  }

  async finish({ items, leaseEnd }: Held<DelayedItem>): Promise<void> {
    await this.#queue.finish({ items: items.map(textOf), leaseEnd });
  }
}

/** How the texts begin of what could change what this suspect's index says; a re-check is about both sides. */
function beginningsFor({ user, contact }: Suspect): string[] {
  if (user === undefined) return [''];
  if (contact === undefined) {
    return [
      textOf({ kind: 'rebuild', user }),
      ...(['refresh', 'recheck'] as const).map((kind) => beginningOf(kind, { user })),
    ];
  }
  return [
    textOf({ kind: 'refresh', user, contact }),
    beginningOf('recheck', { user, contact }),
    beginningOf('recheck', { user: contact, contact: user }),
  ];
}

function beginningOf(kind: DelayedItem['kind'], fields: { readonly user: Id; readonly contact?: Id }): string {
  return `${JSON.stringify({ kind, ...fields }).slice(0, -1)},`;
}

/** Whose doubts the item may settle: see `beginningsFor`. */
export function suspectsOf(item: DelayedItem): Suspect[] {
  const { user } = item;
  const whole = [EVERYBODY, { user, contact: undefined }];
  if (item.kind === 'rebuild') return whole;
  const { contact } = item;
  if (item.kind === 'refresh') return [...whole, { user, contact }];
  return [...whole, { user, contact }, { user: contact, contact: undefined }, { user: contact, contact: user }];
}

/** The same fields in the same order, always: the text is the item's identity. */
function textOf(item: DelayedItem): string {
  switch (item.kind) {
    case 'refresh':
      return JSON.stringify({ kind: item.kind, user: item.user, contact: item.contact });
    case 'rebuild':
      return JSON.stringify({ kind: item.kind, user: item.user });
    case 'recheck':
      return JSON.stringify({
        kind: item.kind,
        user: item.user,
        contact: item.contact,
        version: item.version,
        attempt: item.attempt,
      });
  }
}
