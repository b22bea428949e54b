import { StartError } from '../../config/start-error.ts';
import { type DevServers, originOf, productAndVersion, startDevServers } from '../devservers/devservers.ts';
import type { ServerFacts } from '../devservers/server.ts';
import type { TransportName } from './namespace.ts';

export interface Servers {
  readonly stack: DevServers;
  readonly transport: TransportName;
  /** Why Redis Streams are used although Kafka was preferred; undefined if nothing is missing. */
  readonly missing: string | undefined;
}

/** How the reference site's changes become tasks: it writes them, or they are captured from the binary log. */
export type Feed = 'outbox' | 'capture';

/** The binary log as capture needs it. Later arguments win: the servers here have none. MariaDB reads what only MySQL knows as a hint. */
const LOGGED = [
  ...['--server-id=7', '--log-bin=binlog', '--binlog-format=ROW'],
  ...['--loose-gtid-mode=ON', '--loose-enforce-gtid-consistency=ON'],
];

export interface ServerChoice {
  /** Undefined: Kafka if a broker is available, otherwise streams. */
  readonly transport: TransportName | undefined;
  /** Whether missing server programs may be installed. */
  readonly install: boolean;
  /** Default: outbox. */
  readonly feed?: Feed;
}

/**
 * Uses the servers of the environment, or starts them.
 * @throws StartError naming each missing server; with CI=true or `--transport kafka` that includes the broker
 */
export async function startServers({ transport, install, feed }: ServerChoice): Promise<Servers> {
  const mysqlArgs = feed === 'capture' ? LOGGED : [];
  const stack = await startDevServers({ kafka: transport !== 'streams', install, mysqlArgs }).catch((error: Error) => {
    throw new StartError(error.message, { cause: error });
  });
  if (stack.kafkaBrokers !== null || transport === 'streams') {
    return { stack, transport: transport ?? 'kafka', missing: undefined };
  }
  const missing = stack.missing.map(({ reason }) => reason).join('; ');
  if (transport === undefined) return { stack, transport: 'streams', missing };
  await stack.stop();
  throw new StartError(missing);
}

/** For example `MariaDB 10.11.14 (program mariadbd), Redis 8.2.1 (container redis:8)`. */
export function describeServers({ stack }: Servers): string {
  const describe = (server: ServerFacts) => `${productAndVersion(server)} ${originOf(server)}`;
  return stack.parts.map(describe).join(', ');
}

/** For example `MariaDB 10.11.14`. */
export function versionOf({ stack }: Servers, name: 'mysql' | 'redis'): string {
  const part = stack.parts.find((one) => one.name === name);
  return part === undefined ? '' : productAndVersion(part);
}
