/**
 * Finds views whose rows may change while no table does. No task reports what a clock, chance or a session decides, so
 * an index is right only until it changes. The search reads the texts that the server keeps: of the views, of the views
 * that they read, and of the functions that these call.
 */
import type { Kind } from '../contracts/kind.ts';
import { viewNames } from '../site/kind-view.ts';
import type { ColumnValue, Database } from './database.ts';
import { callsIn, type Source, type SourceName } from './source-text.ts';

/** A call in a view, or in what it reads or calls, that the rows of tables do not determine. */
interface VolatileCall {
  /** `recency_contacts`, `recency_photos`, … */
  readonly view: string;
  /** `now()`, `@limit`, … */
  readonly call: string;
  /** The view or function that contains it. */
  readonly place: string;
}

interface VolatileViews {
  readonly calls: readonly VolatileCall[];
  /** Views and functions whose text this account may not read. */
  readonly unread: readonly string[];
}

/** @throws DatabaseUnavailable */
export async function findVolatileViews(database: Database, kinds: readonly Kind[]): Promise<VolatileViews> {
  const calls: VolatileCall[] = [];
  const unread = new Set<string>();
  const [[here] = []] = await database.rows('SELECT DATABASE()', []);
  for (const view of viewNames(kinds)) {
    const waiting: SourceName[] = [{ kind: 'view', schema: String(here), name: view }];
    const seen = new Set<string>();
    for (let name = waiting.shift(); name; name = waiting.shift()) {
      const place = placeOf(name, String(here));
      if (seen.has(place)) continue;
      seen.add(place);
      const source = await readSource(database, name);
      if (source === 'unreadable') unread.add(place);
      if (source === undefined || source === 'unreadable') continue;
      const { calls: found, names } = callsIn(source);
      calls.push(...[...new Set(found)].map((call) => ({ view, call, place })));
      const { schema } = name;
      waiting.push(...names.map((other) => ({ ...other, schema: other.schema ?? schema })));
    }
  }
  return { calls, unread: [...unread] };
}

function placeOf({ kind, schema, name }: SourceName, here: string): string {
  const qualified = schema === here ? name : `${schema}.${name}`;
  return kind === 'view' ? qualified : `the function ${qualified}`;
}

const VIEW = 'SELECT VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?';
/** A function, a procedure that a function calls, or both by the same name. */
const ROUTINES = `
  SELECT ROUTINE_DEFINITION, SQL_MODE FROM information_schema.ROUTINES
  WHERE ROUTINE_SCHEMA = ? AND ROUTINE_NAME = ?`;

/** Undefined: there is no view or function with this name. */
export async function readSource(database: Database, name: SourceName): Promise<Source | 'unreadable' | undefined> {
  const isAsWritten = name.kind === 'function';
  const rows = await database.rows(isAsWritten ? ROUTINES : VIEW, [name.schema ?? '', name.name]);
  if (rows.length === 0) return name.isCertain ? 'unreadable' : undefined;
  const texts = rows.map(([text]) => textOf(text));
  if (texts.includes('')) return 'unreadable';
  return { text: texts.join(' ; '), isAsWritten, sqlMode: rows.map(([, mode]) => textOf(mode)).join() };
}

/** The server returns NULL or an empty text to accounts that may not read it. */
function textOf(column: ColumnValue | undefined): string {
  return column === null || column === undefined ? '' : String(column);
}
