/** Checks of the MySQL server itself. */
import { isSupported, mysqlProductOf, OLDEST_VERSIONS, otherProductOf } from '../contracts/server-versions.ts';
import { fine, problem, type Verdict, warning } from '../health/finding.ts';
import type { Database } from '../mysql/database.ts';
import { type ReplicationSource, readReplicationSources } from '../mysql/replication.ts';
import { readServer, type ServerState, withoutRun } from '../mysql/server-record.ts';
import { findSessionProblems } from '../mysql/session.ts';

/** Sessions that are opened at once, so that a balancer or splitter shows the servers behind it. */
const SESSIONS = 6;

/** The servers that answer, each once. @throws DatabaseUnavailable */
export async function readServers(primary: Database): Promise<ServerState[]> {
  const states = await Promise.all(Array.from({ length: SESSIONS }, () => readServer(primary)));
  return [...new Map(states.map((state) => [withoutRun(state.identity), state])).values()];
}

export function primaryVerdict(servers: readonly ServerState[]): Verdict {
  const [server] = servers;
  if (server !== undefined && servers.length === 1) return serverVerdict(server);
  const names = servers.map(({ takesWrites, description }) => `${description}${takesWrites ? '' : ' (read_only)'}`);
  return problem(
    `several servers answer in turns: ${names.sort().join('; ')}`,
    'Recency needs one server that takes writes, and answers are only exact from that one: set RECENCY_MYSQL_URL to an ' +
      'address that leads to the primary alone, past any balancer or read/write splitter.',
  );
}

function serverVerdict({ takesWrites, isOnRecord, recorded, description }: ServerState): Verdict {
  if (!takesWrites) return problem('takes no writes (read_only)', 'Set RECENCY_MYSQL_URL to the primary.');
  if (isOnRecord)
    return fine(
      recorded === undefined
        ? `takes writes: ${description}`
        : `takes writes, and is the one on record: ${description}`,
    );
  return warning(
    `takes writes, and is not the one on record: ${description}`,
    'After a failover, a running process puts it on record within seconds, with a new epoch.',
  );
}

/** The session variables in effect, which the server's own settings must not decide. */
export async function sessionVerdict(primary: Database): Promise<Verdict> {
  const wrong = await findSessionProblems(primary);
  if (wrong.length === 0) return fine('every session variable that matters is as set up');
  return problem(
    `in effect despite the set-up: ${wrong.join(', ')}`,
    'Something between Recency and MySQL, such as a proxy, changes sessions: make it keep session variables, or connect without it.',
  );
}

export function durabilityVerdict({ isRelaxed }: ServerState): Verdict {
  if (!isRelaxed) return fine('every commit is flushed (innodb_flush_log_at_trx_commit is 1)');
  return warning(
    'innodb_flush_log_at_trx_commit is not 1: a crash loses commits, so each start of this server begins a new epoch',
    'Set it to 1 so that the indexes survive a restart of MySQL.',
  );
}

/** Whether the server receives rows from others. */
export async function replicationVerdict(primary: Database): Promise<Verdict> {
  return judgeReplication(await primary.transaction(readReplicationSources));
}

/** @param sources undefined: this account may not ask */
function judgeReplication(sources: readonly ReplicationSource[] | undefined): Verdict {
  if (sources === undefined) {
    return fine(
      'not known whether it receives rows from others: that needs REPLICATION CLIENT, on MariaDB REPLICA MONITOR',
    );
  }
  if (sources.length === 0) return fine('receives no rows from other servers');
  const [failed] = sources.filter(({ failure }) => failure !== undefined);
  if (failed !== undefined) {
    return problem(
      `the replication from ${failed.description} has stopped: ${failed.failure}`,
      'What the other server has committed since then is missing here, and answers are exact only about what this server has. ' +
        'Rebuild the other server from this one, or fix what stopped the replication and start it again.',
    );
  }
  const text = sources.map(
    ({ description, isBehind }) => `${description}${isBehind ? ' (not all of it is applied)' : ''}`,
  );
  return warning(
    `this server is a replica as well: it receives rows from ${text.join(', ')}`,
    'Rows of the outbox that arrive as published elsewhere are published once more. If this server was promoted, end its ' +
      'replication (RESET REPLICA ALL). In a pair of masters, let only one of them be written to.',
  );
}

export function versionVerdict(version: string): Verdict {
  const other = otherProductOf(version);
  if (other !== undefined) return problem(`${other} ${version}`, 'Recency needs MySQL or MariaDB itself.');
  const product = mysqlProductOf(version);
  const text = `${product} ${version}`;
  if (isSupported(product, version)) return fine(text);
  return problem(text, `Recency needs ${product} ${OLDEST_VERSIONS[product]} at least: upgrade it.`);
}
