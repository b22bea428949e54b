import { readFileSync } from 'node:fs';
import type { ServerName, StackFrom } from './server.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The setting that gives a server's address. */
export const SETTING: Readonly<Record<ServerName, string>> = {
  mysql: 'RECENCY_MYSQL_URL',
  redis: 'RECENCY_REDIS_URL',
  kafka: 'RECENCY_KAFKA_BROKERS',
};

/** The address that the environment gives for a server, itself or in a file (`…_FILE`). */
export function givenAddress(name: ServerName, environment: Environment): string | undefined {
  const file = environment[`${SETTING[name]}_FILE`];
  const address = environment[SETTING[name]] ?? (file ? readFileSync(file, 'utf8') : undefined);
  return address?.trim() || undefined;
}

/** `STACK_FROM=containers|programs` forces one origin. It is no setting of Recency's, so it has no `RECENCY_`. */
export function forcedOrigin(environment: Environment): StackFrom | undefined {
  const from = environment.STACK_FROM;
  if (!from) return undefined;
  if (from === 'containers' || from === 'programs') return from;
  throw new Error(`STACK_FROM is "${from}": it must be "containers" or "programs", or not set`);
}

/** The first `host:port` of an address, as a place to connect to and fit to be shown. */
export function endpointOf(name: ServerName, address: string): { host: string; port: number } {
  const first = (address.split(',')[0] ?? '').trim();
  const url = new URL(first.includes('://') ? first : `${name}://${first}`);
  const standard = { mysql: 3306, redis: 6379, kafka: 9092 }[name];
  return { host: url.hostname || '127.0.0.1', port: Number(url.port) || standard };
}
