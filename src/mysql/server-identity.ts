import { createHash } from 'node:crypto';
import type { Database } from './database.ts';
import type { ServerIdentity } from './epoch.ts';

const VARIABLES = `
  SHOW VARIABLES WHERE Variable_name IN ('server_uuid', 'server_uid', 'hostname', 'port', 'datadir', 'server_id', 'version')`;

/**
 * Which MySQL server this is: the same after a restart, another after a failover or a restore on another machine. A
 * restore in place cannot be seen this way.
 *
 * MySQL has a UUID in its data directory. MariaDB has none, so it is known by where it runs; there a server that moves
 * counts as another one, which costs a rebuild of the indexes and is never wrong.
 * @throws DatabaseUnavailable
 */
export async function readServerIdentity(database: Database): Promise<ServerIdentity> {
  const rows = await database.rows(VARIABLES, []);
  const variables = new Map(rows.map(([name, value]) => [String(name), String(value ?? '')]));
  const of = (name: string) => variables.get(name) ?? '';
  const description = `${of('version')} at ${of('hostname')}:${of('port')}`;
  if (of('server_uuid') !== '') return { identity: `uuid:${of('server_uuid')}`, description };
  const place = ['hostname', 'port', 'datadir', 'server_id', 'server_uid'].map(of).join('\n');
  return { identity: `place:${createHash('sha256').update(place).digest('base64url')}`, description };
}
