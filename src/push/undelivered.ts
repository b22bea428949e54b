/** Notifications that were given up (`recency_undelivered`): the dead letters of push. */
import type { Id } from '../contracts/id.ts';
import type { NewSource } from '../contracts/watch.ts';
import type { ColumnValue, Database } from '../mysql/database.ts';

interface Undelivered {
  /** Of the notification. */
  readonly id: string;
  readonly watch: Id;
  readonly user: Id;
  readonly sources: readonly NewSource[];
  readonly more: boolean;
  /** ms since 1970 UTC. */
  readonly givenUpAt: number;
}

const INSERT = `
  INSERT IGNORE INTO recency_undelivered (id, watch_id, user_id, sources, more, given_up_at)
  VALUES (?, ?, ?, ?, ?, ?)`;

/** Keeps them; one that is kept already stays as it is. @throws DatabaseUnavailable */
export async function insertUndelivered(database: Database, letters: readonly Undelivered[]): Promise<void> {
  for (const { id, watch, user, sources, more, givenUpAt } of letters) {
    await database.write(INSERT, [id, watch, user, JSON.stringify(sources), more ? 1 : 0, givenUpAt]);
  }
}

const LIST = `
  SELECT id, watch_id, user_id, sources, more, given_up_at FROM recency_undelivered
  ORDER BY given_up_at, id LIMIT ?`;

/** The oldest first. @throws DatabaseUnavailable */
export async function readUndelivered(database: Database, limit: number): Promise<Undelivered[]> {
  return (await database.rows(LIST, [String(limit)])).map(letterOf);
}

const ONE = `
  SELECT id, watch_id, user_id, sources, more, given_up_at FROM recency_undelivered WHERE id = ?`;

// Only where nothing else is on its way: that one is delivered first, or given up itself.
const RETURN = `
  UPDATE recency_watches
  SET outgoing = ?, due_at = ?, ended = NULL, version = version + 1
  WHERE id = ? AND outgoing IS NULL`;

/** `replayed`: it is on its way again. `busy`: its watch has another one on its way. `no_watch`: its watch was deleted. */
type ReplayOutcome = 'replayed' | 'busy' | 'no_watch' | 'unknown';

/**
 * Puts one on its way again, under the same id; what the user may no longer see is left out when it is delivered.
 * @param now ms since 1970 UTC
 * @throws DatabaseUnavailable
 */
export async function replayUndelivered(database: Database, id: string, now: number): Promise<ReplayOutcome> {
  const [row] = await database.rows(ONE, [id]);
  if (row === undefined) return 'unknown';
  const { watch, sources, more } = letterOf(row);
  const outgoing = JSON.stringify({ id, sources, more, attempts: 1, since: now });
  return await database.transaction(async (connection) => {
    const [found] = await connection.execute('SELECT id FROM recency_watches WHERE id = ? FOR UPDATE', [watch]);
    if ((found as unknown[]).length === 0) return 'no_watch';
    const [result] = await connection.execute(RETURN, [outgoing, now, watch]);
    if ((result as { affectedRows: number }).affectedRows === 0) return 'busy';
    await connection.execute('DELETE FROM recency_undelivered WHERE id = ?', [id]);
    return 'replayed';
  });
}

function letterOf(row: readonly ColumnValue[]): Undelivered {
  const [id, watch, user, sources, more, givenUpAt] = row;
  return {
    id: String(id),
    watch: String(watch),
    user: String(user),
    sources: JSON.parse(String(sources)),
    more: Number(more) !== 0,
    givenUpAt: Number(givenUpAt),
  };
}
