// @ts-check

/** @import { Knex } from 'knex' */

/** Groups, and when a relation began: for the demonstration, the tests and new sites. */
export const part = 'reference';

/** As in 0002: says in the schema itself that these tables were made here, so that a roll-back never drops a site's own. */
const COMMENT = 'Reference schema of Recency';

// GROUPS is a reserved word of MySQL, so the table has another name.
const TABLES = {
  // last_public_at: the newest public photo of the pool, ms since 1970 UTC; 0: there is none.
  user_groups: `
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    name VARCHAR(100) NOT NULL DEFAULT '',
    last_public_at BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (id)`,

  // since: when the user joined, ms since 1970 UTC. The second index answers who is in a group from the index alone.
  memberships: `
    user_id BIGINT UNSIGNED NOT NULL,
    group_id BIGINT UNSIGNED NOT NULL,
    active BOOLEAN NOT NULL DEFAULT TRUE,
    version BIGINT UNSIGNED NOT NULL DEFAULT 1,
    since BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, group_id),
    KEY memberships_of_group (group_id, user_id, active, version)`,

  // audience: that of the photo, kept here so that an index has a group's photos by audience. added_at: ms since 1970 UTC.
  group_pools: `
    group_id BIGINT UNSIGNED NOT NULL,
    photo_id BIGINT UNSIGNED NOT NULL,
    audience TINYINT UNSIGNED NOT NULL,
    added_at BIGINT NOT NULL,
    PRIMARY KEY (group_id, photo_id),
    KEY group_pools_newest (group_id, audience, added_at, photo_id),
    KEY group_pools_of_photo (photo_id)`,
};

/** When the user made the contact one of theirs, ms since 1970 UTC; 0: before this was recorded. */
const SINCE = 'since BIGINT NOT NULL DEFAULT 0';

/** @param {Knex} knex */
export async function up(knex) {
  const options = `ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='${COMMENT}'`;
  for (const [name, columns] of Object.entries(TABLES)) {
    await knex.raw(`CREATE TABLE IF NOT EXISTS ${name} (${columns}) ${options}`);
  }
  if ((await wasMadeHere(knex, 'contacts')) && !(await knex.schema.hasColumn('contacts', 'since'))) {
    await knex.raw(`ALTER TABLE contacts ADD COLUMN ${SINCE}`);
  }
}

/** @param {Knex} knex */
export async function down(knex) {
  for (const name of Object.keys(TABLES).reverse()) {
    if (await wasMadeHere(knex, name)) await knex.raw(`DROP TABLE IF EXISTS ${name}`);
  }
  if ((await wasMadeHere(knex, 'contacts')) && (await knex.schema.hasColumn('contacts', 'since'))) {
    await knex.raw('ALTER TABLE contacts DROP COLUMN since');
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
