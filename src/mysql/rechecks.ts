/**
 * Re-checks: pairs to read again, because their rows were older than a task had said. The task is acknowledged, but the
 * change may be committed only later, and nothing else knows that it is still to come. So re-checks are kept in MySQL,
 * where the change itself will be, as rows of the outbox that consumers take when they are due.
 */
import type { Id } from '../contracts/id.ts';
import type { Kind } from '../contracts/kind.ts';
import type { ColumnValue, Database } from './database.ts';
import { CLAIMED, LONGEST_PUT_OFF_MS, OUTBOX_NOW, pullForward, selectRows } from './outbox.ts';

/** A re-check in the outbox. */
export interface RecheckRow {
  /** Of the row in the outbox. */
  readonly id: string;
  readonly user: Id;
  readonly contact: Id;
  /** The pair's row must have at least this version. */
  readonly version: string;
  /** Counts the reads of the pair, from 1. */
  readonly attempt: number;
}

const OF_ANY_KIND = `
  recency_outbox FORCE INDEX (recency_outbox_published)
  WHERE published_at IS NULL AND is_recheck = TRUE`;

/** What says of which kind a re-check is: the type of its row. */
type RecheckedKind = Pick<Kind, 'relationTasks'>;

const waiting = ({ relationTasks }: RecheckedKind) => `${OF_ANY_KIND} AND type = '${relationTasks.changed}'`;

const due = (kind: RecheckedKind) => `${waiting(kind)} AND due_at <= ${OUTBOX_NOW}`;

// The type makes the row a valid task, in case a relay that does not know re-checks finds it.
const insert = ({ relationTasks }: RecheckedKind) => `
  INSERT INTO recency_outbox (type, user_id, other_id, version, attempt, is_recheck, due_at)
  SELECT '${relationTasks.changed}', pair.user, pair.contact, pair.version, ?, TRUE, ${OUTBOX_NOW} + ?
  FROM JSON_TABLE(?, '$[*]' COLUMNS (
    user BIGINT UNSIGNED PATH '$[0]', contact BIGINT UNSIGNED PATH '$[1]', version BIGINT UNSIGNED PATH '$[2]'
  )) AS pair`;

/**
 * Writes re-checks of these pairs, in one statement.
 * @param delayMs from now, by MySQL's clock
 * @throws DatabaseUnavailable
 */
export async function insertRechecks(
  database: Database,
  kind: RecheckedKind,
  pairs: readonly Pick<RecheckRow, 'user' | 'contact' | 'version'>[],
  attempt: number,
  delayMs: number,
): Promise<void> {
  const text = JSON.stringify(pairs.map(({ user, contact, version }) => [user, contact, version]));
  if (pairs.length > 0) await database.write(insert(kind), [attempt, delayMs, text]);
}

const look = (kind: RecheckedKind) => `
  SELECT (SELECT 1 FROM ${due(kind)} LIMIT 1),
         (SELECT 1 FROM ${waiting(kind)} AND due_at > ${OUTBOX_NOW} + ${LONGEST_PUT_OFF_MS} LIMIT 1)`;

const claim = (kind: RecheckedKind) => `
  SELECT id, user_id, other_id, version, attempt
  FROM ${due(kind)}
  ORDER BY due_at, id
  LIMIT ?
  FOR UPDATE SKIP LOCKED`;

const LEASE = `UPDATE ${CLAIMED} SET o.due_at = ${OUTBOX_NOW} + ?`;
const DELETE = `DELETE o FROM ${CLAIMED} WHERE o.is_recheck = TRUE`;

/**
 * Claims re-checks that are due, the longest due first. They become due again unless they are deleted within the lease,
 * so each is done at least once.
 * @throws DatabaseUnavailable
 */
export async function claimRechecks(
  database: Database,
  kind: RecheckedKind,
  limit: number,
  leaseMs: number,
): Promise<RecheckRow[]> {
  // Usually there is nothing: find that out with one statement that locks nothing.
  const [[isAnyDue, isAnyTooFar] = []] = await database.rows(look(kind), []);
  if (isAnyTooFar !== null) await pullForward(database, 'rechecks');
  else if (isAnyDue === null) return [];
  return await database.transaction(async (connection) => {
    const rows = (await selectRows(connection, claim(kind), [String(limit)])).map(rowOf);
    if (rows.length > 0) await connection.execute(LEASE, [idsOf(rows), leaseMs]);
    return rows;
  }, 'READ COMMITTED');
}

/**
 * Removes re-checks that are done. It does no harm if another worker has claimed one again meanwhile.
 * @throws DatabaseUnavailable
 */
export async function deleteRechecks(database: Database, rows: readonly RecheckRow[]): Promise<void> {
  if (rows.length === 0) return;
  await database.transaction((connection) => connection.execute(DELETE, [idsOf(rows)]), 'READ COMMITTED');
}

const all = (kind: RecheckedKind) => `SELECT id, user_id, other_id, version, attempt FROM ${waiting(kind)}`;

// A derived table has a key on the ids. As a condition, the JSON text would be parsed for every row.
const withUsers = (column: string, { relationTasks }: RecheckedKind) => `
  SELECT o.id, o.user_id, o.other_id, o.version, o.attempt
  FROM recency_outbox AS o FORCE INDEX (recency_outbox_published)
  STRAIGHT_JOIN (
    SELECT DISTINCT given.id FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS given
  ) AS asked ON asked.id = o.${column}
  WHERE o.published_at IS NULL AND o.is_recheck = TRUE AND o.type = '${relationTasks.changed}'`;

const ofUsers = (kind: RecheckedKind) => `${withUsers('user_id', kind)} UNION ${withUsers('other_id', kind)}`;

/**
 * Re-checks, waiting or claimed, with one of these users on either side of their pair, in no order. One that exists
 * throughout the statement is never missed.
 * @param users undefined: all users
 * @throws DatabaseUnavailable
 */
export async function readRechecksOf(
  database: Database,
  kind: RecheckedKind,
  users: readonly Id[] | undefined,
): Promise<RecheckRow[]> {
  const text = JSON.stringify(users ?? []);
  const rows = await (users === undefined ? database.rows(all(kind), []) : database.rows(ofUsers(kind), [text, text]));
  return rows.map(rowOf);
}

/** How many re-checks of all kinds wait or are claimed, and how long the first has been due. */
interface RecheckBacklog {
  readonly rows: number;
  /** ms; 0 when none is due. */
  readonly overdueMs: number;
}

const BACKLOG = `
  SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM ${OF_ANY_KIND} LIMIT ?) AS waiting),
         (SELECT ${OUTBOX_NOW} - due_at FROM ${OF_ANY_KIND} ORDER BY due_at, id LIMIT 1)`;

/** @param counted the maximum number of rows counted @throws DatabaseUnavailable */
export async function readRecheckBacklog(database: Database, counted: number): Promise<RecheckBacklog> {
  const [row] = await database.rows(BACKLOG, [String(counted)]);
  return { rows: Number(row?.[0] ?? 0), overdueMs: Math.max(0, Number(row?.[1] ?? 0)) };
}

function idsOf(rows: readonly RecheckRow[]): string {
  return JSON.stringify(rows.map(({ id }) => id));
}

function rowOf([id, user, contact, version, attempt]: readonly ColumnValue[]): RecheckRow {
  return {
    id: String(id),
    user: String(user),
    contact: String(contact),
    version: String(version),
    attempt: Number(attempt),
  };
}
