/**
 * Has everything that existed at some moment been processed by now?
 *
 * Whoever compares an index with MySQL sees differences that are none: changes whose tasks are still on their way. A
 * nonce that stands still does not tell them apart (the task may be waiting), and neither does time. So a difference is
 * believed only if it is still there after every task that existed at first sight was processed. A task exists in one
 * place after the other (the outbox, the transport, the delay queue), so the places are gone through in that order, and
 * each is marked only when the one before it has been passed.
 */
import type { Database } from '../mysql/database.ts';
import { isPublishedUpTo, readLastOutboxId } from '../mysql/outbox-progress.ts';
import type { DelayQueue } from '../redis/delay-queue.ts';

/** What existed at one moment; only whoever made it can read it. */
export type Mark = unknown;

export interface Settled {
  /** Of what exists now. */
  mark(): Promise<Mark>;
  /** Is all of that processed? Once true, always true. */
  reached(mark: Mark): Promise<boolean>;
}

/** What a transport has to say: is everything applied that was on it? */
export type TransportMarks = Settled;

/**
 * Everything on its way to the indexes: the outbox, then the transport, then the delay queue. The last one twice: work
 * in hand at its first mark may have read MySQL before the change, and put itself back for later.
 */
export function settledBy(parts: {
  readonly primary: Database;
  readonly transport: TransportMarks;
  readonly delayQueue: DelayQueue;
}): Settled {
  const delayed = delayedMarks(parts.delayQueue);
  return inTurn([outboxMarks(parts.primary), parts.transport, delayed, delayed]);
}

/** Every row that was in the outbox is published. */
export function outboxMarks(primary: Database): Settled {
  return {
    mark: () => readLastOutboxId(primary),
    reached: (mark) => isPublishedUpTo(primary, mark as string),
  };
}

/** So many items are asked for in one call. */
const ITEMS_A_CALL = 500;

/** Every item that waited in the delay queue, or was being worked on, is gone from it. */
export function delayedMarks(queue: DelayQueue): Settled {
  return {
    mark: async () => new Set(await queue.waiting()),
    reached: async (mark) => {
      const left = mark as Set<string>;
      for (const some of chunks([...left])) {
        const waiting = new Set(await queue.waiting(some));
        for (const item of some) if (!waiting.has(item)) left.delete(item);
      }
      return left.size === 0;
    },
  };
}

/** One place after the other, each marked when the one before it was passed. */
export function inTurn(places: readonly Settled[]): Settled {
  return {
    mark: async () => ({ at: 0, mark: await places[0]?.mark() }),
    reached: async (mark) => {
      const progress = mark as { at: number; mark: Mark };
      for (let place = places[progress.at]; place !== undefined; place = places[progress.at]) {
        if (!(await place.reached(progress.mark))) return false;
        progress.at++;
        progress.mark = await places[progress.at]?.mark();
      }
      return true;
    },
  };
}

function* chunks(items: readonly string[]): Iterable<string[]> {
  for (let from = 0; from < items.length; from += ITEMS_A_CALL) yield items.slice(from, from + ITEMS_A_CALL);
}
