/** The views of the reference schema, the tables behind them, and what of both exists in a database. */
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { SchemaError } from './schema-connection.ts';

/** One of the two views through which Recency reads a site's data. */
export interface SchemaView {
  readonly name: string;
  /** Its columns, in order, and their meaning: the contract for a site's own view. */
  readonly columns: Readonly<Record<string, string>>;
  /** The SELECT over the reference tables, which the optimizer merges into every question. */
  readonly select: string;
}

// STRAIGHT_JOIN: with JOIN the optimizer may read all users first and look up each among a heavy user's contacts.
const CONTACTS: SchemaView = {
  name: 'recency_contacts',
  columns: {
    user_id: 'who has the contact',
    contact_id: 'who is the contact; one row a pair',
    related: 'true: a contact now; false: no longer one',
    last_upload_at:
      "the contact's newest existing photo that the user may see, ms since 1970 UTC as BIGINT; 0: there is none",
    sees: "bit k: the user may see the contact's photos of audience k",
    is_friend: 'the user calls the contact a friend',
    is_family: 'the user calls the contact family',
    version: 'grows with every change of the relationship',
  },
  select: `
    SELECT contacts.user_id,
           contacts.contact_id,
           contacts.active AS related,
           GREATEST(users.last_public_at,
                    IF(granted.is_friend, users.last_friends_at, 0),
                    IF(granted.is_family, users.last_family_at, 0),
                    IF(granted.is_friend OR granted.is_family, users.last_friends_family_at, 0)) AS last_upload_at,
           1 | IF(granted.is_friend, 2, 0) | IF(granted.is_family, 4, 0)
             | IF(granted.is_friend OR granted.is_family, 8, 0) AS sees,
           contacts.is_friend,
           contacts.is_family,
           contacts.version
    FROM contacts
    STRAIGHT_JOIN users ON users.id = contacts.contact_id
    LEFT JOIN contacts AS granted
      ON granted.user_id = contacts.contact_id AND granted.contact_id = contacts.user_id AND granted.active`,
};

const PHOTOS: SchemaView = {
  name: 'recency_photos',
  columns: {
    id: 'the photo',
    owner_id: 'whose it is',
    audience: '0 public, 1 friends, 2 family, 3 friends or family, 4 private',
    uploaded_at: 'ms since 1970 UTC as BIGINT',
    title: 'its title',
  },
  select: 'SELECT id, owner_id, audience, uploaded_at, title FROM photos',
};

export const VIEWS: readonly SchemaView[] = [CONTACTS, PHOTOS];

/** The columns of the reference tables that the views and the reference site use. */
const REFERENCE_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  users: ['id', 'name', 'last_public_at', 'last_friends_at', 'last_family_at', 'last_friends_family_at'],
  contacts: ['user_id', 'contact_id', 'is_friend', 'is_family', 'active', 'version'],
  photos: ['id', 'owner_id', 'audience', 'uploaded_at', 'title'],
};

/**
 * The statement that creates the view over the reference tables. INVOKER, because a view with a definer stops working
 * when that account is dropped or a dump is restored elsewhere, and then no question can be answered.
 */
function createStatement(view: SchemaView): string {
  return `CREATE OR REPLACE ALGORITHM=MERGE SQL SECURITY INVOKER VIEW ${view.name} AS ${view.select.trim()}`;
}

/** What a site's own view of this name must look like, for people. */
function describeView(view: SchemaView): string {
  const width = Math.max(...Object.keys(view.columns).map((column) => column.length));
  const columns = Object.entries(view.columns).map(([column, meaning]) => `  ${column.padEnd(width)}  ${meaning}`);
  return [
    `CREATE ALGORITHM=MERGE VIEW ${view.name} (${Object.keys(view.columns).join(', ')}) AS SELECT …`,
    ...columns,
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
  /** Columns of the reference schema that are missing, as `table.column`. */
  readonly lacking: readonly string[];
}

const OBJECTS = `
  SELECT TABLE_NAME AS name, TABLE_TYPE AS type, TABLE_COMMENT AS comment
  FROM information_schema.TABLES
  WHERE TABLE_SCHEMA = DATABASE()`;

const REFERENCE_TABLES_COLUMNS = `
  SELECT CONCAT(TABLE_NAME, '.', COLUMN_NAME) AS name
  FROM information_schema.COLUMNS
  WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME IN ('users', 'contacts', 'photos')`;

const MADE_BY_MIGRATION = 'Reference schema of Recency';

export async function readObjects(knex: Knex): Promise<SchemaObjects> {
  const objects = await selectRows<{ name: string; type: string; comment: string }>(knex, OBJECTS);
  const columns = await selectRows<{ name: string }>(knex, REFERENCE_TABLES_COLUMNS);
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
  const lacking = objects.lacking.filter((column) => foreign.some((table) => column.startsWith(`${table}.`)));
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

// Marks a view as created here. Written before the view, so that a view created just before a kill is recognized too.
const READ_MARK = 'SELECT value FROM recency_settings WHERE name = ?';
const WRITE_MARK = 'REPLACE INTO recency_settings (name, value) VALUES (?, ?)';
const DELETE_MARK = 'DELETE FROM recency_settings WHERE name = ?';

/** Creates the views over the reference tables where they are complete, and leaves a site's own views alone. */
export async function makeViews(knex: Knex): Promise<ViewReport[]> {
  const objects = await readObjects(knex);
  const reports: ViewReport[] = [];
  for (const view of VIEWS) reports.push(await makeView(knex, view, objects));
  return reports;
}

async function makeView(knex: Knex, view: SchemaView, objects: SchemaObjects): Promise<ViewReport> {
  const now = await reportView(knex, view, objects);
  if (now.origin === 'site' || objects.lacking.length > 0) return now;
  const digest = createHash('sha256').update(createStatement(view)).digest('base64url');
  if (now.origin === 'recency' && (await readMark(knex, view)) === digest) return now;
  await knex.raw(WRITE_MARK, [markOf(view), 'being made']);
  await knex.raw(createStatement(view));
  await knex.raw(WRITE_MARK, [markOf(view), digest]);
  return { ...now, origin: 'recency', made: true };
}

/** Drops the views that were created here. Returns their names. */
export async function dropViews(knex: Knex): Promise<string[]> {
  const objects = await readObjects(knex);
  const dropped: string[] = [];
  for (const view of VIEWS) {
    const { origin } = await reportView(knex, view, objects);
    if (origin === 'recency') {
      await knex.raw(`DROP VIEW IF EXISTS ${view.name}`);
      dropped.push(view.name);
    }
    if (objects.tables.has('recency_settings')) await knex.raw(DELETE_MARK, [markOf(view)]);
  }
  return dropped;
}

/** Changes nothing. */
export async function reportViews(knex: Knex): Promise<ViewReport[]> {
  const objects = await readObjects(knex);
  return await Promise.all(VIEWS.map((view) => reportView(knex, view, objects)));
}

async function reportView(knex: Knex, view: SchemaView, objects: SchemaObjects): Promise<ViewReport> {
  const report = { name: view.name, made: false, mustLookLike: describeView(view) };
  if (!objects.views.has(view.name) && !objects.tables.has(view.name)) return { ...report, origin: 'missing' };
  const marked = objects.tables.has('recency_settings') && (await readMark(knex, view)) !== undefined;
  return { ...report, origin: marked ? 'recency' : 'site' };
}

async function readMark(knex: Knex, view: SchemaView): Promise<string | undefined> {
  const [mark] = await selectRows<{ value: string }>(knex, READ_MARK, [markOf(view)]);
  return mark?.value;
}

function markOf(view: SchemaView): string {
  return `view:${view.name}`;
}
