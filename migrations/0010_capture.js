// @ts-check

/** @import { Knex } from 'knex' */

/** What Recency itself needs. */
export const part = 'recency';

// How far the changes of each source are published. fences: grows with every write, so that each one is in the binary log.
const TABLE = `
  CREATE TABLE IF NOT EXISTS recency_capture (
    source VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    server VARCHAR(255) NOT NULL,
    position TEXT NOT NULL,
    fences BIGINT UNSIGNED NOT NULL DEFAULT 0,
    saved_at BIGINT NOT NULL,
    published BIGINT UNSIGNED NOT NULL DEFAULT 0,
    PRIMARY KEY (source)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`;

/** @param {Knex} knex */
export async function up(knex) {
  await knex.raw(TABLE);
}

/** @param {Knex} knex */
export async function down(knex) {
  await knex.raw('DROP TABLE IF EXISTS recency_capture');
}
