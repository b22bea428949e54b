import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'mysql2/promise';
import type { NewContact } from '../../reference-site/bulk.ts';
import { inTransaction } from '../../reference-site/transaction.ts';

const PAIRS = `JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', contact_id BIGINT UNSIGNED PATH '$[1]')) AS it
  STRAIGHT_JOIN contacts ON contacts.user_id = it.user_id AND contacts.contact_id = it.contact_id`;

const TURN_OVER = `UPDATE ${PAIRS} SET contacts.active = NOT contacts.active, contacts.version = contacts.version + 1`;

const LEAVE_TASKS = `
  INSERT INTO recency_outbox (type, user_id, other_id, version)
  SELECT IF(contacts.active, 'recency.contact.added', 'recency.contact.removed'),
         contacts.user_id, contacts.contact_id, contacts.version
  FROM ${PAIRS}`;

/** Changes of one tick are one transaction, so that the site's own work leaves room for what is measured. */
const TICK_MS = 20;

/** Relationships that change all the time, each change with its task in the outbox, so many a second. */
export class Load {
  readonly #pool: Pool;
  readonly #pairs: readonly NewContact[];
  #sent = 0;

  /** @param pairs so many that none of them changes again before its task is done */
  constructor(pool: Pool, pairs: readonly NewContact[]) {
    this.#pool = pool;
    this.#pairs = pairs;
  }

  /** Until aborted. @returns how many a second there really were */
  async run(rate: number, signal: AbortSignal): Promise<number> {
    const from = performance.now();
    let sent = 0;
    while (!signal.aborted) {
      const due = Math.floor(((performance.now() - from) * rate) / 1000) - sent;
      if (due > 0) await this.#change(due);
      sent += due;
      await pause(TICK_MS, undefined, { signal }).catch(() => undefined);
    }
    return (sent * 1000) / (performance.now() - from);
  }

  async #change(count: number): Promise<void> {
    const some = Array.from({ length: count }, () => this.#pairs[this.#sent++ % this.#pairs.length]);
    const json = JSON.stringify(some.map((pair) => [pair?.user, pair?.contact]));
    await inTransaction(this.#pool, async (connection) => {
      await connection.execute(TURN_OVER, [json]);
      await connection.execute(LEAVE_TASKS, [json]);
    });
  }
}
