import type { Database } from '../mysql/database.ts';
import { type OutboxRow, readPutBackRows } from '../mysql/outbox.ts';
import { keyOf, type PendingWork, type PutOffWork, type Suspect } from './drain-barrier.ts';

/** More rows than this hold everybody: a partition without a leader at a busy site, or a long time published again. */
const MOST_ROWS = 1_000;

const TOO_MANY = 'more rows than are looked at one by one';

/**
 * Tasks in the outbox that were put back, because their partition takes none or because they are published again. They may
 * wait for as long as a partition has no leader, so only the suspects that they are about wait for them.
 */
export class PutBackRows implements PutOffWork {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** @throws DatabaseUnavailable */
  async pendingFor(suspects: readonly Suspect[]): Promise<PendingWork> {
    const rows = await readPutBackRows(this.#database, MOST_ROWS + 1);
    const isTooMany = rows.length > MOST_ROWS;
    const pendingOf = (suspect: Suspect) =>
      isTooMany ? [TOO_MANY] : rows.filter((row) => concerns(row, suspect)).map(({ id }) => `outbox ${id}`);
    return new Map(suspects.map((suspect) => [keyOf(suspect), new Set(pendingOf(suspect))]));
  }
}

/** Could the row's task change what this suspect's index says? */
function concerns({ type, userId, otherId }: OutboxRow, { user, contact }: Suspect): boolean {
  if (user === undefined) return true;
  if (type.startsWith('recency.contact.')) {
    const other = user === userId ? otherId : user === otherId ? userId : null;
    return other !== null && (contact === undefined || contact === other);
  }
  // The followers of its owner, or of a user who is deleted.
  return user === userId || contact === undefined || contact === userId;
}
