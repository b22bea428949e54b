import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'mysql2/promise';
import type { NewContact } from '../reference-site/load-graph.ts';
import { inTransaction, leavesTasks } from '../reference-site/transaction.ts';
import { PAIRS, TURN_OVER } from './circle.ts';

const LEAVE_TASKS = `
  INSERT INTO recency_outbox (type, user_id, other_id, version)
  SELECT IF(contacts.active, 'recency.contact.added', 'recency.contact.removed'),
         contacts.user_id, contacts.contact_id, contacts.version
  FROM ${PAIRS}`;

/** The changes of one tick are one transaction, so that the load leaves room for what is measured. */
const TICK_MS = 20;

/** Ends relationships and begins them again at a fixed rate, each change with its task in the outbox, unless the site is captured. */
export class ContactChanges {
  readonly #pool: Pool;
  readonly #pairs: readonly NewContact[];
  #sent = 0;

  /** @param pairs enough that none changes again before its task is done */
  constructor(pool: Pool, pairs: readonly NewContact[]) {
    this.#pool = pool;
    this.#pairs = pairs;
  }

  /**
   * Runs until aborted.
   * @param rate changes a second
   * @param onCommit called with what has been committed
   * @returns the actual rate
   */
  async run(rate: number, signal: AbortSignal, onCommit?: (changed: readonly NewContact[]) => void): Promise<number> {
    const from = performance.now();
    let sent = 0;
    while (!signal.aborted) {
      const due = Math.floor(((performance.now() - from) * rate) / 1000) - sent;
      if (due > 0) onCommit?.(await this.#change(due));
      sent += due;
      await pause(TICK_MS, undefined, { signal }).catch(() => undefined);
    }
    return (sent * 1000) / (performance.now() - from);
  }

  async #change(count: number): Promise<readonly NewContact[]> {
    const some = Array.from({ length: count }, () => this.#pairs[this.#sent++ % this.#pairs.length] as NewContact);
    const json = JSON.stringify(some.map(({ user, contact }) => [user, contact]));
    await inTransaction(this.#pool, async (connection) => {
      await connection.execute(TURN_OVER, [json]);
      if (leavesTasks(connection)) await connection.execute(LEAVE_TASKS, [json]);
    });
    return some;
  }
}

/** Makes consecutive items belong to different users. */
export function shuffledByStep<T>(items: readonly T[]): T[] {
  const step = 7_919; // a prime, so that every place is visited once
  return items.map((_, i) => items[(i * step) % items.length] as T);
}
