/** Short names of statements and scripts, with nothing of what they are asked about. */
import { createHash } from 'node:crypto';

interface QueryName {
  /** SELECT, INSERT, … */
  readonly operation: string;
  /** The operation and the first table or view that the statement names: `SELECT recency_contacts`. */
  readonly summary: string;
}

/** The texts of statements are few and fixed; more than this are not of our making. */
const MOST_NAMES = 1_000;

/** Names of calls, as far as they were asked for or given. */
export class CallNames {
  readonly #queries = new Map<string, QueryName>();
  readonly #scripts = new Map<string, string>();

  /** `db.query.summary` of a statement. */
  query(sql: string): QueryName {
    const known = this.#queries.get(sql);
    if (known !== undefined) return known;
    const name = nameOf(sql);
    if (this.#queries.size < MOST_NAMES) this.#queries.set(sql, name);
    return name;
  }

  /** Remembers the name of a Lua script. ioredis sends it whole on each new connection, and then its digest. */
  nameScript(lua: string, name: string): void {
    this.#scripts.set(lua, name);
    this.#scripts.set(createHash('sha1').update(lua).digest('hex'), name);
  }

  /** @param sent the script, or its digest */
  script(sent: string): string | undefined {
    return this.#scripts.get(sent);
  }
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
