import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { readObjects, type SchemaObjects } from './schema-objects.ts';
import { selectRows } from './schema-query.ts';
import { createStatement, describeView, VIEWS, type View } from './schema-views.ts';

export interface ViewReport {
  readonly name: string;
  /** Who made it; `missing`: nobody has, and Recency cannot work without it. */
  readonly origin: 'recency' | 'site' | 'missing';
  /** Whether this run made it, or made it anew because its text changed. */
  readonly made: boolean;
  /** For people: how the view must look, when a site writes it. */
  readonly mustLookLike: string;
}

// The mark of a view made here: written before the view, so that one made just before a kill is known as ours too.
const READ_MARK = 'SELECT value FROM recency_settings WHERE name = ?';
const WRITE_MARK = 'REPLACE INTO recency_settings (name, value) VALUES (?, ?)';
const DELETE_MARK = 'DELETE FROM recency_settings WHERE name = ?';

/** Makes the views that can be made over reference tables, and leaves a site's own as they are. */
export async function makeViews(knex: Knex): Promise<ViewReport[]> {
  const objects = await readObjects(knex);
  const reports: ViewReport[] = [];
  for (const view of VIEWS) reports.push(await makeView(knex, view, objects));
  return reports;
}

async function makeView(knex: Knex, view: View, objects: SchemaObjects): Promise<ViewReport> {
  const now = await reportView(knex, view, objects);
  if (now.origin === 'site' || objects.lacking.length > 0) return now;
  const digest = createHash('sha256').update(createStatement(view)).digest('base64url');
  if (now.origin === 'recency' && (await readMark(knex, view)) === digest) return now;
  await knex.raw(WRITE_MARK, [markOf(view), 'being made']);
  await knex.raw(createStatement(view));
  await knex.raw(WRITE_MARK, [markOf(view), digest]);
  return { ...now, origin: 'recency', made: true };
}

/** Drops the views that were made here. Returns their names. */
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

async function reportView(knex: Knex, view: View, objects: SchemaObjects): Promise<ViewReport> {
  const report = { name: view.name, made: false, mustLookLike: describeView(view) };
  if (!objects.views.has(view.name) && !objects.tables.has(view.name)) return { ...report, origin: 'missing' };
  const marked = objects.tables.has('recency_settings') && (await readMark(knex, view)) !== undefined;
  return { ...report, origin: marked ? 'recency' : 'site' };
}

async function readMark(knex: Knex, view: View): Promise<string | undefined> {
  const [mark] = await selectRows<{ value: string }>(knex, READ_MARK, [markOf(view)]);
  return mark?.value;
}

function markOf(view: View): string {
  return `view:${view.name}`;
}
