import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { DeadLetters } from '../consumers/dead-letters.ts';
import { type TaskPublisher, TransportFull } from '../consumers/task-publisher.ts';
import type { Database } from '../mysql/database.ts';
import { publishRows } from '../mysql/outbox.ts';
import { sortRows } from './sort-rows.ts';

export interface RelayOptions {
  /** Its deadline must hold a statement and a publishing. */
  readonly database: Database;
  readonly publisher: Pick<TaskPublisher, 'publish' | 'checkRoom'>;
  readonly deadLetters: Pick<DeadLetters, 'put'>;
  readonly logger: Logger;
  readonly onPublished?: (counts: RelayCounts) => void;
}

export interface RelayCounts {
  readonly published: number;
  readonly deadLetters: number;
}

/** Rows in one transaction. */
const ROWS_AT_ONCE = 500;

/** Pause after a round that found some rows, ms; it doubles with every round that finds none. */
const SHORTEST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 100;

/** While MySQL or the transport is away. */
const LONGEST_BACK_OFF_MS = 5_000;

/** While the transport is full: to look again costs one command, and no row is locked. */
const FULL_BACK_OFF_MS = 500;

/**
 * Publishes the rows of the outbox. Rows are claimed, published and marked in one transaction, so that each is published
 * at least once whatever ends the process, and several relays share the work. A row that is no task goes to the dead
 * letters in the same transaction: nothing waits behind it, and nothing is lost without a word.
 */
export class OutboxRelay {
  readonly #options: RelayOptions;

  /** The transport was full at the last round. */
  #isFull = false;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** Until aborted; the rows in work are finished first. */
  async run(signal: AbortSignal): Promise<void> {
    let wait = 0;
    while (!signal.aborted) {
      wait = await this.#round(wait);
      if (wait > 0) await pause(wait, undefined, { signal }).catch(() => undefined);
    }
  }

  /** One batch. @throws DatabaseUnavailable, and what the transport throws; then the rows are still unpublished */
  async runOnce(): Promise<RelayCounts> {
    // Before any row is locked: while the transport is full, nobody should wait for rows that cannot go anywhere.
    await this.#options.publisher.checkRoom?.();
    let deadLetters = 0;
    const rows = await publishRows(this.#options.database, ROWS_AT_ONCE, async (claimed) => {
      const { tasks, letters } = sortRows(claimed);
      deadLetters = letters.length;
      if (tasks.length > 0) await this.#options.publisher.publish(tasks);
      if (letters.length > 0) await this.#options.deadLetters.put(letters);
    });
    const counts = { published: rows - deadLetters, deadLetters };
    if (rows > 0) this.#options.onPublished?.(counts);
    return counts;
  }

  /** How long to wait before the next one, ms. */
  async #round(waited: number): Promise<number> {
    try {
      const { published, deadLetters } = await this.runOnce();
      if (this.#isFull) this.#options.logger.info('the transport has room again');
      this.#isFull = false;
      if (deadLetters > 0) this.#options.logger.warn({ deadLetters }, 'rows of the outbox went to the dead letters');
      if (published + deadLetters === ROWS_AT_ONCE) return 0;
      return published + deadLetters > 0 ? SHORTEST_PAUSE_MS : Math.min(doubled(waited), LONGEST_PAUSE_MS);
    } catch (error) {
      this.#tell(error);
      const longest = error instanceof TransportFull ? FULL_BACK_OFF_MS : LONGEST_BACK_OFF_MS;
      return Math.min(Math.max(doubled(waited), 10 * SHORTEST_PAUSE_MS), longest);
    }
  }

  /** A full transport is told once: it lasts for as long as the consumers need. */
  #tell(error: unknown): void {
    if (!(error instanceof TransportFull)) {
      this.#options.logger.warn({ err: error }, 'rows of the outbox were not published; they stay where they are');
    } else if (!this.#isFull) {
      this.#options.logger.warn({ err: error }, 'the transport is full; rows of the outbox wait until there is room');
      this.#isFull = true;
    }
  }
}

function doubled(pauseMs: number): number {
  return Math.max(SHORTEST_PAUSE_MS, pauseMs * 2);
}
