// @ts-check

/** @import { Knex } from 'knex' */

/** What Recency itself needs. */
export const part = 'recency';

// mapping: of the mapping by which changes were captured. With another one, what only that one maps has no hint for earlier changes.
const COLUMN = "mapping CHAR(22) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''";

/** @param {Knex} knex */
export async function up(knex) {
  if (await knex.schema.hasColumn('recency_capture', 'mapping')) return;
  await knex.raw(`ALTER TABLE recency_capture ADD COLUMN ${COLUMN}`);
}

/** @param {Knex} knex */
export async function down(knex) {
  if (await knex.schema.hasColumn('recency_capture', 'mapping'))
    await knex.raw('ALTER TABLE recency_capture DROP COLUMN mapping');
}
