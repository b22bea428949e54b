// @ts-check

/** @import { Knex } from 'knex' */

/** What Recency itself needs. */
export const part = 'recency';

// The master_replid of each Redis master seen: another one after every promotion. With run_id it says which master it is.
// '': recorded by a process of before; the first one that looks fills it in.
const COLUMN = "replid VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''";

/** @param {Knex} knex */
export async function up(knex) {
  if (await knex.schema.hasColumn('recency_redis_masters', 'replid')) return;
  await knex.raw(`ALTER TABLE recency_redis_masters ADD COLUMN ${COLUMN}`);
}

/** @param {Knex} knex */
export async function down(knex) {
  if (!(await knex.schema.hasColumn('recency_redis_masters', 'replid'))) return;
  await knex.raw('ALTER TABLE recency_redis_masters DROP COLUMN replid');
}
