// @ts-check

/** @import { Knex } from 'knex' */

/** What Recency itself needs. */
export const part = 'recency';

// What became of the last test of a watch: the id of its notification and, if it failed, why. JSON as checked text, as in 0009.

/** @param {Knex} knex */
export async function up(knex) {
  if (await knex.schema.hasColumn('recency_watches', 'tested')) return;
  await knex.raw(
    'ALTER TABLE recency_watches ADD COLUMN tested TEXT NULL CHECK (tested IS NULL OR JSON_VALID(tested))',
  );
}

/** @param {Knex} knex */
export async function down(knex) {
  if (await knex.schema.hasColumn('recency_watches', 'tested'))
    await knex.raw('ALTER TABLE recency_watches DROP COLUMN tested');
}
