import type { Logger } from 'pino';
import type { Database } from '../mysql/database.ts';
import { type OutboxRow, publishRows } from '../mysql/outbox.ts';
import { loop } from '../timing/loop.ts';
import type { DeadLetters } from '../transport/dead-letters.ts';
import {
  MessageRefused,
  type OutgoingTask,
  PartlyPublished,
  type TaskPublisher,
  TransportFull,
} from '../transport/task-publisher.ts';
import { type Letter, letterOf, sortRows } from './sort-rows.ts';

export interface RelayOptions {
  /** Its deadline must hold a statement and a publishing. */
  readonly database: Database;
  readonly publisher: Pick<TaskPublisher, 'publish' | 'checkRoom'>;
  readonly deadLetters: Pick<DeadLetters, 'put'>;
  readonly logger: Logger;
  readonly onPublished?: (counts: RelayCounts) => void;
}

/** What became of the rows of one round. */
export interface RelayCounts {
  readonly published: number;
  readonly deadLetters: number;
  /** Their part of the transport is away: they are tried again later. */
  readonly putBack: number;
  /** Neither the transport nor the dead letters take them: marked with the reason, and left. */
  readonly refused: number;
}

/** Rows in one transaction. */
const ROWS_AT_ONCE = 500;

/** Of the full rounds of a backlog, every so manyth is for what was put back: otherwise it would wait for the last new row. */
const ROUNDS_A_TURN = 10;

/** Pause after a round that found some rows, ms; it doubles with every round that finds none. */
const SHORTEST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 100;

/** While MySQL or the transport is away. */
const LONGEST_BACK_OFF_MS = 5_000;

/** While the transport is full: to look again costs one command, and no row is locked. */
const FULL_BACK_OFF_MS = 500;

/**
 * Publishes the rows of the outbox. Rows are claimed, published and marked in one transaction, so that each is published
 * at least once whatever ends the process, and several relays share the work.
 *
 * Nothing waits behind a row that cannot be published. A row whose part of the transport is away (a partition without a
 * leader) is put back with a pause that grows, and new rows go before it. A row that is no task, or that the transport
 * will never take, goes to the dead letters in the same transaction. One that even those refuse is marked with the
 * reason and left.
 */
export class OutboxRelay {
  readonly #options: RelayOptions;
  #fullRounds = 0;

  /** The transport was full at the last round. */
  #isFull = false;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** Until aborted; the rows in work are finished first. */
  async run(signal: AbortSignal): Promise<void> {
    let waitedMs = 0;
    const round = async () => {
      waitedMs = await this.#round(waitedMs);
      return waitedMs;
    };
    await loop({ signal, round });
  }

  /** One batch. @throws DatabaseUnavailable, and what the transport throws; then the rows are still unpublished */
  async runOnce(): Promise<RelayCounts> {
    // Before any row is locked: while the transport is full, nobody should wait for rows that cannot go anywhere.
    await this.#options.publisher.checkRoom();
    const which = this.#fullRounds % ROUNDS_A_TURN === ROUNDS_A_TURN - 1 ? 'put back' : 'due';
    // Before anything can fail: what was put back must not be tried for ever while new rows wait.
    if (which === 'put back') this.#fullRounds = 0;
    let [deadLetters, putBack, refused] = [0, 0, 0];
    const rows = await publishRows(this.#options.database, { limit: ROWS_AT_ONCE, which }, async (claimed) => {
      const done = await this.#publish(claimed);
      [deadLetters, putBack, refused] = [done.letters, done.putBack.length, done.refused.size];
      return done;
    });
    if (which === 'due') this.#fullRounds = rows === ROWS_AT_ONCE ? this.#fullRounds + 1 : 0;
    const counts = { published: rows - deadLetters - putBack - refused, deadLetters, putBack, refused };
    if (rows > 0) this.#options.onPublished?.(counts);
    return counts;
  }

  async #publish(rows: readonly OutboxRow[]) {
    const { tasks, letters } = sortRows(rows);
    const putBack: OutboxRow[] = [];
    for (const [task, error] of await this.#notTaken([...tasks.keys()])) {
      const row = tasks.get(task);
      if (row === undefined) continue;
      if (error instanceof MessageRefused) letters.push(letterOf(row, error));
      else putBack.push(row);
    }
    const aside = await this.#putAside(letters);
    return { putBack: [...putBack, ...aside.putBack], refused: aside.refused, letters: aside.taken };
  }

  async #notTaken(tasks: readonly OutgoingTask[]): Promise<PartlyPublished['notTaken']> {
    try {
      if (tasks.length > 0) await this.#options.publisher.publish(tasks);
      return new Map();
    } catch (error) {
      if (!(error instanceof PartlyPublished)) throw error;
      this.#options.logger.warn(
        { err: error },
        'some rows of the outbox were not published; they are tried again later',
      );
      return error.notTaken;
    }
  }

  /** All at once; when that fails, one by one, because one of them may be what the dead letters do not take. */
  async #putAside(letters: readonly Letter[]) {
    const refused = new Map<OutboxRow, string>();
    const putBack: OutboxRow[] = [];
    if (letters.length > 0 && (await this.#put(letters)) !== undefined) {
      for (const [i, letter] of letters.entries()) {
        const error = await this.#put([letter]);
        if (error === undefined) continue;
        if (!(error instanceof MessageRefused)) {
          // They are away. The others would fare alike, and every try takes a deadline.
          putBack.push(...letters.slice(i).map(({ row }) => row));
          this.#options.logger.warn(
            { err: error, rows: putBack.length },
            'the dead letters do not take rows of the outbox now; they are tried again later',
          );
          break;
        }
        refused.set(letter.row, `${letter.failure.message}; the dead letters refuse it: ${error.message}`);
        this.#options.logger.error({ err: error, row: letter.row.id }, 'a row of the outbox is set aside in its table');
      }
    }
    return { refused, putBack, taken: letters.length - refused.size - putBack.length };
  }

  async #put(letters: readonly Letter[]): Promise<Error | undefined> {
    try {
      await this.#options.deadLetters.put(letters);
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  /** How long to wait before the next one, ms. */
  async #round(waited: number): Promise<number> {
    try {
      const { published, deadLetters, putBack, refused } = await this.runOnce();
      if (this.#isFull) this.#options.logger.info('the transport has room again');
      this.#isFull = false;
      const rows = published + deadLetters + putBack + refused;
      if (deadLetters > 0) this.#options.logger.warn({ deadLetters }, 'rows of the outbox went to the dead letters');
      if (rows === ROWS_AT_ONCE || this.#fullRounds > 0) return 0;
      return rows > 0 ? SHORTEST_PAUSE_MS : Math.min(doubled(waited), LONGEST_PAUSE_MS);
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
