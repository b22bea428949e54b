import type { Logger } from 'pino';
import type { Kind } from '../contracts/kind.ts';
import type { Database } from '../mysql/database.ts';
import { readOthersRows } from '../mysql/others-marks.ts';
import { isAnyDue, type OutboxRow, publishRows, type RowsWanted, readClock, unpublish } from '../mysql/outbox.ts';
import { loop } from '../timing/loop.ts';
import type { DeadLetters } from '../transport/dead-letters.ts';
import {
  MessageRefused,
  type OutgoingTask,
  PartlyPublished,
  type TaskPublisher,
  TransportFull,
} from '../transport/task-publisher.ts';
import { type OutboxLetter, sortRows } from './outgoing-task.ts';

interface RelayOptions {
  /** Its deadline must allow for a statement and a call of `publish`. */
  readonly database: Database;
  readonly publisher: Pick<TaskPublisher, 'publish' | 'checkRoom'>;
  readonly deadLetters: Pick<DeadLetters, 'put'>;
  /** As the site has them; left out: as they are declared. */
  readonly kinds?: readonly Kind[];
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

const NOTHING: RelayCounts = { published: 0, deadLetters: 0, putBack: 0, refused: 0 };

/** Maximum rows per transaction. */
const ROWS_AT_ONCE = 500;

/** During a backlog, every tenth round publishes rows that were put back; otherwise they would wait for the last new row. */
const ROUNDS_A_TURN = 10;

/** From the beginning of a round that found rows to the next, ms: a round costs about as much for ten rows as for one. */
const ROUND_MS = 40;

/** Pause after a round that found none, ms; it doubles with every further one. */
const SHORTEST_PAUSE_MS = 40;
const LONGEST_PAUSE_MS = 100;

/** Between two looks for rows that others have published, ms. */
const OTHERS_PAUSE_MS = 1_000;

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

  /** The last round found nothing. */
  #isIdle = false;

  /** The transport was full in the last round. */
  #isFull = false;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** Runs until aborted; the rows of the current round are finished first. */
  async run(signal: AbortSignal): Promise<void> {
    let waitMs = 0;
    const round = async () => {
      const startedAt = performance.now();
      waitMs = this.#waitAfter(await this.runOnce(), startedAt, waitMs);
      return waitMs;
    };
    const onError = (error: unknown) => {
      waitMs = this.#waitAfterError(error, waitMs);
      return waitMs;
    };
    const others = async () => {
      await this.publishOthers();
      return OTHERS_PAUSE_MS;
    };
    const onOthersError = (err: unknown) => {
      this.#options.logger.debug({ err }, 'rows that others have published were not looked for; retrying');
      return LONGEST_BACK_OFF_MS;
    };
    await Promise.all([loop({ signal, round, onError }), loop({ signal, round: others, onError: onOthersError })]);
  }

  /** Publishes one batch. @throws DatabaseUnavailable, what the transport throws; the rows are then still unpublished */
  async runOnce(): Promise<RelayCounts> {
    if (this.#isIdle && !(await isAnyDue(this.#options.database))) return NOTHING;
    this.#isIdle = false; // so that the next round asks, if there is no room now
    // Before any row is locked: while the transport is full, nobody should wait for locks on rows that cannot be published.
    await this.#options.publisher.checkRoom();
    const which = this.#fullRounds % ROUNDS_A_TURN === ROUNDS_A_TURN - 1 ? 'put back' : 'due';
    // Before anything can fail: rows that were put back must not be retried for ever while new rows wait.
    if (which === 'put back') this.#fullRounds = 0;
    const counts = await this.#publishRows({ which });
    this.#isIdle = rowsOf(counts) === 0;
    if (which === 'due') this.#fullRounds = rowsOf(counts) === ROWS_AT_ONCE ? this.#fullRounds + 1 : 0;
    return counts;
  }

  /**
   * Publishes what has arrived by replication, marked as published by another server's relay.
   * @returns the number of rows
   * @throws DatabaseUnavailable, what the transport throws; the rows are then still marked by the other
   */
  async publishOthers(): Promise<number> {
    let rows = 0;
    for (const found of await readOthersRows(this.#options.database)) {
      for (let isFull = true; isFull; ) {
        await this.#options.publisher.checkRoom();
        const some = rowsOf(await this.#publishRows({ which: found }));
        rows += some;
        isFull = some === ROWS_AT_ONCE;
      }
    }
    if (rows > 0) this.#options.logger.warn({ rows }, 'outbox rows that arrived as published elsewhere were published');
    return rows;
  }

  async #publishRows(wanted: Omit<RowsWanted, 'limit'>): Promise<RelayCounts> {
    let [deadLetters, putBack, refused] = [0, 0, 0];
    const rows = await publishRows(this.#options.database, { ...wanted, limit: ROWS_AT_ONCE }, async (claimed) => {
      const done = await this.#publish(claimed);
      [deadLetters, putBack, refused] = [done.letters, done.putBack.length, done.refused.size];
      return done;
    });
    const counts = { published: rows - deadLetters - putBack - refused, deadLetters, putBack, refused };
    if (rows > 0) this.#options.onPublished?.(counts);
    return counts;
  }

  async #publish(rows: readonly OutboxRow[]) {
    const { tasks, letters } = sortRows(rows, this.#options.kinds);
    // Also what the transport refuses: a task has a few hundred bytes, so the topic's settings or a clock are wrong, not the task.
    const putBack = [...(await this.#notTaken([...tasks.keys()])).keys()].flatMap((task) => tasks.get(task) ?? []);
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
  #waitAfter(counts: RelayCounts, startedAt: number, waitedMs: number): number {
    const { logger } = this.#options;
    const { deadLetters } = counts;
    if (this.#isFull) logger.info('the transport has room again');
    this.#isFull = false;
    if (deadLetters > 0) logger.warn({ deadLetters }, 'outbox rows went to the dead letters');
    const rows = rowsOf(counts);
    if (rows === ROWS_AT_ONCE || this.#fullRounds > 0) return 0;
    if (rows > 0) return Math.max(0, startedAt + ROUND_MS - performance.now());
    return Math.min(doubled(waitedMs), LONGEST_PAUSE_MS);
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
    return Math.min(Math.max(doubled(waitedMs), LONGEST_PAUSE_MS), isFull ? FULL_BACK_OFF_MS : LONGEST_BACK_OFF_MS);
  }
}

function rowsOf({ published, deadLetters, putBack, refused }: RelayCounts): number {
  return published + deadLetters + putBack + refused;
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
