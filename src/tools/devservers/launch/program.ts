import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Probe } from '../probe/probe.ts';
import { untilReady } from '../probe/ready.ts';
import type { LaunchedServer, LaunchOrder } from '../server.ts';
import { requireSupported } from '../versions.ts';
import { freePort } from './free-port.ts';
import { type Instance, type LaunchContext, PORT_ATTEMPTS, START_TIMEOUT, STOP_TIMEOUT } from './instance.ts';
import { EndedWhileStarting, ServerProcess } from './server-process.ts';

/** Where one server lives. */
export interface Place {
  /** A folder of its own, removed at the end. */
  readonly dir: string;
  readonly port: number;
  /** A data directory of the caller's, which stays. */
  readonly kept?: string;
}

/** How to run one kind of server from a program of this machine. */
export interface ProgramRecipe {
  readonly program: string;
  /** Fills an empty data directory. */
  prepare(place: Place, signal: AbortSignal): Promise<void>;
  args(place: Place): readonly string[];
  url(place: Place): string;
  probe(place: Place): Promise<Probe>;
  /** Whether the answer came from this server, not from another one that took its port. */
  owns(probe: Probe, place: Place, pid: number | undefined): boolean;
}

/** Starts the program, on another port when somebody took the free one in between. */
export async function launchProgram(
  recipe: ProgramRecipe,
  order: LaunchOrder,
  context: LaunchContext,
): Promise<Instance> {
  for (let attempt = 1; ; attempt += 1) {
    const port = order.port ?? (await freePort());
    const instance = new ProgramInstance(recipe, order, placeFor(order, port, context), context);
    context.own(instance);
    try {
      await instance.launch();
      return instance;
    } catch (error) {
      await instance.remove();
      const portTaken = error instanceof EndedWhileStarting && error.portTaken;
      if (!portTaken || order.port !== undefined || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

function placeFor(order: LaunchOrder, port: number, context: LaunchContext): Place {
  const dir = mkdtempSync(join(context.dir, `${order.name}-`));
  if (order.dir === undefined) return { dir, port };
  mkdirSync(order.dir, { recursive: true });
  return { dir, port, kept: order.dir };
}

class ProgramInstance implements Instance {
  readonly #recipe: ProgramRecipe;
  readonly #order: LaunchOrder;
  readonly #place: Place;
  readonly #signal: AbortSignal;
  readonly #process: ServerProcess;
  #found: Probe = { product: '', version: '', identity: '' };

  constructor(recipe: ProgramRecipe, order: LaunchOrder, place: Place, context: LaunchContext) {
    this.#recipe = recipe;
    this.#order = order;
    this.#place = place;
    this.#signal = context.signal;
    this.#process = new ServerProcess(recipe.program, [...recipe.args(place), ...(order.args ?? [])], place.dir);
  }

  get server(): LaunchedServer {
    const { pid } = this.#process;
    const { product, version } = this.#found;
    return {
      name: this.#order.name,
      product,
      version,
      origin: 'program',
      source: this.#recipe.program,
      url: this.#recipe.url(this.#place),
      host: '127.0.0.1',
      port: this.#place.port,
      dir: this.#place.kept ?? this.#place.dir,
      ...(pid === undefined ? {} : { pid }),
    };
  }

  async launch(): Promise<void> {
    await this.#recipe.prepare(this.#place, this.#signal);
    await this.restart();
    requireSupported(this.#found.product, this.#found.version, this.#recipe.program);
  }

  async restart(): Promise<void> {
    await this.stop();
    this.#signal.throwIfAborted();
    this.#process.start();
    this.#found = await untilReady({
      probe: () => this.#recipe.probe(this.#place),
      accept: (probe) => this.#recipe.owns(probe, this.#place, this.#process.pid),
      check: () => this.#requireAlive(),
      timeout: START_TIMEOUT,
    });
  }

  #requireAlive(): void {
    this.#signal.throwIfAborted();
    if (this.#process.ended) throw new EndedWhileStarting(this.#recipe.program, this.#process.log());
  }

  stop(): Promise<void> {
    return this.#process.end('SIGTERM', STOP_TIMEOUT);
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    if (signal === 'SIGKILL') await this.#process.end(signal, STOP_TIMEOUT);
    else this.#process.signal(signal);
  }

  async remove(): Promise<void> {
    await this.#process.end('SIGKILL', STOP_TIMEOUT);
    await rm(this.#place.dir, { recursive: true, force: true, maxRetries: 3 });
  }
}
