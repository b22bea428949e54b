import { rm } from 'node:fs/promises';
import type { Instance } from '../launch/instance.ts';
import { launch } from '../launch/launch.ts';
import type { LaunchedServer, LaunchOrder } from '../server.ts';
import type { Owned } from './protocol.ts';

/** Owns servers: whatever was started through it, also by half, is gone after {@link close}. */
export class ServerOwner {
  readonly #dir: string;
  readonly #closing = new AbortController();
  readonly #launches = new Set<Promise<unknown>>();
  readonly #owned = new Set<Pick<Instance, 'remove'>>();
  readonly #servers = new Map<number, Instance>();
  #launched = 0;
  #closed: Promise<void> | undefined;

  /** @param dir the folder for the data of all its servers, removed with them */
  constructor(dir: string) {
    this.#dir = dir;
  }

  async launch(order: LaunchOrder, log: (line: string) => void): Promise<Owned> {
    const { signal } = this.#closing;
    const launching = launch(order, { dir: this.#dir, signal, log, own: (instance) => this.#owned.add(instance) });
    this.#launches.add(launching);
    try {
      const instance = await launching;
      const server = ++this.#launched;
      this.#servers.set(server, instance);
      return { server, facts: instance.server };
    } finally {
      this.#launches.delete(launching);
    }
  }

  stop = (server: number): Promise<void> => this.#get(server).stop();

  kill = (server: number, signal: NodeJS.Signals): Promise<void> => this.#get(server).kill(signal);

  async restart(server: number): Promise<LaunchedServer> {
    const instance = this.#get(server);
    await instance.restart();
    return instance.server;
  }

  async remove(server: number): Promise<void> {
    const instance = this.#get(server);
    await instance.remove();
    this.#servers.delete(server);
  }

  #get(server: number): Instance {
    const instance = this.#servers.get(server);
    if (instance === undefined) throw new Error(`server ${server} was removed`);
    return instance;
  }

  /** Waits for what is being launched, then ends all servers and removes their data. Throws what could not be ended. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort(new Error('the servers are being ended'));
    await Promise.allSettled(this.#launches);
    const outcomes = await Promise.allSettled([...this.#owned].map((instance) => instance.remove()));
    await rm(this.#dir, { recursive: true, force: true, maxRetries: 5 });
    const failures = outcomes.filter((outcome) => outcome.status === 'rejected').map((outcome) => outcome.reason);
    if (failures.length > 0) throw new AggregateError(failures, 'not every server could be ended');
  }
}
