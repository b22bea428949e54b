import { type LaunchOrder, PartUnavailable, type ServerName, type StackFrom } from '../server.ts';
import { aptInstall, aptUnavailable } from './apt.ts';
import { launchContainer } from './container.ts';
import { findDocker } from './docker.ts';
import type { Instance, LaunchContext } from './instance.ts';
import { launchProgram, type ProgramRecipe } from './program.ts';
import { findRecipe, type Missing } from './programs.ts';

const HOW_TO_GET: Readonly<Record<ServerName, string>> = {
  mysql:
    'start Docker, or install MariaDB 10.6+ or MySQL 8.0.19+ (apt-get install mariadb-server; brew install mariadb), or set RECENCY_MYSQL_URL',
  redis:
    'start Docker, or install Redis 7.0+ (apt-get install redis-server; brew install redis), or set RECENCY_REDIS_URL',
  kafka:
    'start Docker, or install Java 17+ and Maven (apt-get install default-jre-headless maven; brew install openjdk maven), or set RECENCY_KAFKA_BROKERS',
};

const PRODUCT: Readonly<Record<ServerName, string>> = { mysql: 'MySQL', redis: 'Redis', kafka: 'Kafka' };

/** A started server, or the reason why this way was not open. */
export type Attempt = Instance | string;

/** One way to get a server. */
export type Way = (order: LaunchOrder, context: LaunchContext) => Promise<Attempt>;

/** An old Java runtime may be all that the first installation brought, so the newer one is a second. */
const INSTALLATIONS = 2;

const WAYS: Readonly<Record<StackFrom, Way>> = { containers: fromContainer, programs: fromProgram };

/**
 * Starts a server: in a container, or from a program, which is installed where that is possible.
 * Throws {@link PartUnavailable} with every way's reason when none was open.
 */
export async function launch(order: LaunchOrder, context: LaunchContext, ways = WAYS): Promise<Instance> {
  const reasons: string[] = [];
  for (const way of order.from === undefined ? [ways.containers, ways.programs] : [ways[order.from]]) {
    const attempt = await way(order, context);
    context.signal.throwIfAborted();
    if (typeof attempt !== 'string') return attempt;
    reasons.push(attempt);
  }
  const name = PRODUCT[order.name];
  throw new PartUnavailable(`${name} cannot be had: ${reasons.join('; ')}. To mend it: ${HOW_TO_GET[order.name]}.`);
}

async function fromContainer(order: LaunchOrder, context: LaunchContext): Promise<Attempt> {
  const docker = await findDocker();
  if (typeof docker === 'string') return docker;
  try {
    return await launchContainer(docker, order, context);
  } catch (error) {
    const reason = `the container failed (${messageOf(error)})`;
    context.log(`${PRODUCT[order.name]}: ${reason}`);
    return reason;
  }
}

async function fromProgram(order: LaunchOrder, context: LaunchContext): Promise<Attempt> {
  for (let installations = 0; ; installations += 1) {
    const found = await find(order.name, context);
    if (typeof found === 'string') return found;
    if (!('what' in found)) return launchProgram(found, order, context);
    const unavailable = installations < INSTALLATIONS ? aptUnavailable() : 'installing it did not help';
    const failure = unavailable ?? (await install(found, order.name, context));
    if (failure !== undefined) return `${found.what}; ${failure}`;
  }
}

/** What could be looked for but not be brought, for example without a network, is a reason like any other. */
async function find(name: ServerName, context: LaunchContext): Promise<ProgramRecipe | Missing | string> {
  try {
    return await findRecipe[name](context);
  } catch (error) {
    return messageOf(error);
  }
}

async function install({ packages }: Missing, name: ServerName, context: LaunchContext): Promise<string | undefined> {
  context.log(`${PRODUCT[name]}: installing ${packages.join(' ')}`);
  try {
    await aptInstall(packages);
    return undefined;
  } catch (error) {
    return `apt-get install ${packages.join(' ')} failed (${messageOf(error)})`;
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
