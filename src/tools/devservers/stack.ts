import process from 'node:process';
import { type Environment, forcedOrigin, givenAddress } from './given.ts';
import { givenPart } from './given-part.ts';
import { Guardian } from './guardian/guardian.ts';
import { type LaunchedServer, type Part, PartUnavailable, type ServerName } from './server.ts';

export interface StackOptions {
  /** Which servers; all three by default. Kafka may be missing in the end, unless `CI=true`. */
  readonly mysql?: boolean;
  readonly redis?: boolean;
  readonly kafka?: boolean;
  /** Hears one line for each step that a person would want to know of. */
  readonly log?: (line: string) => void;
  /** Where addresses (`RECENCY_…`), `STACK_FROM` and `CI` are looked up: by default this process's environment. */
  readonly environment?: Environment;
}

/** A part that was asked for and cannot be had here; the reason says how to get it. */
export interface MissingPart {
  readonly name: ServerName;
  readonly reason: string;
}

/** The servers of a stack, and what is missing of it. */
export interface StackParts {
  /** Empty when no MySQL was asked for. */
  readonly mysqlUrl: string;
  /** Empty when no Redis was asked for. */
  readonly redisUrl: string;
  /** `host:port[,host:port]`; null when there is no broker. */
  readonly kafkaBrokers: string | null;
  readonly parts: readonly (Part | LaunchedServer)[];
  readonly missing: readonly MissingPart[];
}

/** Running servers. They end with `stop`, and at the latest with this process, however that ends. */
export interface Stack extends StackParts, AsyncDisposable {
  stop(): Promise<void>;
}

const NAMES: readonly ServerName[] = ['mysql', 'redis', 'kafka'];

/** Finds or starts the servers, side by side. Throws one {@link PartUnavailable} that names every part that cannot be had. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const { environment = process.env } = options;
  const wanted = NAMES.filter((name) => options[name] ?? true);
  const guardian = wanted.every((name) => givenAddress(name, environment)) ? undefined : new Guardian();
  const stop = async () => guardian?.end();
  try {
    const parts = await gatherParts(wanted, guardian, options);
    return { ...parts, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The wanted parts: given ones are looked at, the guardian starts the others. */
export async function gatherParts(
  wanted: readonly ServerName[],
  guardian: Pick<Guardian, 'launch'> | undefined,
  { environment = process.env, log = () => undefined }: StackOptions,
): Promise<StackParts> {
  const obtain = async (name: ServerName): Promise<Part> => {
    if (guardian === undefined || givenAddress(name, environment)) return givenPart(name, environment);
    const from = forcedOrigin(environment);
    return (await guardian.launch({ name, ...(from === undefined ? {} : { from }) }, log)).facts;
  };
  const outcomes = await Promise.all(wanted.map((name) => outcomeOf(name, obtain(name), log)));
  const parts = outcomes.filter((outcome) => 'url' in outcome);
  const missing = outcomes.filter((outcome) => 'reason' in outcome);
  refuseUnlessOptional(missing, environment);
  return { ...addressesOf(parts), parts, missing };
}

async function outcomeOf(
  name: ServerName,
  part: Promise<Part>,
  log: (line: string) => void,
): Promise<Part | MissingPart> {
  try {
    const found = await part;
    log(describePart(found));
    return found;
  } catch (error) {
    return { name, reason: error instanceof Error ? error.message : String(error) };
  }
}

/** One line for a person: what it is, where it answers, where it comes from. */
export function describePart(part: Part): string {
  const url = new URL(part.name === 'kafka' ? `kafka://${part.url.split(',')[0]}` : (part.url.split(',')[0] ?? ''));
  const name = [part.product, part.version].filter(Boolean).join(' ');
  return `${name} at ${url.host} (${part.origin === 'given' ? 'given by' : part.origin} ${part.source})`;
}

/** Everything but Kafka has a part without which nothing works; and in CI nothing may silently be left out. */
function refuseUnlessOptional(missing: readonly MissingPart[], environment: Environment): void {
  const optional = (part: MissingPart) =>
    part.name === 'kafka' && environment.CI !== 'true' && !givenAddress('kafka', environment);
  if (missing.every(optional)) return;
  throw new PartUnavailable(missing.map(({ reason }) => reason).join('\n'));
}

function addressesOf(parts: readonly Part[]): Pick<StackParts, 'mysqlUrl' | 'redisUrl' | 'kafkaBrokers'> {
  const urlOf = (name: ServerName) => parts.find((part) => part.name === name)?.url;
  return { mysqlUrl: urlOf('mysql') ?? '', redisUrl: urlOf('redis') ?? '', kafkaBrokers: urlOf('kafka') ?? null };
}
