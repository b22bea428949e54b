import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { extname } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { lastLines } from '../launch/run-program.ts';
import type { LaunchOrder } from '../server.ts';
import { PartUnavailable } from '../server.ts';
import type { GuardianMethods, Reply, Request } from './protocol.ts';
import { removeRun } from './sweep.ts';

interface Pending {
  readonly resolve: (value: never) => void;
  readonly reject: (reason: Error) => void;
  readonly log: (line: string) => void;
}

/** The other end of the process that owns the servers (see `main.ts`). */
export class Guardian {
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, Pending>();
  readonly #ended: Promise<void>;
  #requests = 0;
  #dir: string | undefined;
  #errors = '';

  constructor() {
    this.#child = startProcess();
    this.#child.on('message', (reply) => this.#receive(reply as Reply));
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

  /** Where all data lies; known from the first answer on. */
  get dir(): string {
    if (this.#dir === undefined) throw new Error('the process that owns the servers has not answered yet');
    return this.#dir;
  }

  /** @param log hears what happens on the way, line by line */
  call<M extends keyof GuardianMethods>(
    method: M,
    args: Parameters<GuardianMethods[M]>,
    log: (line: string) => void = () => undefined,
  ): ReturnType<GuardianMethods[M]> {
    if (!this.#child.connected) return Promise.reject(this.#lost()) as ReturnType<GuardianMethods[M]>;
    const id = ++this.#requests;
    const answer = new Promise<never>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, log });
      this.#hold();
      const request: Request = { id, method, args };
      this.#child.send(request, (error) => error && this.#settle(id)?.reject(error));
    });
    return answer as ReturnType<GuardianMethods[M]>;
  }

  launch(order: LaunchOrder, log: (line: string) => void): ReturnType<GuardianMethods['launch']> {
    return this.call('launch', [order], log);
  }

  /** Ends every server of it and removes their data. */
  async end(): Promise<void> {
    this.#child.ref();
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
  }

  /** Lets the servers live on without this process. */
  async detach(): Promise<void> {
    await this.call('detach', []);
    this.#child.disconnect();
  }

  #receive(reply: Reply): void {
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

  /** Only somebody who waits for an answer keeps this process from ending. */
  #hold(): void {
    this.#child.channel?.ref();
  }

  #release(): void {
    this.#child.unref();
    this.#child.channel?.unref();
    (this.#child.stderr as Socket | null)?.unref();
  }

  /** When it was killed, its servers are still there. */
  async #cleanUp(): Promise<void> {
    if (this.#dir !== undefined) await removeRun(this.#dir);
    for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(this.#lost());
  }

  #lost(): Error {
    return new Error(`the process that owns the servers has ended\n${this.#errors}`.trim());
  }
}

/** In a session of its own, where no Ctrl-C reaches it. Nothing that it inherits is held open longer than by us. */
function startProcess(): ChildProcess {
  const main = fileURLToPath(new URL(`./main${extname(import.meta.url)}`, import.meta.url));
  return fork(main, [], {
    detached: true,
    execArgv: [],
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

function toError({ name, message }: Extract<Reply, { kind: 'error' }>): Error {
  return name === 'PartUnavailable' ? new PartUnavailable(message) : new Error(message);
}
