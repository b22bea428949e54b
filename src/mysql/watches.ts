/** Watches (`recency_watches`): who is told of what is new, how, and what each was told last. */
import { randomBytes } from 'node:crypto';
import type { Id } from '../contracts/id.ts';
import type { KindName } from '../contracts/kind.ts';
import type { Relation } from '../contracts/relation.ts';
import type { ChannelName, Outgoing, Told, Watch, WatchFilter, WatchTarget } from '../contracts/watch.ts';
import type { ColumnValue, Database } from './database.ts';

const COLUMNS =
  'w.id, w.user_id, w.channel, w.url, w.secrets, w.kinds, w.relation, w.muted, w.interval_ms, w.ended, w.told, w.outgoing, w.notified_at, w.due_at, w.version';

/** What a watch is created with. */
export interface NewWatch extends WatchFilter, WatchTarget {
  readonly user: Id;
  readonly intervalMs: number;
}

const INSERT = `
  INSERT INTO recency_watches
    (user_id, channel, url, secrets, kinds, relation, muted, interval_ms, told, due_at, version, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, '{}', ?, ?, ?)`;

/**
 * Creates a watch that has been told nothing, due at once. Returns its id.
 * @param now ms since 1970 UTC
 * @throws DatabaseUnavailable
 */
export async function insertWatch(database: Database, watch: NewWatch, now: number): Promise<Id> {
  const { user, channel, url = null, secrets, kinds, relation, muted, intervalMs } = watch;
  const filter = [kinds.join(), relation, JSON.stringify(muted), intervalMs];
  const parameters = [user, channel, url, JSON.stringify(secrets), ...filter, now, freshVersion(), now];
  const { insertId } = await database.write(INSERT, parameters);
  return String(insertId);
}

const READ = `SELECT ${COLUMNS} FROM recency_watches AS w WHERE w.id = ?`;

/** @throws DatabaseUnavailable */
export async function readWatch(database: Database, id: Id): Promise<Watch | undefined> {
  const [row] = await database.rows(READ, [id]);
  return row && watchOf(row);
}

const OF_USERS = `
  SELECT ${COLUMNS}
  FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS asked
  STRAIGHT_JOIN recency_watches AS w ON w.user_id = asked.id`;

/** The watches of these users, also those that have ended. @param users each once @throws DatabaseUnavailable */
export async function readWatchesOf(database: Database, users: readonly Id[]): Promise<Watch[]> {
  return (await database.rows(OF_USERS, [JSON.stringify(users)])).map(watchOf);
}

const PAGE = `SELECT ${COLUMNS} FROM recency_watches AS w WHERE w.id > ? ORDER BY w.id LIMIT ?`;

/** The watches after this id, by id. @throws DatabaseUnavailable */
export async function readWatchPage(database: Database, after: Id | '0', limit: number): Promise<Watch[]> {
  return (await database.rows(PAGE, [after, String(limit)])).map(watchOf);
}

const DUE = `
  SELECT w.user_id FROM recency_watches AS w
  WHERE w.due_at <= ? AND w.ended IS NULL ORDER BY w.due_at LIMIT ?`;

/** The users of watches that are due by themselves, the longest due first. @param now ms since 1970 UTC @throws DatabaseUnavailable */
export async function readDueUsers(database: Database, now: number, limit: number): Promise<Id[]> {
  const rows = await database.rows(DUE, [now, String(limit)]);
  return [...new Set(rows.map(([user]) => String(user)))];
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
    ended VARCHAR(255) PATH '$.ended'
  )) AS given
  STRAIGHT_JOIN recency_watches AS w ON w.id = given.id AND w.version = given.version
  SET w.told = given.told, w.outgoing = given.outgoing, w.notified_at = given.notified_at, w.due_at = given.due_at,
      w.ended = given.ended, w.version = given.next`;

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

function textsOf({ id, version, told, outgoing, notifiedAt, dueAt, ended }: WatchSave) {
  return {
    id,
    version,
    told: JSON.stringify(told),
    ...(outgoing === undefined ? {} : { outgoing: JSON.stringify(outgoing) }),
    ...(notifiedAt === undefined ? {} : { notifiedAt }),
    ...(dueAt === undefined ? {} : { dueAt }),
    ...(ended === undefined ? {} : { ended }),
  };
}

const CHANGE = `
  UPDATE recency_watches
  SET url = ?, secrets = ?, kinds = ?, relation = ?, muted = ?, interval_ms = ?, told = ?, outgoing = ?, ended = NULL,
      due_at = ?, version = ?
  WHERE id = ? AND version = ?`;

/**
 * Writes what a site may change of a watch, and its outgoing notification, if it is still as it was read. It is due at once,
 * and one that had ended goes on.
 * @param now ms since 1970 UTC
 * @returns whether it was
 * @throws DatabaseUnavailable
 */
export async function changeWatch(database: Database, watch: Watch, now: number): Promise<boolean> {
  const { id, version, url = null, secrets, kinds, relation, muted, intervalMs, told, outgoing } = watch;
  const filter = [kinds.join(), relation, JSON.stringify(muted), intervalMs, JSON.stringify(told)];
  const sent = outgoing === undefined ? null : JSON.stringify(outgoing);
  const parameters = [url, JSON.stringify(secrets), ...filter, sent, now, freshVersion(), id, version];
  return (await database.write(CHANGE, parameters)).affectedRows === 1;
}

/** Returns whether there was one. @throws DatabaseUnavailable */
export async function deleteWatch(database: Database, id: Id): Promise<boolean> {
  return (await database.write('DELETE FROM recency_watches WHERE id = ?', [id])).affectedRows === 1;
}

/** 63 random bits: no two versions of a watch are equal. */
function freshVersion(): string {
  return String(randomBytes(8).readBigUInt64BE() >> 1n);
}

function watchOf(row: readonly ColumnValue[]): Watch {
  const [
    id,
    user,
    channel,
    url,
    secrets,
    kinds,
    relation,
    muted,
    interval,
    ended,
    told,
    outgoing,
    notified,
    due,
    version,
  ] = row;
  return {
    id: String(id),
    user: String(user),
    channel: channel as ChannelName,
    ...(url === null || url === undefined ? {} : { url: String(url) }),
    secrets: JSON.parse(String(secrets)),
    kinds: String(kinds).split(',') as KindName[],
    relation: relation as Relation,
    muted: JSON.parse(String(muted)),
    intervalMs: Number(interval),
    ended: ended === null ? undefined : String(ended),
    told: JSON.parse(String(told)),
    outgoing: outgoing === null ? undefined : JSON.parse(String(outgoing)),
    notifiedAt: notified === null ? undefined : Number(notified),
    dueAt: due === null ? undefined : Number(due),
    version: String(version),
  };
}
