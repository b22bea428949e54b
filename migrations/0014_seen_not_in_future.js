// @ts-check

/** @import { Knex } from 'knex' */

/** What Recency itself needs. */
export const part = 'recency';

// Marks in the future, which `through` of an answer with a photo dated in the future could leave behind: everything until then
// would count as seen. They are found without locks, and set to the present one by one.
const AHEAD = `
  SELECT user_id, kind, source_id FROM recency_seen WHERE seen_at > UNIX_TIMESTAMP() * 1000`;

const HEAL = `
  UPDATE recency_seen SET seen_at = UNIX_TIMESTAMP() * 1000
  WHERE user_id = ? AND kind = ? AND source_id = ? AND seen_at > UNIX_TIMESTAMP() * 1000`;

/** @param {Knex} knex */
export async function up(knex) {
  const [rows] = await knex.raw(AHEAD);
  for (const { user_id, kind, source_id } of rows) await knex.raw(HEAL, [String(user_id), kind, String(source_id)]);
}

/** The marks as they were are not known any more. */
export async function down() {}
