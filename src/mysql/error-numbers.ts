/** What the error numbers of MySQL and MariaDB mean for the work that met them. */

/**
 * The cause of an error of MySQL or its client:
 * - `away`: the server is unavailable; the same work will succeed later
 * - `session`: this connection broke; the same work will succeed on another one
 * - `setup`: tables, views, columns or permissions are wrong; no work will succeed until a person fixes that
 * - `slow`: the answer took too long. Only another question can tell whether the server or the question is slow
 * - `row`: the content of a row, or what was asked; other work will succeed
 * - `unknown`: none of these
 */
export type MysqlFault = 'away' | 'session' | 'setup' | 'slow' | 'row' | 'unknown';

/** By error number; a number that both MySQL and MariaDB know means the same on both. */
export const SERVER: Readonly<Record<number, MysqlFault>> = {
  1020: 'away', // ER_CHECKREAD: lost to others too often
  1021: 'away', // ER_DISK_FULL
  1030: 'away', // ER_GET_ERRNO: the storage engine failed
  1037: 'away', // ER_OUTOFMEMORY
  1040: 'away', // ER_CON_COUNT_ERROR
  1041: 'away', // ER_OUT_OF_RESOURCES
  1047: 'away', // ER_UNKNOWN_COM_ERROR: what a Galera node says that is not in its cluster
  1053: 'away', // ER_SERVER_SHUTDOWN
  1077: 'away', // ER_NORMAL_SHUTDOWN
  1114: 'away', // ER_RECORD_FILE_FULL: no room for temporary tables
  1129: 'away', // ER_HOST_IS_BLOCKED
  1135: 'away', // ER_CANT_CREATE_THREAD
  1180: 'away', // ER_ERROR_DURING_COMMIT: what a Galera node says that has left its cluster before the commit
  1203: 'away', // ER_TOO_MANY_USER_CONNECTIONS
  1205: 'away', // ER_LOCK_WAIT_TIMEOUT: lost to others too often
  1206: 'away', // ER_LOCK_TABLE_FULL
  1213: 'away', // ER_LOCK_DEADLOCK: likewise
  1226: 'away', // ER_USER_LIMIT_REACHED
  1290: 'away', // ER_OPTION_PREVENTS_STATEMENT: read-only
  1317: 'away', // ER_QUERY_INTERRUPTED: by a person or a shutdown
  1467: 'away', // ER_AUTOINC_READ_FAILED: InnoDB gave the lock of the counter to others
  1461: 'away', // ER_MAX_PREPARED_STMT_COUNT_REACHED
  1792: 'away', // ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION
  1836: 'away', // ER_READ_ONLY_MODE
  1927: 'away', // ER_CONNECTION_KILLED (MariaDB)
  3032: 'away', // ER_SERVER_OFFLINE_MODE
  1158: 'session', // ER_NET_READ_ERROR
  1159: 'session', // ER_NET_READ_INTERRUPTED
  1160: 'session', // ER_NET_ERROR_ON_WRITE
  1161: 'session', // ER_NET_WRITE_INTERRUPTED
  1184: 'session', // ER_NEW_ABORTING_CONNECTION
  1243: 'session', // ER_UNKNOWN_STMT_HANDLER: another server is behind the connection now
  1615: 'session', // ER_NEED_REPREPARE
  4031: 'session', // ER_CLIENT_INTERACTION_TIMEOUT
  1044: 'setup', // ER_DBACCESS_DENIED_ERROR
  1046: 'setup', // ER_NO_DB_ERROR
  1049: 'setup', // ER_BAD_DB_ERROR
  1054: 'setup', // ER_BAD_FIELD_ERROR
  1064: 'setup', // ER_PARSE_ERROR
  1142: 'setup', // ER_TABLEACCESS_DENIED_ERROR
  1143: 'setup', // ER_COLUMNACCESS_DENIED_ERROR
  1146: 'setup', // ER_NO_SUCH_TABLE
  1194: 'setup', // ER_CRASHED_ON_USAGE
  1227: 'setup', // ER_SPECIFIC_ACCESS_DENIED_ERROR
  1267: 'setup', // ER_CANT_AGGREGATE_2COLLATIONS
  1305: 'setup', // ER_SP_DOES_NOT_EXIST
  1318: 'setup', // ER_SP_WRONG_NO_OF_ARGS
  1356: 'setup', // ER_VIEW_INVALID
  1370: 'setup', // ER_PROCACCESS_DENIED_ERROR
  1449: 'setup', // ER_NO_SUCH_USER: a view's definer is gone
  1812: 'setup', // ER_TABLESPACE_MISSING
  1820: 'setup', // ER_MUST_CHANGE_PASSWORD
  1932: 'setup', // ER_NO_SUCH_TABLE_IN_ENGINE (MariaDB)
  3159: 'setup', // ER_SECURE_TRANSPORT_REQUIRED
  3118: 'setup', // ER_ACCOUNT_HAS_BEEN_LOCKED
  4151: 'setup', // ER_ACCOUNT_HAS_BEEN_LOCKED (MariaDB)
  1969: 'slow', // ER_STATEMENT_TIMEOUT (MariaDB)
  3024: 'slow', // ER_QUERY_TIMEOUT (MySQL)
  1104: 'row', // ER_TOO_BIG_SELECT: more rows than max_join_size lets it read
  1139: 'row', // ER_REGEXP_ERROR
  1153: 'row', // ER_NET_PACKET_TOO_LARGE
  1172: 'row', // ER_TOO_MANY_ROWS: a function in a view reads more than one into a variable
  1644: 'row', // ER_SIGNAL_EXCEPTION: raised by a function in a view
  3140: 'row', // ER_INVALID_JSON_TEXT
  3141: 'row', // ER_INVALID_JSON_TEXT_IN_PARAM
  3143: 'row', // ER_INVALID_JSON_PATH
  3146: 'row', // ER_INVALID_TYPE_FOR_JSON
  3156: 'row', // ER_INVALID_JSON_VALUE_FOR_CAST
};

/**
 * By class of SQLSTATE, for numbers not listed above. Not 42, syntax or access: both servers have errors there that one row causes.
 */
const SQLSTATE: Readonly<Record<string, MysqlFault>> = {
  '08': 'session', // connection exception
  '21': 'row', // cardinality: 1242, a subquery of a view returns more than one row
  '22': 'row', // data: 1264, 1292, 1365, 1406, 1441, 1690, …
  '28': 'setup', // invalid authorization
  '3D': 'setup', // no database
  '40': 'away', // rolled back in favour of other transactions
};

/** @param sqlState five characters */
export function faultOfNumber(errno: number, sqlState: string): MysqlFault {
  return SERVER[errno] ?? SQLSTATE[sqlState.slice(0, 2)] ?? 'unknown';
}
