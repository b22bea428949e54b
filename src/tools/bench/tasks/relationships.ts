import type { Pool } from 'mysql2/promise';
import { chunks } from '../../../index/chunks.ts';
import type { OutgoingTask } from '../../../transport/task-publisher.ts';
import type { NewContact } from '../../reference-site/bulk.ts';
import { outgoing } from './outgoing.ts';

// As a site's own change: the version grows under the row's lock.
const TURN_OVER = `
  UPDATE JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', contact_id BIGINT UNSIGNED PATH '$[1]')) AS it
  STRAIGHT_JOIN contacts ON contacts.user_id = it.user_id AND contacts.contact_id = it.contact_id
  SET contacts.active = NOT contacts.active, contacts.version = contacts.version + 1`;

const ROWS_AT_ONCE = 2_000;

/**
 * Some relationships that change all at once: of every two, one ends and one begins. Doing it again brings all of them
 * back, so that nothing wears out however often it is done.
 */
export class Relationships {
  readonly #pool: Pool;
  readonly #pairs: readonly NewContact[];
  #turns = 0;

  private constructor(pool: Pool, pairs: readonly NewContact[]) {
    this.#pool = pool;
    this.#pairs = pairs;
  }

  /** Every other of the pairs ends, without a task: do it before the indexes are built. */
  static async of(pool: Pool, pairs: readonly NewContact[]): Promise<Relationships> {
    const relationships = new Relationships(pool, pairs);
    await relationships.#turnOver(pairs.filter((_, place) => isOffAtFirst(place)));
    return relationships;
  }

  /** Changes them in MySQL. @returns the tasks that say so */
  async change(): Promise<OutgoingTask[]> {
    await this.#turnOver(this.#pairs);
    this.#turns++;
    return this.tasks();
  }

  /** Of the last change. */
  tasks(): OutgoingTask[] {
    return this.#pairs.map(({ user, contact }, place) => {
      const wasOff = isOffAtFirst(place);
      const isOn = wasOff === (this.#turns % 2 === 1);
      const version = String(1 + this.#turns + (wasOff ? 1 : 0));
      return outgoing({ type: isOn ? 'recency.contact.added' : 'recency.contact.removed', user, contact, version });
    });
  }

  async #turnOver(pairs: readonly NewContact[]): Promise<void> {
    for (const some of chunks(pairs, ROWS_AT_ONCE)) {
      await this.#pool.execute(TURN_OVER, [JSON.stringify(some.map(({ user, contact }) => [user, contact]))]);
    }
  }
}

function isOffAtFirst(place: number): boolean {
  return place % 2 === 1;
}
