import type { Lane } from '../contracts/bulk-task.ts';
import { CONTACTS, KINDS, type Kind } from '../contracts/kind.ts';
import { isCapturedPast, readFence } from '../mysql/capture.ts';
import type { Database } from '../mysql/database.ts';
import { isTaskThere, readNewestTask } from '../mysql/newest-task.ts';
import { isNoneLeft, readOthersRows } from '../mysql/others-marks.ts';
import { isPublishedUpTo, type OutboxRow, readPutBackRows } from '../mysql/outbox.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import {
  inTurn,
  keyOf,
  type PendingSource,
  type PendingWork,
  pendingBarrier,
  type RaiseBarrier,
  type Suspect,
  sharedBarrier,
} from './drain-barrier.ts';

/** Where changes wait on their way to the indexes, besides the transport. */
interface DrainedStores {
  /** The indexes of this kind; left out: of contacts. */
  readonly primary: KindDatabase;
  readonly rechecks: PendingSource;
  readonly delayed: PendingSource;
}

/**
 * The barrier behind everything on its way to the indexes: changes that are captured from the binary log, new rows of the
 * outbox, rows that were put back, the transport, then delayed work about the suspects. Work moves from re-checks to the
 * delay queue, so they are asked in that order.
 */
export function drainBarrierOf(
  { primary: { server, statements }, rechecks, delayed }: DrainedStores,
  transport: RaiseBarrier,
): RaiseBarrier {
  return inTurn([
    captureBarrier(server),
    outboxBarrier(server),
    pendingBarrier(new ReturnedRows(server, statements.kind)),
    transport,
    pendingBarrier(rechecks, delayed),
  ]);
}

/** What work of a kind waits for besides the transport. */
type DelayedPlaces = Pick<DrainedStores, 'rechecks' | 'delayed'>;

interface LaneStores {
  readonly primary: Database;
  readonly kinds: readonly DelayedPlaces[];
  /** The settings say that changes are captured (false): until that has begun, nothing is known of any. */
  readonly isCaptured?: boolean;
}

/**
 * The same for every kind at once, lane by lane, about everybody: `small` leads through capture, the outbox, the small lane
 * and delayed work; `bulk`, raised when that is passed, through the bulk lane, twice (a plan leaves segments there), and delayed work.
 */
export function laneBarriersOf(
  { primary, kinds, isCaptured = false }: LaneStores,
  transports: Readonly<Record<Lane, RaiseBarrier>>,
): Readonly<Record<Lane, RaiseBarrier>> {
  const { small, bulk } = transports;
  const delayed = kinds.map((kind) => pendingBarrier(kind.rechecks, kind.delayed));
  return {
    small: inTurn([
      captureBarrier(primary, isCaptured),
      outboxBarrier(primary),
      pendingBarrier(new ReturnedRows(primary)),
      small,
      ...delayed,
    ]),
    bulk: inTurn([bulk, bulk, ...delayed]),
  };
}

/**
 * Passed when everything that was committed is captured: its tasks are in the transport. Nothing is waited for where nothing
 * was ever captured. The proof is the capturing process's own write, made later, that has come back in the log.
 * @param isExpected changes are to be captured: where nothing ever was, the barrier cannot be raised
 */
export function captureBarrier(primary: Database, isExpected = false): RaiseBarrier {
  return async () => {
    const newest = await readFence(primary);
    if (newest === undefined && isExpected)
      throw new Error('RECENCY_CAPTURE_… is set, but `recency capture` has never run');
    return sharedBarrier(async () => {
      if (newest === undefined) return true;
      return (await isCapturedPast(primary, newest.source, newest.fence)) ?? !isExpected;
    });
  };
}

/**
 * Passed when every row that was in the outbox is published by this server, apart from rows that were put back. Rows that somebody
 * has removed with the newest one were perhaps not: the barrier behind them is never passed, and a new epoch begins.
 */
export function outboxBarrier(primary: Database): RaiseBarrier {
  return async () => {
    const { id: last } = await readNewestTask(primary);
    const others = await readOthersRows(primary);
    return sharedBarrier(
      async () =>
        (await isPublishedUpTo(primary, last)) &&
        (await isNoneLeft(primary, others)) &&
        (await isTaskThere(primary, last)),
    );
  };
}

/** With more rows than this every suspect waits: a busy site has a partition without a leader, or republishes a long period. */
const MOST_ROWS = 1_000;

const TOO_MANY = 'more rows than are examined one by one';

/**
 * Rows of the outbox that a relay has put back, because their partition is unavailable or because they are being republished.
 * They may wait for as long as a partition has no leader, so only the suspects that they concern wait for them.
 */
export class ReturnedRows implements PendingSource {
  readonly #database: Database;
  readonly #kind: Kind;

  constructor(database: Database, kind: Kind = CONTACTS) {
    this.#database = database;
    this.#kind = kind;
  }

  /** @throws DatabaseUnavailable */
  async pendingFor(suspects: readonly Suspect[]): Promise<PendingWork> {
    const rows = await readPutBackRows(this.#database, MOST_ROWS + 1);
    const isTooMany = rows.length > MOST_ROWS;
    const pendingOf = (suspect: Suspect) =>
      isTooMany ? [TOO_MANY] : rows.filter((row) => concerns(row, suspect, this.#kind)).map(({ id }) => `outbox ${id}`);
    return new Map(suspects.map((suspect) => [keyOf(suspect), new Set(pendingOf(suspect))]));
  }
}

/** Could the row's task change what this suspect's index of the kind says? */
function concerns(
  { type, userId, otherId }: OutboxRow,
  { user, contact }: Suspect,
  { relationTasks, photoTasks, areUsers }: Kind,
): boolean {
  if (user === undefined) return true;
  const isOneOf = (tasks: object) => Object.values(tasks).includes(type);
  if (isOneOf(relationTasks)) {
    const other = user === userId ? otherId : areUsers && user === otherId ? userId : null;
    return other !== null && (contact === undefined || contact === other);
  }
  if (!isOneOf(photoTasks) && KINDS.some((kind) => isOneOf(kind.relationTasks) || isOneOf(kind.photoTasks)))
    return false;
  // A task about an owner of photos, or about a user who was deleted: it concerns every follower's index.
  return user === userId || contact === undefined || contact === userId;
}
