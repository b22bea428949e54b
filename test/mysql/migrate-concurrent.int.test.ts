import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createConnection } from 'mysql2/promise';
import { describe, expect, it } from 'vitest';
import { migrate, rollback, status } from '../../src/mysql/migrate.ts';
import { withSchemaLock } from '../../src/mysql/schema-connection.ts';
import { loadMigrations } from '../../src/mysql/schema-migrations.ts';
import { shortOrLong } from '../support/length.ts';
import { freshDatabase, sql } from '../support/servers.ts';
import { migratedDatabase } from '../support/stores.ts';
import { until } from '../support/until.ts';

const MODULE = new URL('../../src/mysql/migrate.ts', import.meta.url).href;

/** A process of its own that migrates. */
function migrateInProcess(url: string, call = 'migrate'): ChildProcess {
  const script = `import { ${call} } from ${JSON.stringify(MODULE)}; await ${call}({ url: ${JSON.stringify(url)} });`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
}

async function exitCode(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

async function objects(url: string): Promise<string[]> {
  const tables = 'SELECT TABLE_NAME AS name FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()';
  return (await sql(url, tables)).map((row) => String(row.name)).sort();
}

async function recorded(url: string): Promise<string[]> {
  return (await sql(url, 'SELECT name FROM recency_migrations ORDER BY name')).map((row) => String(row.name));
}

const ALL = (await loadMigrations()).map(({ name }) => name);

async function expectWhole(url: string): Promise<void> {
  const again = await migrate({ url });
  expect(await recorded(url)).toEqual(ALL);
  expect(again.views.map(({ origin }) => origin)).toEqual(['recency', 'recency']);
  expect(await objects(url)).toHaveLength(23);
  await expectNothingLeft(url);
}

async function expectNothingLeft(url: string): Promise<void> {
  await rollback({ url, all: true });
  expect(await objects(url)).toEqual([]);
}

describe('several processes at once', () => {
  it('apply each migration once', async () => {
    const url = await freshDatabase();
    const reports = await Promise.all(Array.from({ length: 4 }, () => migrate({ url })));
    expect(reports.flatMap(({ applied }) => applied)).toEqual(ALL);
    await expectWhole(url);
  });

  it('all end well, also when the database is missing and one of them is of another mode', async () => {
    const url = await freshDatabase();
    const children = [migrateInProcess(url), migrateInProcess(url)];
    const viewsOnly = migrate({ url, viewsOnly: true });
    expect(await Promise.all(children.map(exitCode))).toEqual([0, 0]);
    await viewsOnly;
    await expectWhole(url);
  });

  it('wait for one another only as long as they are told', async () => {
    const url = await freshDatabase();
    const connection = await createConnection(url);
    const other = await freshDatabase();
    await withSchemaLock(connection, new URL(url).pathname.slice(1), 1000, async () => {
      await expect(migrate({ url, lockWaitMs: 1 })).rejects.toMatchObject({ code: 'locked' });
      await expect(rollback({ url, lockWaitMs: 1 })).rejects.toMatchObject({ code: 'locked' });
      await migrate({ url: other, lockWaitMs: 1 });
    });
    await connection.end();
    await migrate({ url, lockWaitMs: 1 });
  });
});

/** In the order in which a migration makes, and a roll-back drops them. */
const BEING_MADE = ['recency_migrations_lock', 'recency_epoch', 'recency_outbox', 'contacts', 'recency_contacts'];
const BEING_DROPPED = ['recency_contacts', 'photos', 'contacts', 'recency_outbox', 'recency_settings'];

describe('a process that was killed', () => {
  it.each(shortOrLong(['recency_epoch', 'recency_contacts'], BEING_MADE))(
    'once it had made %s: the next one goes on',
    async (object) => {
      const url = await freshDatabase();
      const child = migrateInProcess(url);
      await until(async () => (await objects(url)).includes(object), { interval: 1 });
      child.kill('SIGKILL');
      await exitCode(child);
      await expectWhole(url);
    },
  );

  it.each(shortOrLong(['photos', 'recency_settings'], BEING_DROPPED))(
    'in a roll-back, once it had dropped %s: a migrate goes on, and so does a roll-back',
    async (object) => {
      for (const next of [expectWhole, expectNothingLeft]) {
        const url = await migratedDatabase();
        const child = migrateInProcess(url, 'rollback');
        await until(async () => !(await objects(url)).includes(object), { interval: 1 });
        child.kill('SIGKILL');
        await exitCode(child);
        await next(url);
      }
    },
  );

  it('in the middle of undoing one migration: the next one goes on', async () => {
    for (const next of [expectWhole, expectNothingLeft]) {
      const url = await migratedDatabase();
      const undoing = "UPDATE recency_migrations SET name = CONCAT('undoing ', name) WHERE name LIKE '0002%'";
      await sql(url, undoing, 'DROP VIEW recency_contacts, recency_photos', 'DROP TABLE photos');
      expect((await status({ url })).pending).toEqual(['0002_reference_tables']);
      await next(url);
    }
  });

  it("and left knex's lock set: it is cleared", async () => {
    const url = await freshDatabase();
    await migrate({ url, viewsOnly: true });
    await sql(url, 'UPDATE recency_migrations_lock SET is_locked = 1');
    expect((await migrate({ url })).applied).toEqual(['0002_reference_tables', '0006_reference_groups']);
    await sql(url, 'UPDATE recency_migrations_lock SET is_locked = 1');
    await expectWhole(url);
  });

  it('between a view and its mark: the view is known as made here', async () => {
    const url = await migratedDatabase();
    await sql(url, "UPDATE recency_settings SET value = 'being made' WHERE name LIKE 'view:%'");
    expect((await migrate({ url })).views.map(({ origin, made }) => [origin, made])).toEqual([
      ['recency', true],
      ['recency', true],
    ]);
    await expectWhole(url);
  });
});

it('a lock whose connection broke is an error, not a success', async () => {
  const url = await freshDatabase();
  const [holder, killer] = await Promise.all([createConnection(url), createConnection(url)]);
  const name = new URL(url).pathname.slice(1);
  const work = withSchemaLock(holder, name, 1000, () => killer.query(`KILL ${holder.threadId}`));
  await expect(work).rejects.toMatchObject({ code: 'lock_lost' });
  await killer.end();
});
