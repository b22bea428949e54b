import type { Database } from './database.ts';

/** A column of a view whose type is not what Recency reads. */
export interface ColumnProblem {
  /** `recency_contacts.last_upload_at` */
  readonly column: string;
  /** As MySQL calls it. */
  readonly type: string;
  /** It works all the same: fractions are cut off. Otherwise nothing can be relied on. */
  readonly works: boolean;
  readonly fix: string;
}

const INTEGER = new Set(['tinyint', 'smallint', 'mediumint', 'int', 'bigint']);
const FRACTIONAL = new Set(['decimal', 'float', 'double']);

/** Of each column that must be a whole number, what it is. */
const WHOLE: Readonly<Record<string, 'id' | 'number' | 'flag' | 'time'>> = {
  'recency_contacts.user_id': 'id',
  'recency_contacts.contact_id': 'id',
  'recency_contacts.related': 'flag',
  'recency_contacts.last_upload_at': 'time',
  'recency_contacts.sees': 'number',
  'recency_contacts.is_friend': 'flag',
  'recency_contacts.is_family': 'flag',
  'recency_contacts.version': 'number',
  'recency_photos.id': 'id',
  'recency_photos.owner_id': 'id',
  'recency_photos.audience': 'number',
  'recency_photos.uploaded_at': 'time',
};

const OF_VIEWS = `
  SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE FROM information_schema.COLUMNS
  WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME IN ('recency_contacts', 'recency_photos')
  ORDER BY TABLE_NAME, ORDINAL_POSITION`;

/** Columns of the views that are no whole numbers and should be. @throws DatabaseUnavailable */
export async function findColumnProblems(database: Database): Promise<ColumnProblem[]> {
  const rows = await database.rows(OF_VIEWS, []);
  return rows.flatMap(([table, name, dataType]) => {
    const column = `${table}.${name}`;
    const type = String(dataType).toLowerCase();
    const kind = WHOLE[column];
    if (kind === undefined || INTEGER.has(type)) return [];
    return [{ column, type, works: kind === 'time' && FRACTIONAL.has(type), fix: fixOf(kind, type, String(name)) }];
  });
}

function fixOf(kind: 'id' | 'number' | 'flag' | 'time', type: string, name: string): string {
  if (kind === 'flag') return `In the view, say \`(…) <> 0 AS ${name}\`, or whatever makes it true or false.`;
  if (kind !== 'time') return `In the view, select a column of an integer type as ${name}.`;
  if (FRACTIONAL.has(type)) return `In the view, say \`CAST(FLOOR(…) AS SIGNED) AS ${name}\`: whole milliseconds.`;
  const recipe =
    type === 'timestamp'
      ? `CAST(FLOOR(UNIX_TIMESTAMP(…) * 1000) AS SIGNED)`
      : `TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', …) DIV 1000`;
  return `In the view, say \`${recipe} AS ${name}\`: milliseconds since 1970 UTC. docs/adopting.md says what to look out for.`;
}
