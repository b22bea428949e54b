/** What to do about errors with which a server that answers refuses its work, by their number: see `SERVER` in error-numbers.ts. */

const LOCKS = 'Look for transactions that hold locks for long: SHOW ENGINE INNODB STATUS.';
const MEMORY = 'The server lacks memory: its error log says more.';
const STOPPED = 'The server is shutting down: start it again.';
const LEFT_CLUSTER = 'This node is not in its cluster: look at its wsrep_cluster_status.';
const CONNECTIONS = 'Lower RECENCY_MYSQL_CONNECTIONS, or raise';
const READ_ONLY = 'The server is read-only: set RECENCY_MYSQL_URL to the primary.';
const AGAIN = 'Others changed the same rows; another attempt may succeed.';

const REMEDIES: Readonly<Record<number, string>> = {
  1020: AGAIN,
  1021: 'Free space on the disk of the server.',
  1030: 'The storage engine failed: the error log of the server says more.',
  1037: MEMORY,
  1040: `${CONNECTIONS} max_connections on the server.`,
  1041: MEMORY,
  1047: LEFT_CLUSTER,
  1053: STOPPED,
  1077: STOPPED,
  1114: 'There is no room for temporary tables: free space on the disk of the server.',
  1129: 'The server blocks this host after many broken connections: FLUSH HOSTS on the server, and find what breaks them.',
  1135: 'The server cannot begin another thread: its error log says more.',
  1180: LEFT_CLUSTER,
  1203: `${CONNECTIONS} max_user_connections on the server.`,
  1205: LOCKS,
  1206: 'InnoDB has no room for more locks: raise innodb_buffer_pool_size.',
  1213: LOCKS,
  1226: `${CONNECTIONS} the limits of the account (ALTER USER … WITH).`,
  1290: READ_ONLY,
  1317: 'A person or a shutdown ended the statement (KILL).',
  1461: 'Raise max_prepared_stmt_count on the server: each connection of Recency keeps up to 100 statements.',
  1467: AGAIN,
  1792: READ_ONLY,
  1836: READ_ONLY,
  1927: 'A person or a program ended the connection (KILL).',
  3032: 'The server is offline for clients: SET GLOBAL offline_mode = OFF.',
};

/** @returns what to do; undefined: the error, or its cause, is not the refusal of a server */
export function refusalRemedy(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const remedy = 'sqlState' in error && 'errno' in error ? REMEDIES[Number(error.errno)] : undefined;
  return remedy ?? refusalRemedy(error.cause);
}
