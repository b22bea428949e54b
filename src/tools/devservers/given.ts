/** Servers that already run and whose addresses the environment gives. */
import { readFileSync } from 'node:fs';
import { endpointOf, type Probe, probeByName, reasonOf, requireSupported } from './probe.ts';
import type { ForcedOrigin, ServerFacts, ServerName } from './server.ts';

/** Environment variables by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The setting that gives a server's address. */
export const SETTING: Readonly<Record<ServerName, string>> = {
  mysql: 'RECENCY_MYSQL_URL',
  redis: 'RECENCY_REDIS_URL',
  kafka: 'RECENCY_KAFKA_BROKERS',
};

/** The address that the environment gives for a server, directly or in a file (`…_FILE`). */
export function givenAddress(name: ServerName, environment: Variables): string | undefined {
  const file = environment[`${SETTING[name]}_FILE`];
  const address = environment[SETTING[name]] ?? (file ? readFileSync(file, 'utf8') : undefined);
  return address?.trim() || undefined;
}

/** `STACK_FROM=containers|programs` forces one origin. It is not a setting of Recency, so it has no `RECENCY_` prefix. */
export function forcedOrigin(environment: Variables): ForcedOrigin | undefined {
  const from = environment.STACK_FROM;
  if (!from) return undefined;
  if (from === 'containers' || from === 'programs') return from;
  throw new Error(`STACK_FROM is "${from}": it must be "containers" or "programs", or not set`);
}

/**
 * Whether `STACK_INSTALL=true` allows missing server programs to be installed with apt-get. Only the test setup of a
 * checkout sets it; commands have `--install`.
 */
export function mayInstall(environment: Variables): boolean {
  return environment.STACK_INSTALL === 'true';
}

/** Probes the server whose address the environment gives. Throws when it does not answer or is too old. */
export async function probeGiven(name: ServerName, environment: Variables): Promise<ServerFacts> {
  const url = givenAddress(name, environment);
  if (url === undefined) throw new Error(`${SETTING[name]} is not set`);
  const { product, version } = await answerOf(name, url);
  requireSupported(product, version, SETTING[name]);
  return { name, product, version, origin: 'given', source: SETTING[name], url };
}

const REFUSED = /Access denied|WRONGPASS|NOAUTH|NOPERM/;

async function answerOf(name: ServerName, url: string): Promise<Probe> {
  try {
    return await probeByName[name](url);
  } catch (error) {
    const { host, port } = endpointOf(name, url);
    const reason = reasonOf(error);
    const [what, fix] = REFUSED.test(reason)
      ? [`the server at ${host}:${port} refuses this user`, 'fix its user or password']
      : [`no server answers at ${host}:${port}`, 'start it'];
    const message = `${SETTING[name]}: ${what} (${reason}): ${fix}, or unset ${SETTING[name]} to have one started`;
    throw new Error(message, { cause: error });
  }
}
