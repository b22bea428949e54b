// @ts-check

/** @import { Knex } from 'knex' */

/** What Recency itself needs. */
export const part = 'recency';

/** @param {Knex} knex */
export async function up(knex) {
  // How far a user has seen what is new: of one source, or with source_id 0 of all of a kind. It cannot be derived from
  // anything else. seen_at: ms since 1970 UTC. seen_id: with source 0, the source whose last upload that is; otherwise the
  // photo, or the greatest id there is, which stands for every photo of that time.
  await knex.raw(`CREATE TABLE IF NOT EXISTS recency_seen (
    user_id BIGINT UNSIGNED NOT NULL,
    kind VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    source_id BIGINT UNSIGNED NOT NULL,
    seen_at BIGINT NOT NULL,
    seen_id BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (user_id, kind, source_id)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`);
}

/** @param {Knex} knex */
export async function down(knex) {
  await knex.raw('DROP TABLE IF EXISTS recency_seen');
}
