/** The base tables behind the views: those that they read, also through other views and functions. */
import type { Kind } from '../contracts/kind.ts';
import type { Database } from './database.ts';
import { viewsOf } from './kind-views.ts';
import { namesIn, readSource, type SourceName } from './volatile-views.ts';

export interface FoundTable {
  readonly schema: string;
  readonly table: string;
}

export interface BehindViews {
  readonly tables: readonly FoundTable[];
  /** The views themselves, and those that they read. */
  readonly views: readonly FoundTable[];
  /** Views and functions whose text this account may not read. */
  readonly unread: readonly string[];
}

const KIND_OF = 'SELECT TABLE_TYPE FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?';

/** @throws DatabaseUnavailable */
export async function findBaseTables(database: Database, kinds: readonly Kind[]): Promise<BehindViews> {
  const [[here] = []] = await database.rows('SELECT DATABASE()', []);
  const schema = String(here);
  const waiting: SourceName[] = [...viewsOf(kinds).keys()].map((name) => ({ kind: 'view', schema, name }));
  const seen = new Set<string>();
  const [tables, views]: [FoundTable[], FoundTable[]] = [[], []];
  const unread: string[] = [];
  for (let name = waiting.shift(); name; name = waiting.shift()) {
    const place = { schema: name.schema ?? schema, table: name.name };
    const key = JSON.stringify([name.kind, place.schema, place.table]);
    if (seen.has(key)) continue;
    seen.add(key);
    const source = await readSource(database, name);
    if (source === 'unreadable') unread.push(`${place.schema}.${place.table}`);
    if (source === undefined && name.kind === 'view') {
      const [[type] = []] = await database.rows(KIND_OF, [place.schema, place.table]);
      if (type === 'BASE TABLE') tables.push(place);
    }
    if (source === undefined || source === 'unreadable') continue;
    if (name.kind === 'view') views.push(place);
    waiting.push(...namesIn(source).map((other) => ({ ...other, schema: other.schema ?? place.schema })));
  }
  return { tables, views, unread };
}
