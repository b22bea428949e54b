/** The views in a database: which exist, who made them, and making those over the reference schema. */
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { KINDS, type Kind } from '../contracts/kind.ts';
import { type DescribedView, describedViews } from '../site/kind-view.ts';
import { REFERENCE_VIEWS } from './reference-views.ts';
import { SchemaError } from './schema-connection.ts';
import { SETTING } from './settings.ts';

/** The columns of the reference tables that the views and the reference site use. */
const REFERENCE_COLUMNS: Readonly<Record<string, readonly string[]>> = Object.assign(
  {},
  ...[...REFERENCE_VIEWS.values()].map(({ tables }) => tables),
);

/**
 * The statement that creates the view over the reference tables. INVOKER, because a view with a definer stops working
 * when that account is dropped or a dump is restored elsewhere, and then no question can be answered.
 */
function createStatement(name: string, select: string): string {
  return `CREATE OR REPLACE ALGORITHM=MERGE SQL SECURITY INVOKER VIEW ${name} AS ${select.trim()}`;
}

/** What a site's own view of this name must look like, for people. */
function describeView({ name, columns, optional }: DescribedView): string {
  const all = { ...columns, ...optional };
  const width = Math.max(...Object.keys(all).map((column) => column.length));
  const line = ([column, meaning]: [string, string]) =>
    `  ${column.padEnd(width)}  ${meaning}${column in optional ? '; may be left out' : ''}`;
  return [
    `CREATE ALGORITHM=MERGE VIEW ${name} (${Object.keys(columns).join(', ')}) AS SELECT …`,
    ...Object.entries(all).map(line),
    'It must merge: no DISTINCT, GROUP BY, UNION, LIMIT or aggregate, and no subquery in the list of what it selects.',
  ].join('\n');
}

/** Rows as objects by column; knex's `raw` returns the driver's [rows, fields]. */
async function selectRows<Row>(knex: Knex, statement: string, parameters: string[] = []): Promise<Row[]> {
  const [rows] = (await knex.raw(statement, parameters)) as [Row[], unknown];
  return rows;
}

/** The objects in the database that matter here. */
interface SchemaObjects {
  readonly tables: ReadonlySet<string>;
  readonly views: ReadonlySet<string>;
  /** Tables that the migrations created, recognized by their comment. */
  readonly referenceTables: ReadonlySet<string>;
  /** Columns of tables with names of the reference schema that exist, as `table.column`. */
  readonly columns: ReadonlySet<string>;
}

const OBJECTS = `
  SELECT TABLE_NAME AS name, TABLE_TYPE AS type, TABLE_COMMENT AS comment
  FROM information_schema.TABLES
  WHERE TABLE_SCHEMA = DATABASE()`;

const REFERENCE_TABLES_COLUMNS = `
  SELECT CONCAT(TABLE_NAME, '.', COLUMN_NAME) AS name
  FROM information_schema.COLUMNS
  WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME IN (${Object.keys(REFERENCE_COLUMNS)
    .map((name) => `'${name}'`)
    .join(', ')})`;

const MADE_BY_MIGRATION = 'Reference schema of Recency';

export async function readObjects(knex: Knex): Promise<SchemaObjects> {
  const objects = await selectRows<{ name: string; type: string; comment: string }>(knex, OBJECTS);
  const columns = await selectRows<{ name: string }>(knex, REFERENCE_TABLES_COLUMNS);
  const names = (wanted: (object: { type: string; comment: string }) => boolean) =>
    new Set(objects.filter(wanted).map((object) => object.name));
  return {
    tables: names((object) => object.type === 'BASE TABLE'),
    views: names((object) => object.type === 'VIEW'),
    referenceTables: names((object) => object.comment === MADE_BY_MIGRATION),
    columns: new Set(columns.map((column) => column.name)),
  };
}

/** The columns of these reference tables that are missing, as `table.column`. */
function lackingOf(tables: Readonly<Record<string, readonly string[]>>, { columns }: SchemaObjects): string[] {
  return Object.entries(tables)
    .flatMap(([table, wanted]) => wanted.map((column) => `${table}.${column}`))
    .filter((column) => !columns.has(column));
}

/** The site's own tables or views with names of the reference schema. */
export function siteTables(objects: SchemaObjects): string[] {
  return Object.keys(REFERENCE_COLUMNS).filter(
    (name) => (objects.tables.has(name) || objects.views.has(name)) && !objects.referenceTables.has(name),
  );
}

/**
 * @throws SchemaError site_tables: a site's own table has the name of a reference table and lacks some of its columns
 */
export function refuseForeignTables(objects: SchemaObjects): void {
  const foreign = siteTables(objects);
  const lacking = lackingOf(REFERENCE_COLUMNS, objects).filter((column) =>
    foreign.some((table) => column.startsWith(`${table}.`)),
  );
  if (lacking.length === 0) return;
  throw new SchemaError(
    'site_tables',
    `This database has tables of its own named ${foreign.join(', ')} (without ${lacking.join(', ')}), so the reference ` +
      'schema cannot be created here. Run `recency migrate --views-only`: it leaves them alone. Nothing was changed.',
  );
}

export interface ViewReport {
  readonly name: string;
  /** Who created it; `missing`: it does not exist, and Recency cannot work without it. */
  readonly origin: 'recency' | 'site' | 'missing';
  /** This run created it, or created it again because its text changed. */
  readonly made: boolean;
  /** What a site's own view must look like, for people. */
  readonly mustLookLike: string;
}

/** Creates the views of these kinds where the reference tables are complete, and leaves a site's own views alone. */
export async function makeViews(knex: Knex, kinds: readonly Kind[]): Promise<ViewReport[]> {
  const objects = await readObjects(knex);
  const reports: ViewReport[] = [];
  for (const view of describedViews(kinds)) reports.push(await makeView(knex, view, objects));
  return reports;
}

async function makeView(knex: Knex, view: DescribedView, objects: SchemaObjects): Promise<ViewReport> {
  const { name } = view;
  const now = await reportView(knex, view, objects);
  const reference = REFERENCE_VIEWS.get(name);
  if (now.origin === 'site' || reference === undefined || lackingOf(reference.tables, objects).length > 0) return now;
  const statement = createStatement(name, reference.select(objects.columns));
  const digest = createHash('sha256').update(statement).digest('base64url');
  if (now.origin === 'recency' && (await readMark(knex, name)) === digest) return now;
  await knex.raw(SETTING.write, [markOf(name), 'being made']);
  await knex.raw(statement);
  await knex.raw(SETTING.write, [markOf(name), digest]);
  return { ...now, origin: 'recency', made: true };
}

/** Drops the views that were created here. Returns their names. */
export async function dropViews(knex: Knex): Promise<string[]> {
  const objects = await readObjects(knex);
  const dropped: string[] = [];
  for (const view of describedViews(KINDS)) {
    const { name } = view;
    const { origin } = await reportView(knex, view, objects);
    if (origin === 'recency') {
      await knex.raw(`DROP VIEW IF EXISTS ${name}`);
      dropped.push(name);
    }
    if (objects.tables.has('recency_settings')) await knex.raw(SETTING.remove, [markOf(name)]);
  }
  return dropped;
}

/** Changes nothing. */
export async function reportViews(knex: Knex, kinds: readonly Kind[]): Promise<ViewReport[]> {
  const objects = await readObjects(knex);
  return await Promise.all(describedViews(kinds).map((view) => reportView(knex, view, objects)));
}

async function reportView(knex: Knex, view: DescribedView, objects: SchemaObjects): Promise<ViewReport> {
  const report = { name: view.name, made: false, mustLookLike: describeView(view) };
  if (!objects.views.has(view.name) && !objects.tables.has(view.name)) return { ...report, origin: 'missing' };
  const marked = objects.tables.has('recency_settings') && (await readMark(knex, view.name)) !== undefined;
  return { ...report, origin: marked ? 'recency' : 'site' };
}

async function readMark(knex: Knex, view: string): Promise<string | undefined> {
  const [mark] = await selectRows<{ value: string }>(knex, SETTING.read, [markOf(view)]);
  return mark?.value;
}

/** Marks a view as created here. Written before the view, so that a view created just before a kill is recognized too. */
function markOf(view: string): string {
  return `view:${view}`;
}
