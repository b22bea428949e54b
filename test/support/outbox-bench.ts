import { pino } from 'pino';
import { afterEach, beforeAll, beforeEach } from 'vitest';
import { Database } from '../../src/mysql/database.ts';
import { migrate } from '../../src/mysql/migrate.ts';
import { OUTBOX_NOW, readOutboxLag } from '../../src/mysql/outbox.ts';
import { OutboxRelay } from '../../src/relay/relay.ts';
import type { DeadLetters } from '../../src/transport/dead-letters.ts';
import type { OutgoingTask } from '../../src/transport/task-publisher.ts';
import { freshDatabase } from './servers.ts';

export const silent = pino({ level: 'silent' });

/** An outbox for one test file, emptied before each test. */
export class OutboxBench {
  database!: Database;
  #url = '';

  constructor() {
    beforeAll(async () => {
      this.#url = await freshDatabase();
      await migrate({ url: this.#url, viewsOnly: true });
    });
    beforeEach(async () => {
      this.database = this.open();
      await this.database.write('DELETE FROM recency_outbox', []);
    });
    afterEach(() => this.database.close());
  }

  /** One more connection to the same database. */
  open(): Database {
    return new Database(this.#url, { connections: 4, queue: 100, deadlineMs: 60_000 });
  }

  /** Inserts rows of users `from` and following. */
  async write(rows: number, from = 1): Promise<void> {
    const values = Array.from({ length: rows }, (_, i) => `('recency.contact.added', ${from + i}, ${from + i + 1}, 1)`);
    await this.database.write(
      `INSERT INTO recency_outbox (type, user_id, other_id, version) VALUES ${values.join(',')}`,
      [],
    );
  }

  async unpublished(): Promise<number> {
    return (await readOutboxLag(this.database)).rows;
  }

  /** Lets the delays of rows that were put back pass. */
  async allDue(): Promise<void> {
    await this.database.write('UPDATE recency_outbox SET due_at = 1 WHERE due_at > 0', []);
  }

  /** Keeps rows that were put back from being due while the test looks at others. */
  async noneDue(): Promise<void> {
    await this.database.write(`UPDATE recency_outbox SET due_at = ${OUTBOX_NOW} + 50000 WHERE due_at > 0`, []);
  }

  relayTo(
    publish: (tasks: readonly OutgoingTask[]) => Promise<void>,
    letters: unknown[] = [],
    put: DeadLetters['put'] = async (some) => void letters.push(...some),
  ): OutboxRelay {
    const deadLetters = { put };
    return new OutboxRelay({
      database: this.database,
      publisher: { publish, checkRoom: async () => undefined },
      deadLetters,
      logger: silent,
    });
  }
}

/** Records what is published. */
export function recorder() {
  const tasks: OutgoingTask[] = [];
  return { tasks, publish: async (some: readonly OutgoingTask[]) => void tasks.push(...some) };
}
