import process from 'node:process';

/** PORT of the API. */
export const API_PORT = 8470;

/** Ports on loopback of the processes without an API, unless METRICS_PORT is set. */
export const METRICS_PORTS = { consume: 8471, relay: 8472, notify: 8473, capture: 8474 } as const;

interface Listening {
  readonly host: string | undefined;
  readonly port: string;
}

/** Addresses that mean "all of this machine's". */
const ANY = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/**
 * Where a process of Recency says whether it is ready.
 * @param commandLine of the process, for example `recency serve`; it may begin with others (`node`, an init)
 * @param environment that the process was started with; this process's own by default
 * @returns undefined: it listens nowhere, such as a command that ends by itself
 * @throws Error when its port cannot be known
 */
export function readinessUrl(
  commandLine: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): URL | undefined {
  const listening = listeningOf(commandLine, environment);
  if (listening === undefined) return undefined;
  const { host = '127.0.0.1', port } = listening;
  if (Number(port) === 0) throw new Error('RECENCY_PORT is 0, any free port: a health check needs one that is known');
  const asked = ANY.get(host) ?? host;
  const url = URL.parse(`http://${asked.includes(':') ? `[${asked}]` : asked}:${port}/readyz`);
  if (url === null) throw new Error(`RECENCY_HOST or the port is wrong: ${asked}:${port} is no address`);
  return url;
}

function listeningOf(
  commandLine: readonly string[],
  { RECENCY_HOST, RECENCY_PORT, RECENCY_METRICS_PORT }: Readonly<Record<string, string | undefined>>,
): Listening | undefined {
  const names = ['serve', ...Object.keys(METRICS_PORTS)];
  const name = commandLine.find((word) => names.includes(word)) as 'serve' | keyof typeof METRICS_PORTS | undefined;
  const host = RECENCY_HOST || undefined;
  if (name === undefined) return undefined;
  if (name === 'serve') return { host, port: RECENCY_PORT || String(API_PORT) };
  if (!RECENCY_METRICS_PORT) return { host: undefined, port: String(METRICS_PORTS[name]) };
  return Number(RECENCY_METRICS_PORT) === 0 ? undefined : { host, port: RECENCY_METRICS_PORT };
}
