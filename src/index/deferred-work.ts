import type { Id } from '../contracts/id.ts';
import type { DelayQueue, Held } from '../redis/delay-queue.ts';
import type { DeferredWork, VersionedPair } from './protocol.ts';

/** One item of the delay queue, as its text says it. Equal items are one. */
export type DelayedItem =
  | { readonly kind: 'refresh'; readonly user: Id; readonly contact: Id }
  | { readonly kind: 'rebuild'; readonly user: Id }
  /** A row that was older than its task said. `attempt` counts from 1. */
  | {
      readonly kind: 'recheck';
      readonly user: Id;
      readonly contact: Id;
      readonly version: string;
      readonly attempt: number;
    };

/** What lost its race is contended just now: let the others finish. */
const CONTENDED_MS = 100;

/** Many reads may ask for the rebuild of one index; one is enough. */
const REBUILD_DEBOUNCE_MS = 250;

/** Later for each attempt, so that a slow transaction is waited for: 0.25 s, 0.5 s, … at most 30 s. */
function recheckDelay(attempt: number): number {
  return Math.min(250 * 2 ** (attempt - 1), 30_000);
}

/** What is put off, in a delay queue. */
export class DelayedWork {
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

  async recheck(pairs: readonly VersionedPair[], attempt: number): Promise<void> {
    const items = pairs.map(
      ({ user, contact, version }) => ({ kind: 'recheck', user, contact, version, attempt }) as const,
    );
    await this.#queue.put(items.map(textOf), recheckDelay(attempt));
  }

  /** Of these users nothing is to be built any more. Refreshes that wait do nothing for a user without an index. */
  async forget(users: readonly Id[]): Promise<void> {
    await this.#queue.drop(users.map((user) => textOf({ kind: 'rebuild', user })));
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
