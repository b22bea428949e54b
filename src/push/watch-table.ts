/** Watches (`recency_watches`): who is told of what is new, how, and what each was told last. */
import { randomBytes } from 'node:crypto';
import type { Id } from '../contracts/id.ts';
import type { Outgoing, TestOutcome, Told, Watch, WatchFilter, WatchTarget } from '../contracts/watch.ts';
import type { Database } from '../mysql/database.ts';
import { understoodWatchOf, WATCH_COLUMNS, watchOf } from './watch-row.ts';

/** What a watch is created with. */
export interface NewWatch extends WatchFilter, WatchTarget {
  readonly user: Id;
  readonly intervalMs: number;
}

// The count locks the user's rows and the gap after them, so that concurrent inserts do not exceed the limit together.
const INSERT = `
  INSERT INTO recency_watches
    (user_id, channel, url, secrets, kinds, relation, muted, interval_ms, told, due_at, version, created_at)
  SELECT ?, ?, ?, ?, ?, ?, ?, ?, '{}', ?, ?, ?
  FROM (SELECT COUNT(*) AS watches FROM recency_watches WHERE user_id = ?) AS counted
  WHERE counted.watches < ?`;

/**
 * Creates a watch that has been told nothing, due at once.
 * @param now ms since 1970 UTC
 * @param atMost watches of one user
 * @returns its id; undefined: the user has that many
 * @throws DatabaseUnavailable
 */
export async function insertWatch(
  database: Database,
  watch: NewWatch,
  now: number,
  atMost: number,
): Promise<Id | undefined> {
  const { user, channel, url = null, secrets, kinds, relation, muted, intervalMs } = watch;
  const filter = [kinds.join(), relation, JSON.stringify(muted), intervalMs];
  const row = [user, channel, url, JSON.stringify(secrets), ...filter, now, freshVersion(), now];
  const { insertId, affectedRows } = await database.write(INSERT, [...row, user, String(atMost)]);
  return affectedRows === 0 ? undefined : String(insertId);
}

const READ = `SELECT ${WATCH_COLUMNS} FROM recency_watches AS w WHERE w.id = ?`;

/** @throws DatabaseUnavailable */
export async function readWatch(database: Database, id: Id): Promise<Watch | undefined> {
  const [row] = await database.rows(READ, [id]);
  return row && watchOf(row);
}

const OF_USERS = `
  SELECT ${WATCH_COLUMNS}
  FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS asked
  STRAIGHT_JOIN recency_watches AS w ON w.user_id = asked.id`;

/** The watches of these users, also those that have ended. @param users each once @throws DatabaseUnavailable */
export async function readWatchesOf(database: Database, users: readonly Id[]): Promise<Watch[]> {
  return (await database.rows(OF_USERS, [JSON.stringify(users)])).map(watchOf);
}

const BY_ID = `
  SELECT ${WATCH_COLUMNS}
  FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS asked
  STRAIGHT_JOIN recency_watches AS w ON w.id = asked.id`;

/**
 * These watches, without those that are gone.
 * @param ids each once
 * @throws DatabaseUnavailable; SyntaxError when one cannot be understood
 */
export async function readWatches(database: Database, ids: readonly Id[]): Promise<Watch[]> {
  return (await database.rows(BY_ID, [JSON.stringify(ids)])).map(understoodWatchOf);
}

/** A watch that something may be delivered to. */
export const IS_GOING = "(w.ended IS NULL OR JSON_CONTAINS_PATH(w.outgoing, 'one', '$.isTest'))";

const PAGE = `SELECT ${WATCH_COLUMNS} FROM recency_watches AS w WHERE w.id > ? ORDER BY w.id LIMIT ?`;

/** The watches after this id, by id. @throws DatabaseUnavailable */
export async function readWatchPage(database: Database, after: Id | '0', limit: number): Promise<Watch[]> {
  return (await database.rows(PAGE, [after, String(limit)])).map(watchOf);
}

const USERS_OF_PAGE = `
  SELECT w.user_id, MAX(w.id) FROM (
    SELECT w.id, w.user_id FROM recency_watches AS w WHERE w.id > ? AND ${IS_GOING} ORDER BY w.id LIMIT ?
  ) AS w GROUP BY w.user_id`;

/**
 * The users of the next watches after this id that something may be delivered to, by id.
 * @returns `last`: the id of the last one; '0': there are no more
 * @throws DatabaseUnavailable
 */
export async function readWatchedUsers(
  database: Database,
  after: Id | '0',
  limit: number,
): Promise<{ readonly users: Id[]; readonly last: Id | '0' }> {
  const rows = await database.rows(USERS_OF_PAGE, [after, String(limit)]);
  const last = rows.reduce((most, [, id]) => (BigInt(String(id)) > most ? BigInt(String(id)) : most), 0n);
  return { users: rows.map(([user]) => String(user)), last: String(last) };
}

const DUE = `
  SELECT w.id, w.user_id, w.due_at FROM recency_watches AS w
  WHERE w.due_at <= ? AND (w.due_at > ? OR (w.due_at = ? AND w.id > ?)) AND ${IS_GOING}
  ORDER BY w.due_at, w.id LIMIT ?`;

/** A place among the watches that are due. */
export interface DuePlace {
  readonly dueAt: number;
  readonly id: Id | '0';
}

/**
 * The users of the next watches that are due by themselves, the longest due first.
 * @param now ms since 1970 UTC
 * @returns `next`: the place after them; undefined: these were all
 * @throws DatabaseUnavailable
 */
export async function readDueUsers(
  database: Database,
  now: number,
  after: DuePlace,
  limit: number,
): Promise<{ readonly users: Id[]; readonly next: DuePlace | undefined }> {
  const rows = await database.rows(DUE, [now, after.dueAt, after.dueAt, after.id, String(limit)]);
  const [id, , dueAt] = rows.at(-1) ?? [];
  const next = rows.length < limit ? undefined : { dueAt: Number(dueAt), id: String(id) };
  return { users: [...new Set(rows.map(([, user]) => String(user)))], next };
}

/** What a check writes. */
export interface WatchSave {
  readonly id: Id;
  /** As it was read: if it is another one by now, nothing is written. */
  readonly version: string;
  readonly told: Told;
  readonly outgoing: Outgoing | undefined;
  readonly notifiedAt: number | undefined;
  readonly dueAt: number | undefined;
  readonly ended: string | undefined;
  readonly tested?: TestOutcome | undefined;
}

// JSON inside is passed as text: MariaDB's JSON_TABLE has no column for a nested object. What is given drives the join, however
// many watches there are.
const SAVE = `
  UPDATE JSON_TABLE(?, '$[*]' COLUMNS (
    id BIGINT UNSIGNED PATH '$.id',
    version BIGINT UNSIGNED PATH '$.version',
    next BIGINT UNSIGNED PATH '$.next',
    told MEDIUMTEXT PATH '$.told',
    outgoing MEDIUMTEXT PATH '$.outgoing',
    notified_at BIGINT PATH '$.notifiedAt',
    due_at BIGINT PATH '$.dueAt',
    ended VARCHAR(255) PATH '$.ended',
    tested TEXT PATH '$.tested'
  )) AS given
  STRAIGHT_JOIN recency_watches AS w ON w.id = given.id AND w.version = given.version
  SET w.told = given.told, w.outgoing = given.outgoing, w.notified_at = given.notified_at, w.due_at = given.due_at,
      w.ended = given.ended, w.tested = given.tested, w.version = given.next`;

const WRITTEN = `
  SELECT w.id FROM JSON_TABLE(?, '$[*]' COLUMNS (
    id BIGINT UNSIGNED PATH '$.id', next BIGINT UNSIGNED PATH '$.next'
  )) AS given
  STRAIGHT_JOIN recency_watches AS w ON w.id = given.id AND w.version = given.next`;

/**
 * Saves a page of watches in one statement, each only if its version is still the one that was read.
 * @returns the new versions of those that were written, by id
 * @throws DatabaseUnavailable; some may have been written then, or all
 */
export async function saveWatches(database: Database, saves: readonly WatchSave[]): Promise<ReadonlyMap<Id, string>> {
  if (saves.length === 0) return new Map();
  const next = new Map(saves.map(({ id }) => [id, freshVersion()]));
  const rows = saves.map((save) => ({ ...textsOf(save), next: next.get(save.id) }));
  const { affectedRows } = await database.write(SAVE, [JSON.stringify(rows)]);
  if (affectedRows === saves.length) return next;
  const pairs = JSON.stringify(rows.map(({ id, next }) => ({ id, next })));
  const written = new Set((await database.rows(WRITTEN, [pairs])).map(([id]) => String(id)));
  return new Map([...next].filter(([id]) => written.has(id)));
}

function textsOf({ id, version, told, outgoing, notifiedAt, dueAt, ended, tested }: WatchSave) {
  return {
    id,
    version,
    told: JSON.stringify(told),
    ...(outgoing === undefined ? {} : { outgoing: JSON.stringify(outgoing) }),
    ...(notifiedAt === undefined ? {} : { notifiedAt }),
    ...(dueAt === undefined ? {} : { dueAt }),
    ...(ended === undefined ? {} : { ended }),
    ...(tested === undefined ? {} : { tested: JSON.stringify(tested) }),
  };
}

const CHANGE = `
  UPDATE recency_watches
  SET url = ?, secrets = ?, kinds = ?, relation = ?, muted = ?, interval_ms = ?, told = ?, outgoing = ?, ended = ?,
      due_at = ?, version = ?
  WHERE id = ? AND version = ?`;

/**
 * Writes what a site may change of a watch, and its outgoing notification, if it is still as it was read. It is due at once.
 * @param now ms since 1970 UTC
 * @returns whether it was
 * @throws DatabaseUnavailable
 */
export async function changeWatch(database: Database, watch: Watch, now: number): Promise<boolean> {
  const { id, version, url = null, secrets, kinds, relation, muted, intervalMs, told, outgoing, ended = null } = watch;
  const filter = [kinds.join(), relation, JSON.stringify(muted), intervalMs, JSON.stringify(told)];
  const sent = outgoing === undefined ? null : JSON.stringify(outgoing);
  const parameters = [url, JSON.stringify(secrets), ...filter, sent, ended, now, freshVersion(), id, version];
  return (await database.write(CHANGE, parameters)).affectedRows === 1;
}

/** Undefined: there is no such watch. @throws DatabaseUnavailable */
export async function readUserOf(database: Database, id: Id): Promise<Id | undefined> {
  const [row] = await database.rows('SELECT user_id FROM recency_watches WHERE id = ?', [id]);
  return row && String(row[0]);
}

/** Returns whether there was one. @throws DatabaseUnavailable */
export async function deleteWatch(database: Database, id: Id): Promise<boolean> {
  return (await database.write('DELETE FROM recency_watches WHERE id = ?', [id])).affectedRows === 1;
}

/** 63 random bits: no two versions of a watch are equal. */
export function freshVersion(): string {
  return String(randomBytes(8).readBigUInt64BE() >> 1n);
}
