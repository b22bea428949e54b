import type { Config } from '../config/config.ts';
import { ServerAway, StartError, tlsStartError } from '../config/start-error.ts';
import { tlsMaterial } from '../config/tls.ts';
import { Database, type DatabaseOptions, DatabaseUnavailable } from '../mysql/database.ts';
import { refusalRemedy } from '../mysql/refusals.ts';
import { ReplicaWaits } from '../mysql/replica-waits.ts';
import type { MysqlTls } from '../mysql/tls.ts';
import { retry } from '../timing/loop.ts';
import type { ProcessContext } from './run-process.ts';

export interface OpenMysqlOptions {
  /** Time for each call beyond MYSQL_TIMEOUT_MS, ms: for a transaction that waits for something else. */
  readonly extraMs?: number;
  readonly connections?: number;
  /** Budget of heavy queries to share; left out: a new one. */
  readonly heavy?: Database['heavy'];
  /** Let heavy queries wait for their turn as long as one that takes MYSQL_BUILD_TIMEOUT_MS: no client waits for them. */
  readonly isPatient?: boolean | undefined;
  /** Class of the database (Database). */
  readonly Database?: typeof Database;
}

/** Opens the primary. It connects with the first statement: see {@link untilMysqlAnswers}. */
export function openPrimary(config: Config, options: OpenMysqlOptions = {}): Database {
  return open(config.mysqlUrl, config, options);
}

/** Opens the replica that the API reads. */
export function openReplica(config: Config, url: string, primary: Database): Database {
  return open(url, config, { heavy: primary.heavy, replicaOf: primary });
}

function open(url: string, config: Config, options: OpenMysqlOptions & Pick<DatabaseOptions, 'replicaOf'>): Database {
  const { extraMs = 0, connections = config.mysqlConnections, Database: Class = Database, replicaOf } = options;
  const { mysqlQueue: queue, mysqlTimeoutMs, plainConcurrency: concurrency, plainQueue } = config;
  const deadlineMs = mysqlTimeoutMs + extraMs;
  const waitMs = options.isPatient ? mysqlTimeoutMs + config.mysqlBuildTimeoutMs : deadlineMs;
  const { heavy = { concurrency, queue: plainQueue, waitMs } } = options;
  const tls = mysqlTls(config);
  return new Class(url, { connections, queue, deadlineMs, heavy, tls, ...(replicaOf ? { replicaOf } : {}) });
}

/** Has a database closed with the resources of a process; what waits for it is given up when the process is late in ending. */
export function adoptDatabase(
  { resources, late }: Pick<ProcessContext, 'resources'> & Partial<Pick<ProcessContext, 'late'>>,
  database: Database,
): Database {
  late?.addEventListener('abort', () => database.giveUp(), { once: true });
  return resources.adopt(database, (opened) => opened.close());
}

/** The parts of a MySQL URL, for messages. */
export function mysqlAddress(url: string): { server: string; user: string; database: string } {
  const { hostname, port, username, pathname } = new URL(url);
  const text = decodeURIComponent;
  return { server: `${hostname}:${port || 3306}`, user: text(username), database: text(pathname.slice(1)) };
}

const BETWEEN_TRIES_MS = 250;

/**
 * Waits until MySQL answers, at most `timeoutMs`.
 * @param setting the setting that the URL comes from, for messages
 * @throws StartError with the reason: at once for a wrong password or a missing database
 */
export async function untilMysqlAnswers(
  database: Database,
  { url, setting, timeoutMs, signal }: { url: string; setting: string; timeoutMs: number; signal: AbortSignal },
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  const onFailure = (error: unknown) => {
    if (!(error instanceof DatabaseUnavailable) || performance.now() > deadline) throw explain(error, url, setting);
    return BETWEEN_TRIES_MS;
  };
  await retry(() => database.rows('SELECT 1', []), { signal, onFailure });
}

function explain(error: unknown, url: string, setting: string): unknown {
  const { server, user, database } = mysqlAddress(url);
  const refused = (message: string) => new StartError(message, { cause: error });
  const isSaidByServer = error instanceof Error && 'sqlState' in error;
  const tlsError = isSaidByServer ? undefined : tlsStartError(error, { kind: 'MySQL', address: server, setting });
  if (tlsError !== undefined) return tlsError;
  if (error instanceof DatabaseUnavailable) {
    const reason = error.message.replace(/^MySQL is not available: /, '');
    const remedy = refusalRemedy(error);
    const message =
      remedy === undefined
        ? `No MySQL answers at ${server} (${reason}). Start it, or set ${setting} to its address.`
        : `MySQL at ${server} refuses work now (${reason}). ${remedy}`;
    return new ServerAway(message, { cause: error });
  }
  switch (error instanceof Error && 'code' in error ? error.code : '') {
    case 'ER_ACCESS_DENIED_ERROR':
      return refused(
        `MySQL at ${server} refuses user "${user}": wrong user or password, or it requires TLS or a client certificate. Fix ${setting}, or set RECENCY_MYSQL_TLS, …_CERT and …_KEY.`,
      );
    case 'ER_SECURE_TRANSPORT_REQUIRED':
      return refused(`MySQL at ${server} refuses connections without TLS. Set RECENCY_MYSQL_TLS to on.`);
    case 'ER_BAD_DB_ERROR':
      return refused(`MySQL at ${server} has no database "${database}". Run \`recency migrate\`, or fix ${setting}.`);
    case 'ER_DBACCESS_DENIED_ERROR':
      return refused(
        `MySQL at ${server} does not allow user "${user}" to use "${database}". Grant access, or fix ${setting}.`,
      );
    default:
      return error;
  }
}

/** TLS of the primary and the replica; undefined: none. */
export function mysqlTls({
  mysqlTls: mode,
  mysqlTlsCa: ca,
  mysqlTlsCert: cert,
  mysqlTlsKey: key,
}: Config): MysqlTls | undefined {
  if (mode === 'off') return undefined;
  return { verify: mode === 'on', material: tlsMaterial({ ca, cert, key }) };
}

/**
 * Waits for the replica take at most half of its connections, and each at most half of the time that a statement may take:
 * otherwise the statement would be late, and nobody would ask the primary. Its first fault is logged, all are counted.
 */
export function openReplicaWaits(
  { config, logger }: Pick<ProcessContext, 'config' | 'logger'>,
  replica: Database,
): ReplicaWaits {
  let isLogged = false;
  return new ReplicaWaits(replica, {
    waitMs: Math.min(config.mysqlReplicaWaitMs, config.mysqlTimeoutMs / 2),
    atOnce: Math.floor(config.mysqlConnections / 2),
    onFault: (err) => {
      logger[isLogged ? 'debug' : 'warn']({ err }, 'the replica cannot say which GTIDs it has; the primary answers');
      isLogged = true;
    },
  });
}
