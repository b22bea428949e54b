// @ts-check
import { randomBytes } from 'node:crypto';

/** @import { Knex } from 'knex' */

/** What Recency itself needs, in a site's own database as in the reference schema. */
export const part = 'recency';

// Times are ms since 1970 UTC. Every table's prefix is Recency's own, so IF [NOT] EXISTS is enough to go on after a kill.
const TABLES = {
  // A random token, compared by equality; indexes of another epoch are cold. Exactly one row.
  recency_epoch: `
    only_row TINYINT UNSIGNED NOT NULL DEFAULT 1,
    token VARCHAR(22) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    why VARCHAR(255) NOT NULL,
    bumped_at BIGINT NOT NULL,
    PRIMARY KEY (only_row),
    CONSTRAINT recency_epoch_has_one_row CHECK (only_row = 1)`,

  // Only version 0.1.0 uses this table and the next one. Its processes may still run during an upgrade.
  recency_redis_masters: `
    run_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    address VARCHAR(255) NOT NULL DEFAULT '',
    first_seen_at BIGINT NOT NULL,
    PRIMARY KEY (run_id)`,

  recency_mysql_servers: `
    identity VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    version VARCHAR(255) NOT NULL DEFAULT '',
    first_seen_at BIGINT NOT NULL,
    PRIMARY KEY (identity)`,

  recency_settings: `
    name VARCHAR(191) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (name)`,

  // Backfill, verify and repair runs. JSON as checked text, because a JSON column comes back as an object from MySQL and
  // as text from MariaDB.
  recency_runs: `
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    kind VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    state VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    parameters LONGTEXT NOT NULL,
    cursor_id BIGINT UNSIGNED NOT NULL DEFAULT 0,
    counts LONGTEXT NOT NULL,
    fencing_token BIGINT UNSIGNED NOT NULL DEFAULT 0,
    started_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    finished_at BIGINT NULL,
    PRIMARY KEY (id),
    KEY recency_runs_kind (kind, state, id),
    CONSTRAINT recency_runs_parameters CHECK (JSON_VALID(parameters)),
    CONSTRAINT recency_runs_counts CHECK (JSON_VALID(counts))`,

  // The last fencing token given for each lease.
  recency_leases: `
    name VARCHAR(191) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    token BIGINT UNSIGNED NOT NULL,
    granted_at BIGINT NOT NULL,
    PRIMARY KEY (name)`,

  // Tasks, written in the site's own transaction. created_at fills itself, by MySQL's clock and in UTC. One index serves
  // the relay (unpublished rows in id order), the lag (how many of them, and since when) and the deletion of old rows.
  recency_outbox: `
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    type VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    user_id BIGINT UNSIGNED NOT NULL,
    other_id BIGINT UNSIGNED NULL,
    at BIGINT NULL,
    version BIGINT UNSIGNED NULL,
    created_at BIGINT NOT NULL DEFAULT (TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000),
    published_at BIGINT NULL,
    PRIMARY KEY (id),
    KEY recency_outbox_published (published_at, id)`,
};

/** @param {Knex} knex */
export async function up(knex) {
  for (const [name, columns] of Object.entries(TABLES)) {
    await knex.raw(`CREATE TABLE IF NOT EXISTS ${name} (${columns}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`);
  }
  const token = randomBytes(8).toString('base64url');
  const first = [token, 'the first migration', Date.now()];
  await knex.raw('INSERT IGNORE INTO recency_epoch (only_row, token, why, bumped_at) VALUES (1, ?, ?, ?)', first);
}

/** @param {Knex} knex */
export async function down(knex) {
  for (const name of Object.keys(TABLES).reverse()) await knex.raw(`DROP TABLE IF EXISTS ${name}`);
}
