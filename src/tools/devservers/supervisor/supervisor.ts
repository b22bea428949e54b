import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { extname } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { lastLines } from '../launch/machine.ts';
import { type LaunchedServer, type LaunchOrder, PartUnavailable } from '../server.ts';
import { removeRun } from './reaper.ts';

/** The requests that the supervisor process understands. `server` is the number that `launch` returned. */
export interface SupervisorMethods {
  launch(order: LaunchOrder): Promise<Launched>;
  stop(server: number): Promise<void>;
  kill(server: number, signal: NodeJS.Signals): Promise<void>;
  restart(server: number): Promise<LaunchedServer>;
  /** From now on the servers outlive this process; SIGTERM to the supervisor ends them. */
  detach(): Promise<void>;
}

export interface Launched {
  readonly server: number;
  readonly facts: LaunchedServer;
}

export interface SupervisorRequest {
  readonly id: number;
  readonly method: keyof SupervisorMethods;
  readonly args: readonly unknown[];
}

export type SupervisorReply =
  | { readonly kind: 'ready'; readonly dir: string }
  | { readonly kind: 'log'; readonly id: number; readonly line: string }
  | { readonly kind: 'result'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly name: string; readonly message: string };

interface Pending {
  readonly resolve: (value: never) => void;
  readonly reject: (reason: Error) => void;
  readonly log: (line: string) => void;
}

/** Starts the supervisor process (`main.ts`) and talks to it. */
export class Supervisor {
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, Pending>();
  readonly #ended: Promise<void>;
  #requests = 0;
  #dir: string | undefined;
  #errors = '';

  constructor() {
    this.#child = startProcess();
    this.#child.on('message', (reply) => this.#receive(reply as SupervisorReply));
    this.#child.stderr?.on('data', (chunk) => {
      this.#errors = lastLines(`${this.#errors}${chunk}`);
    });
    const gone = new Promise<void>((resolve) => {
      for (const event of ['exit', 'error'] as const) this.#child.once(event, () => resolve());
    });
    this.#ended = gone.then(() => this.#cleanUp());
    this.#release();
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw this.#lost();
    return this.#child.pid;
  }

  /** The folder of all data; known from the first answer on. */
  get dir(): string {
    if (this.#dir === undefined) throw new Error('the servers’ supervisor has not answered yet');
    return this.#dir;
  }

  call<M extends keyof SupervisorMethods>(
    method: M,
    args: Parameters<SupervisorMethods[M]>,
    log: (line: string) => void = () => undefined,
  ): ReturnType<SupervisorMethods[M]> {
    if (!this.#child.connected) return Promise.reject(this.#lost()) as ReturnType<SupervisorMethods[M]>;
    const id = ++this.#requests;
    const answer = new Promise<never>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, log });
      this.#child.channel?.ref(); // only somebody who waits for an answer keeps this process alive
      const request: SupervisorRequest = { id, method, args };
      this.#child.send(request, (error) => error && this.#settle(id)?.reject(error));
    });
    return answer as ReturnType<SupervisorMethods[M]>;
  }

  launch(order: LaunchOrder, log: (line: string) => void): ReturnType<SupervisorMethods['launch']> {
    return this.call('launch', [order], log);
  }

  async end(): Promise<void> {
    this.#child.ref();
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
  }

  async detach(): Promise<void> {
    await this.call('detach', []);
    this.#child.disconnect();
  }

  #receive(reply: SupervisorReply): void {
    if (reply.kind === 'ready') this.#dir = reply.dir;
    else if (reply.kind === 'log') this.#pending.get(reply.id)?.log(reply.line);
    else if (reply.kind === 'result') this.#settle(reply.id)?.resolve(reply.value as never);
    else this.#settle(reply.id)?.reject(toError(reply));
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#release();
    return pending;
  }

  #release(): void {
    this.#child.unref();
    this.#child.channel?.unref();
    (this.#child.stderr as Socket | null)?.unref();
  }

  /** If the supervisor was killed, its servers still run. */
  async #cleanUp(): Promise<void> {
    if (this.#dir !== undefined) await removeRun(this.#dir);
    for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(this.#lost());
  }

  #lost(): Error {
    return new Error(`the servers’ supervisor has ended\n${this.#errors}`.trim());
  }
}

/** Starts it in a session of its own, which Ctrl-C does not reach. It inherits nothing that would be held open. */
function startProcess(): ChildProcess {
  const main = fileURLToPath(new URL(`./main${extname(import.meta.url)}`, import.meta.url));
  return fork(main, [], {
    detached: true,
    execArgv: [],
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

function toError({ name, message }: Extract<SupervisorReply, { kind: 'error' }>): Error {
  return name === 'PartUnavailable' ? new PartUnavailable(message) : new Error(message);
}
