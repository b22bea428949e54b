import type { Probe } from '../probe/probe.ts';
import { untilReady } from '../probe/ready.ts';
import type { LaunchedServer, LaunchOrder } from '../server.ts';
import { defineContainer } from './container-definition.ts';
import type { Docker } from './docker.ts';
import { freePort } from './free-port.ts';
import { IMAGES, type ImageRecipe } from './images.ts';
import { type Instance, type LaunchContext, PORT_ATTEMPTS, START_TIMEOUT, STOP_TIMEOUT } from './instance.ts';

/** Starts the server in a container, on another port when somebody took the free one in between. */
export async function launchContainer(docker: Docker, order: LaunchOrder, context: LaunchContext): Promise<Instance> {
  for (let attempt = 1; ; attempt += 1) {
    const port = order.port ?? (await freePort());
    const instance = new ContainerInstance(docker, order, port, context);
    context.own(instance);
    try {
      await instance.launch();
      return instance;
    } catch (error) {
      await instance.remove();
      const portTaken = /port is already allocated|address already in use/i.test(String(error));
      if (!portTaken || order.port !== undefined || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

class ContainerInstance implements Instance {
  readonly #docker: Docker;
  readonly #order: LaunchOrder;
  readonly #recipe: ImageRecipe;
  readonly #port: number;
  readonly #run: string;
  readonly #signal: AbortSignal;
  #id: string | undefined;
  #found: Probe = { product: '', version: '', identity: '' };

  constructor(docker: Docker, order: LaunchOrder, port: number, context: LaunchContext) {
    this.#docker = docker;
    this.#order = order;
    this.#recipe = IMAGES[order.name];
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
      source: this.#recipe.image,
      url: this.#recipe.url(this.#host, this.#port),
      host: this.#host,
      port: this.#port,
      ...(this.#id === undefined ? {} : { container: this.#id }),
      ...(this.#order.dir === undefined ? {} : { dir: this.#order.dir }),
    };
  }

  async launch(): Promise<void> {
    await this.#pull();
    const onCreated = (id: string) => {
      this.#id = id;
    };
    await defineContainer(this.#docker.testcontainers, this.#order, {
      host: this.#host,
      port: this.#port,
      run: this.#run,
      onCreated,
    }).start();
    await this.#untilReady();
  }

  /** The one long step; a daemon gives it up when its client goes. */
  async #pull(): Promise<void> {
    const { testcontainers, client } = this.#docker;
    const aborted = new Promise<never>((_, reject) => {
      this.#signal.addEventListener('abort', () => reject(this.#signal.reason), { once: true });
    });
    await Promise.race([client.image.pull(testcontainers.ImageName.fromString(this.#recipe.image)), aborted]);
  }

  async #untilReady(): Promise<void> {
    this.#found = await untilReady({
      probe: () => this.#recipe.probe(this.server.url),
      check: () => this.#requireAlive(),
      timeout: START_TIMEOUT,
    });
  }

  async #requireAlive(): Promise<void> {
    this.#signal.throwIfAborted();
    if (await this.#running()) return;
    const log = await this.#container.logs({ stdout: true, stderr: true, tail: 12 });
    throw new Error(`a container of ${this.#recipe.image} ended while starting:\n${withoutFrames(log)}`);
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

/** Docker puts a header of eight bytes before each piece of a log: the stream, and the length of the piece. */
function withoutFrames(log: Buffer): string {
  const pieces: Buffer[] = [];
  for (let at = 0; at + 8 <= log.length; ) {
    const end = at + 8 + log.readUInt32BE(at + 4);
    pieces.push(log.subarray(at + 8, end));
    at = end;
  }
  return Buffer.concat(pieces).toString();
}
