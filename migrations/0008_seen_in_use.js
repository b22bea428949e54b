// @ts-check

/** @import { Knex } from 'knex' */

/** What Recency itself needs. */
export const part = 'recency';

// Whether anybody has ever marked something as seen. Every statement of an answer reads the row of the epoch anyway, and
// joins recency_seen only if this says so. Set in the transaction of the first mark, and never unset.
const COLUMN = 'seen_in_use BOOLEAN NOT NULL DEFAULT FALSE';

/** @param {Knex} knex */
export async function up(knex) {
  if (!(await knex.schema.hasColumn('recency_epoch', 'seen_in_use'))) {
    await knex.raw(`ALTER TABLE recency_epoch ADD COLUMN ${COLUMN}`);
  }
  await knex.raw('UPDATE recency_epoch SET seen_in_use = TRUE WHERE EXISTS (SELECT 1 FROM recency_seen)');
}

/** @param {Knex} knex */
export async function down(knex) {
  if (!(await knex.schema.hasColumn('recency_epoch', 'seen_in_use'))) return;
  await knex.raw('ALTER TABLE recency_epoch DROP COLUMN seen_in_use');
}
