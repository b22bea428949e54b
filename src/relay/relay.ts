import type { Logger } from 'pino';
import type { Database } from '../mysql/database.ts';
import { type OutboxRow, publishRows, readClock, unpublish } from '../mysql/outbox.ts';
import { loop } from '../timing/loop.ts';
import type { DeadLetters } from '../transport/dead-letters.ts';
import {
  MessageRefused,
  type OutgoingTask,
  PartlyPublished,
  type TaskPublisher,
  TransportFull,
} from '../transport/task-publisher.ts';
import { letterOf, type OutboxLetter, sortRows } from './outgoing-task.ts';

export interface RelayOptions {
  /** Its deadline must allow for a statement and a call of `publish`. */
  readonly database: Database;
  readonly publisher: Pick<TaskPublisher, 'publish' | 'checkRoom'>;
  readonly deadLetters: Pick<DeadLetters, 'put'>;
  readonly logger: Logger;
  readonly onPublished?: (counts: RelayCounts) => void;
}

/** What happened to the rows of one round. */
export interface RelayCounts {
  readonly published: number;
  readonly deadLetters: number;
  /** Their part of the transport is unavailable: retried later. */
  readonly putBack: number;
  /** Refused by the transport and by the dead letters: marked with the reason and left in the table. */
  readonly refused: number;
}

/** Maximum rows per transaction. */
const ROWS_AT_ONCE = 500;

/** During a backlog, every tenth round publishes rows that were put back; otherwise they would wait for the last new row. */
const ROUNDS_A_TURN = 10;

/** Pause after a round that found rows, ms; it doubles with every round that finds none. */
const SHORTEST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 100;

/** Longest pause while MySQL or the transport is unavailable, ms. */
const LONGEST_BACK_OFF_MS = 5_000;

/** Longest pause while the transport is full, ms. Shorter, because a check costs one command and locks no row. */
const FULL_BACK_OFF_MS = 500;

/**
 * Publishes the rows of the outbox. Rows are claimed, published and marked in one transaction, so that each is published at
 * least once however the process ends, and several relays share the work.
 *
 * No row waits behind one that cannot be published. A row whose part of the transport is unavailable (a partition without a
 * leader) is put back with a growing delay, and new rows go first. A row that is not a task, or that the transport will never
 * take, goes to the dead letters in the same transaction. A row that they refuse, too, is marked with the reason and left.
 */
export class OutboxRelay {
  readonly #options: RelayOptions;
  #fullRounds = 0;

  /** The transport was full in the last round. */
  #isFull = false;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** Runs until aborted; the rows of the current round are finished first. */
  async run(signal: AbortSignal): Promise<void> {
    let waitMs = 0;
    const round = async () => {
      waitMs = this.#waitAfter(await this.runOnce(), waitMs);
      return waitMs;
    };
    const onError = (error: unknown) => {
      waitMs = this.#waitAfterError(error, waitMs);
      return waitMs;
    };
    await loop({ signal, round, onError });
  }

  /** Publishes one batch. @throws DatabaseUnavailable, what the transport throws; the rows are then still unpublished */
  async runOnce(): Promise<RelayCounts> {
    // Before any row is locked: while the transport is full, nobody should wait for locks on rows that cannot be published.
    await this.#options.publisher.checkRoom();
    const which = this.#fullRounds % ROUNDS_A_TURN === ROUNDS_A_TURN - 1 ? 'put back' : 'due';
    // Before anything can fail: rows that were put back must not be retried for ever while new rows wait.
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
      this.#options.logger.warn({ err: error }, 'some outbox rows were not published; retrying later');
      return error.notTaken;
    }
  }

  /** Puts all letters at once; if that fails, one by one, because the dead letters may refuse only one of them. */
  async #putAside(letters: readonly OutboxLetter[]) {
    const refused = new Map<OutboxRow, string>();
    const putBack: OutboxRow[] = [];
    if (letters.length > 0 && (await this.#put(letters)) !== undefined) {
      for (const [i, letter] of letters.entries()) {
        const error = await this.#put([letter]);
        if (error === undefined) continue;
        if (!(error instanceof MessageRefused)) {
          // The dead letters are unavailable. The rest would fail in the same way, each after a whole deadline.
          putBack.push(...letters.slice(i).map(({ row }) => row));
          this.#options.logger.warn(
            { err: error, rows: putBack.length },
            'the dead letters do not take outbox rows now; retrying later',
          );
          break;
        }
        refused.set(letter.row, `${letter.failure.message}; the dead letters refuse it: ${error.message}`);
        this.#options.logger.error(
          { err: error, row: letter.row.id },
          'an outbox row cannot be published; it stays in the table, marked with the reason',
        );
      }
    }
    return { refused, putBack, taken: letters.length - refused.size - putBack.length };
  }

  async #put(letters: readonly OutboxLetter[]): Promise<Error | undefined> {
    try {
      await this.#options.deadLetters.put(letters);
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  /** @returns how long to wait before the next round, ms */
  #waitAfter({ published, deadLetters, putBack, refused }: RelayCounts, waitedMs: number): number {
    const { logger } = this.#options;
    if (this.#isFull) logger.info('the transport has room again');
    this.#isFull = false;
    if (deadLetters > 0) logger.warn({ deadLetters }, 'outbox rows went to the dead letters');
    const rows = published + deadLetters + putBack + refused;
    if (rows === ROWS_AT_ONCE || this.#fullRounds > 0) return 0;
    return rows > 0 ? SHORTEST_PAUSE_MS : Math.min(doubled(waitedMs), LONGEST_PAUSE_MS);
  }

  /** @returns how long to wait before the next round, ms */
  #waitAfterError(error: unknown, waitedMs: number): number {
    const { logger } = this.#options;
    const isFull = error instanceof TransportFull;
    if (!isFull) logger.warn({ err: error }, 'outbox rows were not published; retrying');
    else if (!this.#isFull) {
      // Logged once: it lasts until the consumers have caught up.
      logger.warn({ err: error }, 'the transport is full; outbox rows wait until there is room');
      this.#isFull = true;
    }
    return Math.min(
      Math.max(doubled(waitedMs), 10 * SHORTEST_PAUSE_MS),
      isFull ? FULL_BACK_OFF_MS : LONGEST_BACK_OFF_MS,
    );
  }
}

function doubled(pauseMs: number): number {
  return Math.max(SHORTEST_PAUSE_MS, pauseMs * 2);
}

const REPUBLISHED_AT_ONCE = 1_000;

/**
 * Marks everything that was published within a stretch of time as unpublished, so that running relays publish it again. For
 * use after the transport has lost tasks.
 * @param time ms since 1970 UTC, `to` exclusive. It ends now at the latest: what is published from now on is not republished
 * @returns the number of rows
 * @throws DatabaseUnavailable; some rows may then have been marked, and the whole call can be repeated
 */
export async function republish(
  database: Database,
  time: { from: number; to: number },
  signal: AbortSignal,
): Promise<number> {
  const to = Math.min(time.to, await readClock(database));
  let rows = 0;
  while (!signal.aborted) {
    const marked = await unpublish(database, { from: time.from, to }, REPUBLISHED_AT_ONCE);
    rows += marked;
    if (marked === 0) break;
  }
  return rows;
}
