// @ts-check

/** @import { Knex } from 'knex' */

/** What Recency itself needs. */
export const part = 'recency';

// Columns of the outbox that no site writes.
//   due_at      ms since 1970 UTC by MySQL's clock; 0 in every new row. Later: a row that was put back, because its
//               partition did not take it or because it is to be published again; or a re-check.
//   attempt     how often publishing the row failed; of a re-check, which look at its pair it is, from 1.
//   is_recheck  the row waits for a change that a task told of before its commit. Consumers look again; relays leave it.
//   refused     why the row was set aside: neither the transport nor the dead letters take it.
const COLUMNS = `
  ADD COLUMN due_at BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN attempt SMALLINT UNSIGNED NOT NULL DEFAULT 0,
  ADD COLUMN is_recheck BOOLEAN NOT NULL DEFAULT FALSE,
  ADD COLUMN refused VARCHAR(500) NULL`;

// One index, under its old name so that a relay of the version before still finds it: for the relays (new rows in the
// order of their ids, then what was put back as it becomes due), the consumers (re-checks that are due), the lag and
// the deletion of old rows.
const INDEX = 'recency_outbox_published';

/** @param {Knex} knex */
export async function up(knex) {
  if (await knex.schema.hasColumn('recency_outbox', 'is_recheck')) return;
  // One statement, which both servers do wholly or not at all.
  await knex.raw(
    `ALTER TABLE recency_outbox ${COLUMNS},
       DROP KEY ${INDEX}, ADD KEY ${INDEX} (published_at, is_recheck, due_at, id)`,
  );
}

/** @param {Knex} knex */
export async function down(knex) {
  if (!(await knex.schema.hasColumn('recency_outbox', 'is_recheck'))) return;
  // A re-check that waits is a task like any other to a relay that knows of no due time.
  await knex.raw(
    `ALTER TABLE recency_outbox
       DROP KEY ${INDEX}, ADD KEY ${INDEX} (published_at, id),
       DROP COLUMN due_at, DROP COLUMN attempt, DROP COLUMN is_recheck, DROP COLUMN refused`,
  );
}
