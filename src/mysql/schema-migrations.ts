import { readdir } from 'node:fs/promises';
import knexOf, { type Knex } from 'knex';
import type { Connection } from 'mysql2';
import { SchemaError } from './schema-connection.ts';
import { setUpSession } from './session.ts';
import { type MysqlTls, tlsOptions } from './tls.ts';

/** One file of `migrations/`: plain JavaScript, because Node does not strip types inside node_modules. */
interface Migration {
  readonly name: string;
  /** `recency`: what Recency itself needs. `reference`: tables that a site may have of its own. */
  readonly part: 'recency' | 'reference';
  up(knex: Knex): Promise<void>;
  down(knex: Knex): Promise<void>;
}

export interface AppliedMigration {
  readonly name: string;
  readonly batch: number;
}

/** The same folder from `src/mysql` and from `dist/mysql`. */
const DIRECTORY = new URL('../../migrations/', import.meta.url);
const TABLE = 'recency_migrations';

/** All migrations of this version, in order. */
export async function loadMigrations(): Promise<Migration[]> {
  const files = (await readdir(DIRECTORY)).filter((file) => /^\d{4}_\w+\.js$/.test(file)).sort();
  return await Promise.all(
    files.map(async (file) => ({ ...(await import(new URL(file, DIRECTORY).href)), name: file.replace(/\.js$/, '') })),
  );
}

/** At most two connections; close with `destroy()`. knex's log is silent, because everything it logs is thrown too. */
export function openKnex(url: string, connectTimeoutMs: number, tls?: MysqlTls): Knex {
  const silent = () => undefined;
  return knexOf({
    client: 'mysql2',
    connection: {
      uri: url,
      connectTimeout: connectTimeoutMs,
      charset: 'utf8mb4',
      ...tlsOptions(tls),
    } as Knex.MySql2ConnectionConfig,
    pool: {
      min: 0,
      max: 2,
      afterCreate: (connection: Connection, done: (error: unknown, connection: Connection) => void) => {
        setUpSession(connection.promise(), { statementMs: 0 }).then(
          () => done(undefined, connection),
          (error: unknown) => done(error, connection),
        );
      },
    },
    log: { warn: silent, error: silent, debug: silent, deprecate: silent },
  });
}

/**
 * Applies the migrations that are not applied yet. Call it only under the schema's lock: a knex lock that is still set
 * then belongs to a killed process, and is cleared. A migration whose rollback was interrupted is applied again.
 */
export async function applyMigrations(knex: Knex, migrations: readonly Migration[]): Promise<string[]> {
  const config = configOf(migrations);
  await knex.migrate.forceFreeMigrationsLock(config);
  if (await knex.schema.hasTable(TABLE)) await knex.raw(FORGET_UNDOING);
  const [, applied] = await knex.migrate.latest(config);
  return applied;
}

/**
 * Undoes the last batch, or all; only under the schema's lock. An interrupted rollback is begun again. Returns the
 * names in the order in which they were undone.
 */
export async function undoMigrations(knex: Knex, migrations: readonly Migration[], all: boolean): Promise<string[]> {
  const config = configOf(migrations);
  await knex.migrate.forceFreeMigrationsLock(config);
  if (await knex.schema.hasTable(TABLE)) await knex.raw(RESUME_UNDOING);
  const each = (statement: string) => async (_: unknown, migrations: unknown[]) => {
    for (const migration of migrations) await knex.raw(statement, [(migration as Migration).name]);
  };
  const hooks = { beforeEach: each(MARK_UNDOING), afterEach: each(UNDONE) };
  const [, undone] = await knex.migrate.rollback({ ...config, ...hooks }, all);
  if ((await readApplied(knex)).length === 0) await knex.raw(`DROP TABLE IF EXISTS ${TABLE}, ${TABLE}_lock`);
  return undone;
}

// knex forgets a migration after its `down`. An interrupted one would still count as applied with half its tables gone,
// so it is marked before.
const MARK_UNDOING = `UPDATE ${TABLE} SET name = CONCAT('undoing ', name) WHERE name = ?`;
const UNDONE = `DELETE FROM ${TABLE} WHERE name = CONCAT('undoing ', ?)`;
const RESUME_UNDOING = `UPDATE ${TABLE} SET name = SUBSTRING(name, 9) WHERE name LIKE 'undoing %'`;
const FORGET_UNDOING = `DELETE FROM ${TABLE} WHERE name LIKE 'undoing %'`;

/** The applied migrations, oldest first, without those being undone; empty when there is no table. Changes nothing. */
export async function readApplied(knex: Knex): Promise<AppliedMigration[]> {
  if (!(await knex.schema.hasTable(TABLE))) return [];
  return await knex.select('name', 'batch').from(TABLE).whereNot('name', 'like', 'undoing %').orderBy('id');
}

/** @throws SchemaError newer_schema: the database has migrations that this version does not know */
export function refuseNewerSchema(applied: readonly AppliedMigration[], known: readonly Migration[]): void {
  const unknown = applied.filter(({ name }) => !known.some((migration) => migration.name === name));
  if (unknown.length === 0) return;
  const names = unknown.map(({ name }) => name).join(', ');
  throw new SchemaError(
    'newer_schema',
    `The database was migrated by a newer Recency (${names}). Use that version, or roll back with it first.`,
  );
}

// MySQL commits around every CREATE and DROP, so a transaction would not help. Instead, each migration can run again
// after an interruption.
function configOf(migrations: readonly Migration[]): Knex.MigratorConfig {
  return {
    tableName: TABLE,
    disableTransactions: true,
    disableMigrationsListValidation: true,
    migrationSource: {
      getMigrations: async () => [...migrations],
      getMigrationName: (migration: Migration) => migration.name,
      getMigration: async (migration: Migration) => migration,
    },
  };
}
