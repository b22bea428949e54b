// @ts-check

/** @import { Knex } from 'knex' */

/** What a site has in tables of its own: for the demonstration, the tests and new sites. */
export const part = 'reference';

/** Says in the schema itself that these tables were made here, so that a roll-back never drops a site's own. */
const COMMENT = 'Reference schema of Recency';

// No foreign keys: a relationship outlives its users, marked inactive.
const TABLES = {
  // last_…_at: the newest photo of each audience, ms since 1970 UTC; 0: there is none.
  users: `
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    name VARCHAR(100) NOT NULL DEFAULT '',
    last_public_at BIGINT NOT NULL DEFAULT 0,
    last_friends_at BIGINT NOT NULL DEFAULT 0,
    last_family_at BIGINT NOT NULL DEFAULT 0,
    last_friends_family_at BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (id)`,

  // The second index answers who has somebody as a contact from the index alone.
  contacts: `
    user_id BIGINT UNSIGNED NOT NULL,
    contact_id BIGINT UNSIGNED NOT NULL,
    is_friend BOOLEAN NOT NULL DEFAULT FALSE,
    is_family BOOLEAN NOT NULL DEFAULT FALSE,
    active BOOLEAN NOT NULL DEFAULT TRUE,
    version BIGINT UNSIGNED NOT NULL DEFAULT 1,
    PRIMARY KEY (user_id, contact_id),
    KEY contacts_followers (contact_id, user_id, active, version)`,

  // audience: 0 public, 1 friends, 2 family, 3 friends or family, 4 private.
  photos: `
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    owner_id BIGINT UNSIGNED NOT NULL,
    audience TINYINT UNSIGNED NOT NULL,
    uploaded_at BIGINT NOT NULL,
    title VARCHAR(255) NOT NULL DEFAULT '',
    PRIMARY KEY (id),
    KEY photos_newest (owner_id, audience, uploaded_at, id),
    CONSTRAINT photos_audience CHECK (audience <= 4)`,
};

/** @param {Knex} knex */
export async function up(knex) {
  const options = `ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='${COMMENT}'`;
  for (const [name, columns] of Object.entries(TABLES)) {
    await knex.raw(`CREATE TABLE IF NOT EXISTS ${name} (${columns}) ${options}`);
  }
}

/** @param {Knex} knex */
export async function down(knex) {
  for (const name of Object.keys(TABLES).reverse()) {
    if (await wasMadeHere(knex, name)) await knex.raw(`DROP TABLE IF EXISTS ${name}`);
  }
}

/**
 * @param {Knex} knex
 * @param {string} name
 */
async function wasMadeHere(knex, name) {
  const [rows] = await knex.raw(
    `SELECT 1 FROM information_schema.TABLES
     WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? AND TABLE_COMMENT = ?`,
    [name, COMMENT],
  );
  return rows.length > 0;
}
