import process from 'node:process';
import { forcedOrigin, givenAddress, mayInstall, probeGiven, type Variables } from './given.ts';
import { type LaunchedServer, PartUnavailable, type ServerFacts, type ServerName } from './server.ts';
import { Supervisor } from './supervisor/supervisor.ts';

export interface DevServersOptions {
  /** Which servers to start; all three by default. Kafka may be missing in the result, unless `CI=true`. */
  readonly mysql?: boolean;
  readonly redis?: boolean;
  readonly kafka?: boolean;
  /** Install missing programs with apt-get (Debian and Ubuntu, as root). Default: as `STACK_INSTALL` says, else no. */
  readonly install?: boolean | undefined;
  /** Extra arguments for a MySQL server that is started. */
  readonly mysqlArgs?: readonly string[];
  /** Receives one line per step, for a person. */
  readonly log?: (line: string) => void;
  /** Environment for addresses (`RECENCY_…`), `STACK_FROM`, `STACK_INSTALL` and `CI`; this process's by default. */
  readonly environment?: Variables;
}

export interface MissingServer {
  readonly name: ServerName;
  readonly reason: string;
}

export interface ServerSet {
  readonly mysqlUrl: string;
  /** Empty if no Redis was requested. */
  readonly redisUrl: string;
  /** `host:port[,host:port]`; null if there is no broker. */
  readonly kafkaBrokers: string | null;
  readonly parts: readonly (ServerFacts | LaunchedServer)[];
  readonly missing: readonly MissingServer[];
}

/** Running servers. They end with `stop`, and at the latest with this process, however it ends. */
export interface DevServers extends ServerSet, AsyncDisposable {
  stop(): Promise<void>;
}

const NAMES: readonly ServerName[] = ['mysql', 'redis', 'kafka'];

/** Those that the options do not leave out. */
export function wantedOf(options: Pick<DevServersOptions, ServerName>): ServerName[] {
  return NAMES.filter((name) => options[name] ?? true);
}

/** Finds or starts the servers in parallel. Throws one {@link PartUnavailable} that names every server that is missing. */
export async function startDevServers(options: DevServersOptions = {}): Promise<DevServers> {
  const { environment = process.env } = options;
  const wanted = wantedOf(options);
  const supervisor = wanted.every((name) => givenAddress(name, environment)) ? undefined : new Supervisor();
  const stop = async () => supervisor?.end();
  try {
    const servers = await gatherServers(wanted, supervisor, options);
    return { ...servers, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Probes the servers whose addresses are given; the supervisor starts the others. */
export async function gatherServers(
  wanted: readonly ServerName[],
  supervisor: Pick<Supervisor, 'launch'> | undefined,
  {
    environment = process.env,
    log = () => undefined,
    install = mayInstall(environment),
    mysqlArgs = [],
  }: DevServersOptions,
): Promise<ServerSet> {
  const argsOf = (name: ServerName) => (name === 'mysql' ? mysqlArgs : []);
  const obtain = async (name: ServerName): Promise<ServerFacts | MissingServer> => {
    try {
      const found =
        supervisor === undefined || givenAddress(name, environment)
          ? await probeGiven(name, environment)
          : (await supervisor.launch({ name, from: forcedOrigin(environment), install, args: argsOf(name) }, log))
              .facts;
      log(describeServer(found));
      return found;
    } catch (error) {
      return { name, reason: error instanceof Error ? error.message : String(error) };
    }
  };
  const outcomes = await Promise.all(wanted.map(obtain));
  const parts = outcomes.filter((outcome) => 'url' in outcome);
  const missing = outcomes.filter((outcome) => 'reason' in outcome);
  refuseUnlessOptional(missing, environment);
  const urlOf = (name: ServerName) => parts.find((part) => part.name === name)?.url;
  return {
    mysqlUrl: urlOf('mysql') ?? '',
    redisUrl: urlOf('redis') ?? '',
    kafkaBrokers: urlOf('kafka') ?? null,
    parts,
    missing,
  };
}

/** One line for a person: what it is, where it answers, where it comes from. */
export function describeServer(server: ServerFacts): string {
  const first = server.url.split(',')[0] ?? '';
  const { host } = new URL(server.name === 'kafka' ? `kafka://${first}` : first);
  return `${productAndVersion(server)} at ${host} ${originOf(server)}`;
}

/** For example `MariaDB 10.11.14`. */
export function productAndVersion({ product, version }: ServerFacts): string {
  return [product, version].filter(Boolean).join(' ');
}

/** For example `(container redis:8)`. */
export function originOf({ origin, source }: ServerFacts): string {
  return `(${origin === 'given' ? 'given by' : origin} ${source})`;
}

/** Nothing works without MySQL and Redis; and in CI nothing may be left out silently. */
function refuseUnlessOptional(missing: readonly MissingServer[], environment: Variables): void {
  const isOptional = ({ name }: MissingServer) =>
    name === 'kafka' && environment.CI !== 'true' && !givenAddress('kafka', environment);
  if (missing.every(isOptional)) return;
  throw new PartUnavailable(missing.map(({ reason }) => reason).join('\n'));
}
