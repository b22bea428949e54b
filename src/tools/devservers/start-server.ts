import process from 'node:process';
import { forcedOrigin } from './given.ts';
import { Guardian } from './guardian/guardian.ts';
import type { LaunchedServer, LaunchOrder, ServerName } from './server.ts';

/** How one server is started; by default on a free port of 127.0.0.1, from what this machine has. */
export type ServerOptions = Omit<LaunchOrder, 'name'> & {
  /** One line for the person who waits. */
  readonly log?: (line: string) => void;
};

/** A server of one's own, to be stopped, killed and started again. It ends with this process at the latest. */
export class RunningServer implements AsyncDisposable {
  readonly #guardian: Guardian;
  readonly #number: number;
  #facts: LaunchedServer;

  constructor(guardian: Guardian, number: number, facts: LaunchedServer) {
    this.#guardian = guardian;
    this.#number = number;
    this.#facts = facts;
  }

  /** `mysql://root@127.0.0.1:…/recency`, `redis://127.0.0.1:…`, or a broker's `127.0.0.1:…`. The same after a restart. */
  get url(): string {
    return this.#facts.url;
  }

  get port(): number {
    return this.#facts.port;
  }

  /** Undefined for a container. Another one after a restart. */
  get pid(): number | undefined {
    return this.#facts.pid;
  }

  /** Product, version, where it comes from and where its data lies. */
  get facts(): LaunchedServer {
    return this.#facts;
  }

  /** Shuts the server down in order, keeping its data. */
  stop(): Promise<void> {
    return this.#guardian.call('stop', [this.#number]);
  }

  /** Sends a signal. After SIGKILL, the default, the server is gone when this returns; after others it may not be. */
  kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    return this.#guardian.call('kill', [this.#number, signal]);
  }

  /** Starts the server on the same port with the same data, stopping it first if it runs. Returns when it answers. */
  async restart(): Promise<void> {
    this.#facts = await this.#guardian.call('restart', [this.#number]);
  }

  /** Ends the server and removes its data; a directory of the caller's stays. */
  remove(): Promise<void> {
    return this.#guardian.end();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.remove();
  }
}

async function startServer(
  name: ServerName,
  { log = () => undefined, ...options }: ServerOptions,
): Promise<RunningServer> {
  const from = options.from ?? forcedOrigin(process.env);
  const guardian = new Guardian();
  try {
    const order: LaunchOrder = { ...options, name, ...(from === undefined ? {} : { from }) };
    const { server, facts } = await guardian.launch(order, log);
    return new RunningServer(guardian, server, facts);
  } catch (error) {
    await guardian.end();
    throw error;
  }
}

/** Starts a MariaDB or MySQL server with an empty database `recency`. Throws PartUnavailable, or why it did not start. */
export const startMysql = (options: ServerOptions = {}): Promise<RunningServer> => startServer('mysql', options);

/** Starts a Redis that writes nothing to disk unless `args` ask for it; with `dir`, it loads and keeps a dump there. */
export const startRedis = (options: ServerOptions = {}): Promise<RunningServer> => startServer('redis', options);

/** Starts a broker of its own cluster. */
export const startKafka = (options: ServerOptions = {}): Promise<RunningServer> => startServer('kafka', options);
