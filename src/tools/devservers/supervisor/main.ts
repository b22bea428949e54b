/**
 * The supervisor: the process that owns the servers. It starts them for the process that started it, and ends them when
 * that one is gone, however it ended: the channel between the two closes even after a kill -9. It runs in a session of its
 * own, so neither Ctrl-C nor a signal to the process group reaches it or its servers.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { launch } from '../launch/launch.ts';
import type { Instance, LaunchedServer, LaunchOrder } from '../server.ts';
import { RUN_PREFIX, reap, SUPERVISOR_FILE } from './reaper.ts';
import type { Launched, SupervisorMethods, SupervisorReply, SupervisorRequest } from './supervisor.ts';

/** Everything that was started through it, even partly, is gone after {@link close}. */
class SupervisedServers {
  readonly #dir: string;
  readonly #closing = new AbortController();
  readonly #launches = new Set<Promise<unknown>>();
  readonly #owned = new Set<Pick<Instance, 'remove'>>();
  readonly #servers = new Map<number, Instance>();
  #launched = 0;
  #closed: Promise<void> | undefined;

  constructor(dir: string) {
    this.#dir = dir;
  }

  async launch(order: LaunchOrder, log: (line: string) => void): Promise<Launched> {
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

  get(server: number): Instance {
    const instance = this.#servers.get(server);
    if (instance === undefined) throw new Error(`there is no server ${server}`);
    return instance;
  }

  async restart(server: number): Promise<LaunchedServer> {
    const instance = this.get(server);
    await instance.restart();
    return instance.server;
  }

  /** Waits for running launches, then ends all servers and removes their data. Throws what could not be ended. */
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

const dir = mkdtempSync(join(tmpdir(), RUN_PREFIX));
writeFileSync(join(dir, SUPERVISOR_FILE), `${process.pid}`);
const servers = new SupervisedServers(dir);
let detached = false;

const methods: { [name in keyof SupervisorMethods]: (request: SupervisorRequest) => Promise<unknown> } = {
  launch: ({ id, args }) => servers.launch(args[0] as never, (line) => send({ kind: 'log', id, line })),
  stop: async ({ args }) => servers.get(args[0] as number).stop(),
  kill: async ({ args }) => servers.get(args[0] as number).kill(args[1] as NodeJS.Signals),
  restart: ({ args }) => servers.restart(args[0] as number),
  detach: async () => {
    detached = true;
  },
};

async function answer(request: SupervisorRequest): Promise<void> {
  const { id } = request;
  try {
    send({ kind: 'result', id, value: await methods[request.method](request) });
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    send({ kind: 'error', id, name, message });
  }
}

/** Once the channel is closed nobody listens; the servers are ended anyway. */
function send(reply: SupervisorReply): void {
  if (process.connected) process.send?.(reply, undefined, {}, () => undefined);
}

async function close(): Promise<void> {
  try {
    await servers.close();
    process.exit(0);
  } catch (error) {
    console.error(error);
    process.exit(1);
  }
}

process.stderr.on('error', () => undefined); // the other end, and with it the reader, is gone
process.on('message', (request) => void answer(request as SupervisorRequest));
process.on('disconnect', () => {
  if (!detached) void close();
});
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void close());
if (!process.connected) void close();
setInterval(() => undefined, 2 ** 30); // keeps a detached supervisor running, which containers alone would not
send({ kind: 'ready', dir });
reap().catch((error: unknown) => console.error(error));
