// @ts-check

/** @import { Knex } from 'knex' */

/** What Recency itself needs. */
export const part = 'recency';

// Dead letters that somebody has dealt with: replayed or discarded, why and when. A topic of Kafka keeps its records, so lists
// leave these out; the rows are the record of what was done.
const TABLE = `
  CREATE TABLE IF NOT EXISTS recency_settled_letters (
    place VARCHAR(191) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    outcome VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    type VARCHAR(64) NOT NULL,
    why VARCHAR(1000) NOT NULL,
    settled_at BIGINT NOT NULL,
    PRIMARY KEY (place, id)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`;

/** @param {Knex} knex */
export async function up(knex) {
  await knex.raw(TABLE);
}

/** @param {Knex} knex */
export async function down(knex) {
  await knex.raw('DROP TABLE IF EXISTS recency_settled_letters');
}
