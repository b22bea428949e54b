// @ts-check

/** @import { Knex } from 'knex' */

/** What Recency itself needs. */
export const part = 'recency';

// Who is told of what is new, and what each was told last. JSON as checked text, as in 0001. Times are ms since 1970 UTC.
// version: a random number that every write replaces, for compare-and-set.
const TABLE = `
  CREATE TABLE IF NOT EXISTS recency_watches (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    user_id BIGINT UNSIGNED NOT NULL,
    channel VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    url VARCHAR(2048) NULL,
    secrets TEXT NOT NULL,
    kinds VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    relation VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    muted MEDIUMTEXT NOT NULL,
    interval_ms INT UNSIGNED NOT NULL,
    ended VARCHAR(255) NULL,
    told MEDIUMTEXT NOT NULL,
    outgoing MEDIUMTEXT NULL,
    notified_at BIGINT NULL,
    due_at BIGINT NULL,
    version BIGINT UNSIGNED NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (id),
    KEY recency_watches_user (user_id, id),
    KEY recency_watches_due (due_at),
    CONSTRAINT recency_watches_secrets CHECK (JSON_VALID(secrets)),
    CONSTRAINT recency_watches_muted CHECK (JSON_VALID(muted)),
    CONSTRAINT recency_watches_told CHECK (JSON_VALID(told)),
    CONSTRAINT recency_watches_outgoing CHECK (outgoing IS NULL OR JSON_VALID(outgoing))
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`;

// Notifications that were given up: dead letters. id: of the notification.
const UNDELIVERED = `
  CREATE TABLE IF NOT EXISTS recency_undelivered (
    id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    watch_id BIGINT UNSIGNED NOT NULL,
    user_id BIGINT UNSIGNED NOT NULL,
    sources MEDIUMTEXT NOT NULL,
    more BOOLEAN NOT NULL,
    given_up_at BIGINT NOT NULL,
    PRIMARY KEY (id),
    KEY recency_undelivered_watch (watch_id, given_up_at),
    CONSTRAINT recency_undelivered_sources CHECK (JSON_VALID(sources))
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`;

/** @param {Knex} knex */
export async function up(knex) {
  await knex.raw(TABLE);
  await knex.raw(UNDELIVERED);
}

/** @param {Knex} knex */
export async function down(knex) {
  await knex.raw('DROP TABLE IF EXISTS recency_undelivered');
  await knex.raw('DROP TABLE IF EXISTS recency_watches');
}
