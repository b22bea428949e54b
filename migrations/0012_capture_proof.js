// @ts-check

/** @import { Knex } from 'knex' */

/** What Recency itself needs. */
export const part = 'recency';

// nonce: another one with every write, so that the row is known when it comes back in the log. proof: the nonce that must come
// by first when reading begins at `position`; empty: the position proves nothing, and capture does not go on from it.
const COLUMNS = ['nonce', 'proof'];

/** @param {Knex} knex */
export async function up(knex) {
  for (const column of COLUMNS) {
    if (await knex.schema.hasColumn('recency_capture', column)) continue;
    await knex.raw(
      `ALTER TABLE recency_capture ADD COLUMN ${column} CHAR(22) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''`,
    );
  }
}

/** @param {Knex} knex */
export async function down(knex) {
  for (const column of COLUMNS) {
    if (await knex.schema.hasColumn('recency_capture', column))
      await knex.raw(`ALTER TABLE recency_capture DROP COLUMN ${column}`);
  }
}
