/** What a server receives by replication from others (apart from a cluster's own: Galera, Group Replication). */
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { codeOf } from './faults.ts';

/** One server that this one receives rows from. */
export interface ReplicationSource {
  /** Address, for people. */
  readonly description: string;
  /** What is received is applied, or will be: the applier has not been stopped. */
  readonly isApplying: boolean;
  /** Something is received and not applied. */
  readonly isBehind: boolean;
  /** Why the applier has stopped; undefined: it has not, or was told to. */
  readonly failure: string | undefined;
}

/** MariaDB; MySQL; MySQL before 8.0.22. */
const STATEMENTS = ['SHOW ALL REPLICAS STATUS', 'SHOW REPLICA STATUS', 'SHOW SLAVE STATUS'];

const UNKNOWN_STATEMENT = 'ER_PARSE_ERROR';
const DENIED = new Set(['ER_SPECIFIC_ACCESS_DENIED_ERROR', 'ER_ACCESS_DENIED_ERROR']);

/**
 * @returns undefined: this account may not ask (REPLICATION CLIENT on MySQL, REPLICA MONITOR on MariaDB)
 * @throws errors of the server or the driver
 */
export async function readReplicationSources(
  connection: Connection,
): Promise<readonly ReplicationSource[] | undefined> {
  for (const statement of STATEMENTS) {
    try {
      const [rows] = await connection.query<RowDataPacket[]>(statement);
      return rows.map(inNewWords).filter(isServer).map(sourceOf);
    } catch (error) {
      const code = codeOf(error);
      if (DENIED.has(code)) return undefined;
      if (code !== UNKNOWN_STATEMENT) throw error;
    }
  }
  return undefined;
}

type ReplicationStatus = Readonly<Record<string, string>>;

/** The servers' older names of the columns say master and slave. */
function inNewWords(row: RowDataPacket): ReplicationStatus {
  const columns = Object.entries(row).map(([name, value]) => [
    name.replaceAll('Master', 'Source').replaceAll('Slave', 'Replica'),
    String(value ?? ''),
  ]);
  return Object.fromEntries(columns);
}

/** The channels of Group Replication name no host. */
function isServer({ Source_Host: host = '' }: ReplicationStatus): boolean {
  return host !== '' && host !== '<NULL>';
}

function sourceOf(status: ReplicationStatus): ReplicationSource {
  const { Source_Host: host, Source_Port: port, Replica_SQL_Running: isRunning, Last_SQL_Error: error = '' } = status;
  const isSame = (received: string, applied: string) => status[received] === status[applied];
  return {
    description: `${host}:${port}`,
    isApplying: isRunning === 'Yes',
    isBehind: !(
      isSame('Source_Log_File', 'Relay_Source_Log_File') && isSame('Read_Source_Log_Pos', 'Exec_Source_Log_Pos')
    ),
    failure: isRunning === 'Yes' || error === '' ? undefined : error,
  };
}
