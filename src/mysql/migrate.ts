import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { Connection } from 'mysql2/promise';
import { CONTACTS, KINDS, type Kind } from '../contracts/kind.ts';
import {
  asSchemaError,
  checkServerVersion,
  connect,
  connectOrCreate,
  parseAddress,
  type SchemaAddress,
  withSchemaLock,
} from './schema-connection.ts';
import {
  type AppliedMigration,
  applyMigrations,
  loadMigrations,
  openKnex,
  readApplied,
  refuseNewerSchema,
  undoMigrations,
} from './schema-migrations.ts';
import {
  dropViews,
  makeViews,
  readObjects,
  refuseForeignTables,
  reportViews,
  siteTables,
  type ViewReport,
} from './schema-views.ts';
import type { MysqlTls } from './tls.ts';

interface SchemaOptions {
  /** The kinds in use, whose views are made or reported; default: contacts. */
  readonly kinds?: readonly Kind[];
  /** mysql://user:password@host:port/database */
  readonly url: string;
  /** The longest wait for another process that changes the schema, ms; default 60,000. */
  readonly lockWaitMs?: number;
  /** The time limit of connecting, ms; default 10,000. */
  readonly connectTimeoutMs?: number;
  /** Undefined: no encryption. */
  readonly tls?: MysqlTls | undefined;
}

interface MigrateOptions extends SchemaOptions {
  /** Only what Recency itself needs; a site's own tables and views are left alone. */
  readonly viewsOnly?: boolean;
}

interface RollbackOptions extends SchemaOptions {
  /** Undo everything, not only what the last migrate applied. */
  readonly all?: boolean;
}

export interface MigrateReport {
  readonly database: string;
  /** The server's version, in its own words. */
  readonly server: string;
  readonly databaseCreated: boolean;
  /** Names of the migrations that this run applied. */
  readonly applied: readonly string[];
  /** A site's own tables with names of the reference schema, which were left alone. */
  readonly siteTables: readonly string[];
  readonly views: readonly ViewReport[];
}

/**
 * Brings the schema up to date: the reference schema with its views, or only what Recency itself needs. Two processes
 * may run it at once, and it may run again after one was killed.
 * @throws SchemaError
 */
export async function migrate(options: MigrateOptions): Promise<MigrateReport> {
  const address = parseAddress(options.url, options.tls);
  const { connection, created } = await connectOrCreate(address, options.connectTimeoutMs ?? 10_000);
  return await locked(options, address, connection, async (knex) => {
    const server = await checkServerVersion(connection);
    const known = await loadMigrations();
    refuseNewerSchema(await readApplied(knex), known);
    if (!options.viewsOnly) refuseForeignTables(await readObjects(knex));
    const applied = await applyMigrations(knex, known.filter(wanted(options)));
    await restoreEpoch(knex);
    const views = await makeViews(knex, options.kinds ?? [CONTACTS]);
    const objects = await readObjects(knex);
    const { database } = address;
    return { database, server, databaseCreated: created, applied, siteTables: siteTables(objects), views };
  });
}

/** Somebody may have emptied the table. The new epoch is another one: nothing is known of the indexes of the one before. */
async function restoreEpoch(knex: Knex): Promise<void> {
  const epoch = [randomBytes(8).toString('base64url'), 'recency_epoch was empty', Date.now()];
  await knex.raw('INSERT IGNORE INTO recency_epoch (only_row, token, why, bumped_at) VALUES (1, ?, ?, ?)', epoch);
}

function wanted({ viewsOnly = false }: MigrateOptions) {
  return ({ part }: { readonly part: string }) => part === 'recency' || !viewsOnly;
}

export interface RollbackReport {
  readonly database: string;
  /** Names of the migrations undone, the last applied first. */
  readonly undone: readonly string[];
  readonly viewsDropped: readonly string[];
}

/**
 * Undoes what the last migrate applied (or everything): drops what was created, with its data. A site's own tables and
 * views stay.
 * @throws SchemaError
 */
export async function rollback(options: RollbackOptions): Promise<RollbackReport> {
  const address = parseAddress(options.url, options.tls);
  const connection = await connect(address, options.connectTimeoutMs ?? 10_000);
  return await locked(options, address, connection, async (knex) => {
    const known = await loadMigrations();
    refuseNewerSchema(await readApplied(knex), known);
    const dropped = await dropViews(knex);
    const undone = await undoMigrations(knex, known, options.all ?? false);
    const left = await viewsLeft(knex, dropped);
    return { database: address.database, undone, viewsDropped: dropped.filter((name) => !left.includes(name)) };
  });
}

/** If Recency's own tables are left, the views that are still possible are created again. */
async function viewsLeft(knex: Knex, dropped: readonly string[]): Promise<string[]> {
  if (!(await readObjects(knex)).tables.has('recency_settings')) return [];
  const kinds = KINDS.filter(({ view, photosView }) => dropped.includes(view) || dropped.includes(photosView));
  return (await makeViews(knex, kinds)).filter(({ origin }) => origin === 'recency').map(({ name }) => name);
}

export interface StatusReport {
  readonly database: string;
  readonly server: string;
  readonly applied: readonly AppliedMigration[];
  /** Migrations that a full migrate would apply. */
  readonly pending: readonly string[];
  readonly siteTables: readonly string[];
  readonly views: readonly ViewReport[];
}

/**
 * What is applied and what is pending. Changes nothing, and does not wait for the lock.
 * @throws SchemaError
 */
export async function status(options: SchemaOptions): Promise<StatusReport> {
  const address = parseAddress(options.url, options.tls);
  const connection = await connect(address, options.connectTimeoutMs ?? 10_000);
  return await opened(options, address, connection, async (knex) => {
    const server = await checkServerVersion(connection);
    const applied = await readApplied(knex);
    const pending = (await loadMigrations()).map(({ name }) => name).filter((name) => !isIn(applied, name));
    const objects = await readObjects(knex);
    const views = await reportViews(knex, options.kinds ?? [CONTACTS]);
    return { database: address.database, server, applied, pending, siteTables: siteTables(objects), views };
  });
}

function isIn(applied: readonly AppliedMigration[], name: string): boolean {
  return applied.some((migration) => migration.name === name);
}

type SchemaWork<T> = (knex: Knex) => Promise<T>;

function locked<T>(
  options: SchemaOptions,
  address: SchemaAddress,
  connection: Connection,
  work: SchemaWork<T>,
): Promise<T> {
  return opened(options, address, connection, (knex) =>
    withSchemaLock(connection, address.database, options.lockWaitMs ?? 60_000, () => work(knex)),
  );
}

async function opened<T>(
  { connectTimeoutMs = 10_000 }: SchemaOptions,
  address: SchemaAddress,
  connection: Connection,
  work: SchemaWork<T>,
): Promise<T> {
  const knex = openKnex(address.url, connectTimeoutMs, address.tls);
  try {
    return await work(knex);
  } catch (error) {
    throw asSchemaError(error, address.user, address.database);
  } finally {
    await knex.destroy();
    connection.destroy();
  }
}
