/** Short names of statements and scripts, with nothing of what they are asked about. */
import { createHash } from 'node:crypto';

export interface QueryName {
  /** SELECT, INSERT, … */
  readonly operation: string;
  /** The operation and the first table or view that the statement names: `SELECT recency_contacts`. */
  readonly summary: string;
}

/** The texts of statements are few and fixed; more than this are not of our making. */
const MOST_NAMES = 1_000;

const names = new Map<string, QueryName>();

/** `db.query.summary` of a statement. */
export function queryName(sql: string): QueryName {
  const known = names.get(sql);
  if (known !== undefined) return known;
  const name = nameOf(sql);
  if (names.size < MOST_NAMES) names.set(sql, name);
  return name;
}

const COMMENTS = /\/\*.*?\*\//gs;
const TABLE = /\b(?:FROM|INTO|UPDATE|JOIN|STRAIGHT_JOIN)\s+`?([a-z_][\w$.]*)/gi;

/** Tables made up within a statement. */
const MADE_UP = new Set(['json_table', 'select', 'lateral']);

function nameOf(sql: string): QueryName {
  const text = sql.replace(COMMENTS, ' ');
  const operation = (/[a-z]+/i.exec(text)?.[0] ?? 'QUERY').toUpperCase();
  const tables = Array.from(text.matchAll(TABLE), ([, table = '']) => table);
  const table = tables.find((found) => !MADE_UP.has(found.toLowerCase()));
  return { operation, summary: table === undefined ? operation : `${operation} ${table}` };
}

const scripts = new Map<string, string>();

/** Remembers the name of a Lua script. ioredis sends it whole on each new connection, and then its digest. */
export function nameScript(lua: string, name: string): void {
  scripts.set(lua, name);
  scripts.set(createHash('sha1').update(lua).digest('hex'), name);
}

/** @param sent the script, or its digest */
export function scriptNamed(sent: string): string | undefined {
  return scripts.get(sent);
}
