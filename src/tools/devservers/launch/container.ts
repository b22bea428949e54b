/** A server that runs in a container. */
import { mkdirSync } from 'node:fs';
import process from 'node:process';
import type { ContainerRuntimeClient, GenericContainer } from 'testcontainers';
import { type Probe, reasonOf, START_TIMEOUT, untilReady } from '../probe.ts';
import type { Instance, LaunchContext, LaunchedServer, LaunchOrder } from '../server.ts';
import { type ImageRecipe, STOP_TIMEOUT } from './kind.ts';

/** testcontainers, and the daemon that answered it. */
export interface Docker {
  readonly testcontainers: typeof import('testcontainers');
  readonly client: ContainerRuntimeClient;
}

/** Looks for a Docker daemon. Returns the reason if there is none, or if testcontainers is not installed. */
export async function findDocker(): Promise<Docker | string> {
  const library = await loadLibrary();
  if (library === undefined) return 'testcontainers, a development dependency, is not installed';
  try {
    return { testcontainers: library, client: await library.getContainerRuntimeClient() };
  } catch (error) {
    return `no Docker daemon answers (${reasonOf(error)})`;
  }
}

/** A development dependency: a package installed for production works without it. */
async function loadLibrary(): Promise<Docker['testcontainers'] | undefined> {
  try {
    return await import('testcontainers');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** The label that holds the folder of the supervisor which a container belongs to. */
export const RUN_LABEL = 'recency.stack';

export class ContainerInstance implements Instance {
  readonly #docker: Docker;
  readonly #order: LaunchOrder;
  readonly #image: ImageRecipe;
  readonly #port: number;
  readonly #run: string;
  readonly #signal: AbortSignal;
  #id: string | undefined;
  #found: Probe = { product: '', version: '', identity: '' };

  constructor(docker: Docker, image: ImageRecipe, order: LaunchOrder, port: number, context: LaunchContext) {
    this.#docker = docker;
    this.#order = order;
    this.#image = image;
    this.#port = port;
    this.#run = context.dir;
    this.#signal = context.signal;
  }

  get #host(): string {
    const { host } = this.#docker.client.info.containerRuntime;
    return host === 'localhost' ? '127.0.0.1' : host;
  }

  get #container() {
    if (this.#id === undefined) throw new Error(`the container of ${this.#order.name} was removed`);
    return this.#docker.client.container.getById(this.#id);
  }

  get server(): LaunchedServer {
    return {
      name: this.#order.name,
      product: this.#found.product,
      version: this.#found.version,
      origin: 'container',
      source: this.#image.name,
      url: this.#image.url(this.#host, this.#port),
      host: this.#host,
      port: this.#port,
      ...(this.#id === undefined ? {} : { container: this.#id }),
      ...(this.#order.dir === undefined ? {} : { dir: this.#order.dir }),
    };
  }

  async launch(): Promise<void> {
    await this.#pull();
    await this.#define().start();
    await this.#untilReady();
  }

  /** The one long step; the daemon gives it up when its client goes. */
  async #pull(): Promise<void> {
    const { testcontainers, client } = this.#docker;
    const aborted = new Promise<never>((_, reject) => {
      this.#signal.addEventListener('abort', () => reject(this.#signal.reason), { once: true });
    });
    await Promise.race([client.image.pull(testcontainers.ImageName.fromString(this.#image.name)), aborted]);
  }

  #define(): GenericContainer {
    const { GenericContainer, Wait } = this.#docker.testcontainers;
    const inside = this.#image.port(this.#port);
    const binding = this.#binding();
    const onCreated = (id: string) => {
      this.#id = id; // before it starts, so that no started container is unknown to the supervisor
    };
    class LoopbackContainer extends GenericContainer {
      protected override async beforeContainerCreated(): Promise<void> {
        this.hostConfig.PortBindings = { [`${inside}/tcp`]: [binding] };
      }
      protected override async containerCreated(id: string): Promise<void> {
        onCreated(id);
      }
    }

    const container = new LoopbackContainer(this.#image.name)
      .withExposedPorts({ container: inside, host: this.#port })
      .withEnvironment(this.#image.environment(this.#host, this.#port))
      .withCommand([...this.#image.command(this.#order)])
      .withLabels({ [RUN_LABEL]: this.#run })
      // The supervisor removes it, so testcontainers' own reaper, one more image, is not needed.
      .withAutoCleanup(false)
      // Any output will do: the server itself is asked whether it answers.
      .withWaitStrategy(Wait.forLogMessage(/./));
    return this.#order.dir === undefined ? container : withDirectory(container, this.#order.dir);
  }

  /** On a daemon of this machine the port is bound to loopback alone. */
  #binding() {
    const HostPort = `${this.#port}`;
    return this.#host === '127.0.0.1' ? { HostPort, HostIp: this.#host } : { HostPort };
  }

  async #untilReady(): Promise<void> {
    this.#found = await untilReady({
      probe: () => this.#image.probe(this.server.url),
      check: () => this.#requireAlive(),
      timeout: START_TIMEOUT,
    });
  }

  async #requireAlive(): Promise<void> {
    this.#signal.throwIfAborted();
    if (await this.#running()) return;
    const log = await this.#container.logs({ stdout: true, stderr: true, tail: 12 });
    throw new Error(`a container of ${this.#image.name} ended while starting:\n${withoutFrames(log)}`);
  }

  async stop(): Promise<void> {
    if (await this.#running()) await this.#container.stop({ t: STOP_TIMEOUT / 1000 });
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    if (!(await this.#running())) return;
    await this.#container.kill({ signal });
    if (signal === 'SIGKILL') await this.#container.wait();
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.#container.start();
    await this.#untilReady();
  }

  async #running(): Promise<boolean> {
    return (await this.#container.inspect()).State.Running;
  }

  async remove(): Promise<void> {
    if (this.#id === undefined) return;
    await this.#container.remove({ force: true, v: true });
    this.#id = undefined;
  }
}

/** Runs as the owner of the directory, so that the files in it stay removable. */
function withDirectory(container: GenericContainer, dir: string): GenericContainer {
  mkdirSync(dir, { recursive: true });
  const mounted = container.withBindMounts([{ source: dir, target: '/data' }]);
  return process.getuid && process.getgid ? mounted.withUser(`${process.getuid()}:${process.getgid()}`) : mounted;
}

/** Docker puts a header of eight bytes before each piece of a log: the stream, three zeros, and the length. */
function withoutFrames(log: Buffer): string {
  let text = '';
  for (let at = 0; at + 8 <= log.length; at += 8 + log.readUInt32BE(at + 4)) {
    text += log.toString('utf8', at + 8, at + 8 + log.readUInt32BE(at + 4));
  }
  return text;
}
