import { randomBytes } from 'node:crypto';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import type { TestProject } from 'vitest/node';
import { type DevServers, startDevServers } from '../../src/tools/devservers/devservers.ts';
import { readSchemaTexts, type SchemaTexts } from './schema-copies.ts';

interface SharedServers {
  readonly servers: DevServers;
  readonly databasePrefix: string;
  readonly schemaTexts: SchemaTexts;
}

/** The projects of a run each load this module, and share what is kept under this name. */
const SHARED = Symbol.for('recency.tests.servers');
const run = globalThis as { [SHARED]?: { readonly servers: Promise<SharedServers>; projects: number } };

/** Starts the servers once for the whole run; every test file gets their addresses by `inject`. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  run[SHARED] ??= { servers: start(), projects: 0 };
  const shared = run[SHARED];
  shared.projects += 1;
  const { servers, databasePrefix, schemaTexts } = await shared.servers;
  project.provide('mysqlUrl', servers.mysqlUrl);
  project.provide('redisUrl', servers.redisUrl);
  project.provide('kafkaBrokers', servers.kafkaBrokers);
  project.provide('databasePrefix', databasePrefix);
  project.provide('schemaTexts', schemaTexts);
  return async () => {
    shared.projects -= 1;
    if (shared.projects === 0) await end(await shared.servers);
  };
}

async function start(): Promise<SharedServers> {
  const servers = await startDevServers({ install: true, log: (line) => console.log(line) });
  sayMissing(servers);
  const databasePrefix = `t${randomBytes(3).toString('hex')}_`;
  return { servers, databasePrefix, schemaTexts: await readSchemaTexts(servers.mysqlUrl, databasePrefix) };
}

async function end({ servers, databasePrefix }: SharedServers): Promise<void> {
  if (isGiven(servers)) await dropDatabases(servers.mysqlUrl, databasePrefix);
  await servers.stop();
  sayMissing(servers);
}

function sayMissing({ missing }: DevServers): void {
  for (const { reason } of missing) console.log(`Its tests are left out: ${reason}`);
}

/** Whether the MySQL server was there before the run, and stays. */
function isGiven({ parts }: DevServers): boolean {
  return parts.some(({ name, origin }) => name === 'mysql' && origin === 'given');
}

async function dropDatabases(server: string, prefix: string): Promise<void> {
  const connection = await createConnection(server);
  try {
    const [rows] = await connection.query<RowDataPacket[]>(
      'SELECT SCHEMA_NAME AS name FROM information_schema.SCHEMATA WHERE LEFT(SCHEMA_NAME, CHAR_LENGTH(?)) = ?',
      [prefix, prefix],
    );
    for (const { name } of rows) await connection.query('DROP DATABASE ??', [name]);
  } finally {
    await connection.end();
  }
}
