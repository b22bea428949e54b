import { reasonOf } from '../probe.ts';
import {
  type ForcedOrigin,
  type Instance,
  type LaunchContext,
  type LaunchOrder,
  PartUnavailable,
  type ServerName,
} from '../server.ts';
import { ContainerInstance, findDocker } from './container.ts';
import { freePort } from './free-port.ts';
import { kafka } from './kafka.ts';
import type { MissingProgram, ServerKind } from './kind.ts';
import { aptInstall, aptUnavailable } from './machine.ts';
import { mysql } from './mysql.ts';
import { EndedWhileStarting, ProgramInstance } from './program.ts';
import { redis } from './redis.ts';

const KINDS: Readonly<Record<ServerName, ServerKind>> = { mysql, redis, kafka };

/** One way to get a server: starts it, or returns the reason why that is not possible here. */
export type Way = (order: LaunchOrder, context: LaunchContext) => Promise<Instance | string>;

/** The first installation may bring only an old Java runtime; the second one brings the newer. */
const INSTALLATIONS = 2;

/** Installs Debian packages; replaced in tests. */
export interface Apt {
  /** Why nothing can be installed here; undefined if it can. */
  unavailable(): string | undefined;
  install(packages: readonly string[]): Promise<void>;
}

const APT: Apt = { unavailable: aptUnavailable, install: aptInstall };

/** How often a launch tries another port when the free one was taken in between. */
const PORT_ATTEMPTS = 5;

const WAYS: Readonly<Record<ForcedOrigin, Way>> = { containers: fromContainer, programs: fromProgram };

/**
 * Starts a server, in a container if possible, otherwise from a program, which `order.install` allows to install.
 * Throws {@link PartUnavailable} with the reason of each way when none works.
 */
export async function launch(order: LaunchOrder, context: LaunchContext, ways = WAYS): Promise<Instance> {
  const reasons: string[] = [];
  for (const way of order.from === undefined ? [ways.containers, ways.programs] : [ways[order.from]]) {
    const attempt = await way(order, context);
    context.signal.throwIfAborted();
    if (typeof attempt !== 'string') return attempt;
    reasons.push(attempt);
  }
  const { product, howToGet } = KINDS[order.name];
  throw new PartUnavailable(`${product} is not available: ${reasons.join('; ')}. To fix it: ${howToGet}.`);
}

async function fromContainer(order: LaunchOrder, context: LaunchContext): Promise<Instance | string> {
  const docker = await findDocker();
  if (typeof docker === 'string') return docker;
  const { image, product } = KINDS[order.name];
  try {
    return await start(order, context, (port) => new ContainerInstance(docker, image, order, port, context));
  } catch (error) {
    const reason = `the container failed (${reasonOf(error)})`;
    context.log(`${product}: ${reason}`);
    return reason;
  }
}

/** Starts a server from a program, which is installed first if it is missing and `order.install` allows that. */
export async function fromProgram(
  order: LaunchOrder,
  context: LaunchContext,
  kind: Pick<ServerKind, 'product' | 'findProgram'> = KINDS[order.name],
  apt: Apt = APT,
): Promise<Instance | string> {
  for (let installations = 0; ; installations += 1) {
    // An error, for example without a network, is a reason like any other.
    const found = await kind.findProgram(context).catch(reasonOf);
    if (typeof found === 'string') return found;
    if (!('what' in found)) return start(order, context, (port) => new ProgramInstance(found, order, port, context));
    const isAllowed = order.install === true && installations < INSTALLATIONS;
    const failure = isAllowed ? await install(found, kind.product, context, apt) : refusal(found, order);
    if (failure !== undefined) return `${found.what}; ${failure}`;
  }
}

/** Why a missing program is not installed. */
function refusal({ packages }: MissingProgram, { install }: LaunchOrder): string {
  if (install === true) return 'installing it did not help';
  return `\`apt-get install ${packages.join(' ')}\` installs it, and so does --install (Debian and Ubuntu, as root)`;
}

/** Installs what is missing, or returns why not. */
async function install(
  { packages }: MissingProgram,
  product: string,
  context: LaunchContext,
  apt: Apt,
): Promise<string | undefined> {
  const unavailable = apt.unavailable();
  if (unavailable !== undefined) return unavailable;
  context.log(`${product}: installing ${packages.join(' ')}`);
  try {
    await apt.install(packages);
    return undefined;
  } catch (error) {
    return `apt-get install ${packages.join(' ')} failed (${reasonOf(error)})`;
  }
}

/** Starts an instance, on another port if the free one was taken in between. */
async function start(
  order: LaunchOrder,
  context: LaunchContext,
  create: (port: number) => ProgramInstance | ContainerInstance,
): Promise<Instance> {
  for (let attempt = 1; ; attempt += 1) {
    const instance = create(order.port ?? (await freePort()));
    context.own(instance);
    try {
      await instance.launch();
      return instance;
    } catch (error) {
      await instance.remove();
      if (!isPortTaken(error) || order.port !== undefined || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

function isPortTaken(error: unknown): boolean {
  if (error instanceof EndedWhileStarting) return error.portTaken;
  return /port is already allocated|address already in use/i.test(String(error));
}
