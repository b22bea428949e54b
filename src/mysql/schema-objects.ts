import type { Knex } from 'knex';
import { SchemaError } from './schema-error.ts';
import { selectRows } from './schema-query.ts';
import { REFERENCE_COLUMNS } from './schema-views.ts';

/** What the database holds now, of the names that matter here. */
export interface SchemaObjects {
  readonly tables: ReadonlySet<string>;
  readonly views: ReadonlySet<string>;
  /** Tables that the migrations made, by the comment they carry. */
  readonly referenceTables: ReadonlySet<string>;
  /** The reference schema's columns that tables or views of its names lack, as `table.column`. */
  readonly lacking: readonly string[];
}

const OBJECTS = `
  SELECT TABLE_NAME AS name, TABLE_TYPE AS type, TABLE_COMMENT AS comment
  FROM information_schema.TABLES
  WHERE TABLE_SCHEMA = DATABASE()`;

const COLUMNS = `
  SELECT CONCAT(TABLE_NAME, '.', COLUMN_NAME) AS name
  FROM information_schema.COLUMNS
  WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME IN ('users', 'contacts', 'photos')`;

const MADE_BY_MIGRATION = 'Reference schema of Recency';

export async function readObjects(knex: Knex): Promise<SchemaObjects> {
  const objects = await selectRows<{ name: string; type: string; comment: string }>(knex, OBJECTS);
  const columns = await selectRows<{ name: string }>(knex, COLUMNS);
  const present = new Set(columns.map((column) => column.name));
  const names = (wanted: (object: { type: string; comment: string }) => boolean) =>
    new Set(objects.filter(wanted).map((object) => object.name));
  return {
    tables: names((object) => object.type === 'BASE TABLE'),
    views: names((object) => object.type === 'VIEW'),
    referenceTables: names((object) => object.comment === MADE_BY_MIGRATION),
    lacking: Object.entries(REFERENCE_COLUMNS)
      .flatMap(([table, wanted]) => wanted.map((column) => `${table}.${column}`))
      .filter((column) => !present.has(column)),
  };
}

/** Tables or views under the reference schema's names that the migrations did not make: the site's own. */
export function siteTables(objects: SchemaObjects): string[] {
  return Object.keys(REFERENCE_COLUMNS).filter(
    (name) => (objects.tables.has(name) || objects.views.has(name)) && !objects.referenceTables.has(name),
  );
}

/** @throws SchemaError site_tables: a site's own table bears the name of a reference table and is not like it. */
export function refuseForeignTables(objects: SchemaObjects): void {
  const foreign = siteTables(objects);
  const lacking = objects.lacking.filter((column) => foreign.some((table) => column.startsWith(`${table}.`)));
  if (lacking.length === 0) return;
  throw new SchemaError(
    'site_tables',
    `This database has tables of its own named ${foreign.join(', ')} (without ${lacking.join(', ')}), so the reference ` +
      'schema cannot be made here. Run `recency migrate --views-only`: it leaves them alone. Nothing was changed.',
  );
}
