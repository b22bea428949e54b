// @ts-check

/** @import { Knex } from 'knex' */

/** What Recency itself needs. */
export const part = 'recency';

// The W3C trace context of what wrote the row, if the site is traced; whatever else it holds is ignored. Longer than any
// that is valid today, so that a site that writes what it was given is not refused. Relays also work without the column.
const COLUMN = 'traceparent VARCHAR(255) NULL';

/** @param {Knex} knex */
export async function up(knex) {
  if (await knex.schema.hasColumn('recency_outbox', 'traceparent')) return;
  await knex.raw(`ALTER TABLE recency_outbox ADD COLUMN ${COLUMN}`);
}

/** @param {Knex} knex */
export async function down(knex) {
  if (!(await knex.schema.hasColumn('recency_outbox', 'traceparent'))) return;
  await knex.raw('ALTER TABLE recency_outbox DROP COLUMN traceparent');
}
