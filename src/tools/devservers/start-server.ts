import process from 'node:process';
import { forcedOrigin, mayInstall } from './given.ts';
import type { LaunchedServer, LaunchOrder, ServerName } from './server.ts';
import { Supervisor } from './supervisor/supervisor.ts';

/** How one server is started; by default on a free port of 127.0.0.1, from what this machine has. */
export type ServerOptions = Omit<LaunchOrder, 'name'> & {
  readonly log?: (line: string) => void;
};

/** A server that its user may stop, kill and restart. It ends with this process at the latest. */
export class RunningServer implements AsyncDisposable {
  readonly #supervisor: Supervisor;
  readonly #number: number;
  #facts: LaunchedServer;

  constructor(supervisor: Supervisor, number: number, facts: LaunchedServer) {
    this.#supervisor = supervisor;
    this.#number = number;
    this.#facts = facts;
  }

  /** `mysql://root@127.0.0.1:…/recency`, `redis://127.0.0.1:…`, or a broker's `127.0.0.1:…`. A restart keeps it. */
  get url(): string {
    return this.#facts.url;
  }

  get port(): number {
    return this.#facts.port;
  }

  get pid(): number | undefined {
    return this.#facts.pid;
  }

  get facts(): LaunchedServer {
    return this.#facts;
  }

  stop(): Promise<void> {
    return this.#supervisor.call('stop', [this.#number]);
  }

  /** Sends a signal. After SIGKILL, the default, the server is gone when this returns; after others it may not be. */
  kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    return this.#supervisor.call('kill', [this.#number, signal]);
  }

  /** Starts the server on the same port with the same data, stopping it first if it runs. Returns when it answers. */
  async restart(): Promise<void> {
    this.#facts = await this.#supervisor.call('restart', [this.#number]);
  }

  /** Ends the server and removes its data, but not the caller's own directory. */
  remove(): Promise<void> {
    return this.#supervisor.end();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.remove();
  }
}

async function startServer(
  name: ServerName,
  { log = () => undefined, ...options }: ServerOptions,
): Promise<RunningServer> {
  const defaults = { from: forcedOrigin(process.env), install: mayInstall(process.env) };
  const supervisor = new Supervisor();
  try {
    const { server, facts } = await supervisor.launch({ ...defaults, ...options, name }, log);
    return new RunningServer(supervisor, server, facts);
  } catch (error) {
    await supervisor.end();
    throw error;
  }
}

/** Starts a MariaDB or MySQL server with an empty database `recency`. Throws PartUnavailable, or why it did not start. */
export const startMysql = (options: ServerOptions = {}): Promise<RunningServer> => startServer('mysql', options);

/** Starts a Redis that writes nothing to disk unless `args` request it; with `dir`, it loads and keeps a dump there. */
export const startRedis = (options: ServerOptions = {}): Promise<RunningServer> => startServer('redis', options);

export const startKafka = (options: ServerOptions = {}): Promise<RunningServer> => startServer('kafka', options);
