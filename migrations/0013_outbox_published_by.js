// @ts-check

/** @import { Knex } from 'knex' */

/** What Recency itself needs. */
export const part = 'recency';

// The server that the relay spoke to when it published the row (a digest of its identity); NULL: not published yet, or by
// version 0.1.0. A row that arrives by replication brings the mark of the server that it comes from.
const COLUMN = 'published_by CHAR(12) CHARACTER SET ascii COLLATE ascii_bin NULL';

// Finds the few rows that others have published, and the newest of each other server.
const INDEX = 'recency_outbox_published_by';

/** @param {Knex} knex */
export async function up(knex) {
  if (await knex.schema.hasColumn('recency_outbox', 'published_by')) return;
  await knex.raw(`ALTER TABLE recency_outbox ADD COLUMN ${COLUMN}, ADD KEY ${INDEX} (published_by, published_at)`);
}

/** @param {Knex} knex */
export async function down(knex) {
  if (!(await knex.schema.hasColumn('recency_outbox', 'published_by'))) return;
  await knex.raw(`ALTER TABLE recency_outbox DROP KEY ${INDEX}, DROP COLUMN published_by`);
}
