/** A server that runs as a program of this machine. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Probe, requireSupported, START_TIMEOUT, untilReady } from '../probe.ts';
import type { Instance, LaunchContext, LaunchedServer, LaunchOrder } from '../server.ts';
import { type ProgramRecipe, type ProgramSite, STOP_TIMEOUT } from './kind.ts';
import { bothEnds } from './machine.ts';

/** A server that did not live long enough to answer. */
export class EndedWhileStarting extends Error {
  override readonly name = 'EndedWhileStarting';
  /** Another process listens on the port. */
  readonly portTaken: boolean;

  constructor(program: string, log: string) {
    super(`${program} ended while starting:\n${bothEnds(log)}`);
    this.portTaken = /address already in use/i.test(log);
  }
}

/** A server program as a child process, its output in a file of its own. */
export class ServerProcess {
  readonly #program: string;
  readonly #args: readonly string[];
  readonly #dir: string;
  readonly #logFile: string;
  #child: ChildProcess | undefined;

  /** @param dir its working directory and the folder of its log, by which the reaper finds it */
  constructor(program: string, args: readonly string[], dir: string) {
    this.#program = program;
    this.#args = args;
    this.#dir = dir;
    this.#logFile = join(dir, 'server.log');
  }

  start(): void {
    const log = openSync(this.#logFile, 'a');
    try {
      this.#child = spawn(this.#program, this.#args, { cwd: this.#dir, stdio: ['ignore', log, log] });
      this.#child.on('error', () => undefined); // `ended` shows it: a child that never started has no pid
    } finally {
      closeSync(log);
    }
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get ended(): boolean {
    const child = this.#child;
    return child?.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  }

  /** What the server printed. */
  log(): string {
    return readFileSync(this.#logFile, 'utf8');
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.ended) this.#child?.kill(signal);
  }

  /** Sends the signal, after the timeout (ms) SIGKILL, and returns once the process is gone. */
  async end(signal: NodeJS.Signals, timeout: number): Promise<void> {
    if (this.ended || this.#child === undefined) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill(signal);
    const timer = setTimeout(() => this.#child?.kill('SIGKILL'), timeout);
    await exit.finally(() => clearTimeout(timer));
  }
}

export class ProgramInstance implements Instance {
  readonly #recipe: ProgramRecipe;
  readonly #order: LaunchOrder;
  readonly #site: ProgramSite;
  readonly #signal: AbortSignal;
  readonly #process: ServerProcess;
  #found: Probe = { product: '', version: '', identity: '' };

  constructor(recipe: ProgramRecipe, order: LaunchOrder, port: number, context: LaunchContext) {
    this.#recipe = recipe;
    this.#order = order;
    this.#site = createSite(order, port, context);
    this.#signal = context.signal;
    const args = [...recipe.args(this.#site), ...(order.args ?? [])];
    this.#process = new ServerProcess(recipe.program, args, this.#site.dir);
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
      url: this.#recipe.url(this.#site),
      host: '127.0.0.1',
      port: this.#site.port,
      dir: this.#site.kept ?? this.#site.dir,
      ...(pid === undefined ? {} : { pid }),
    };
  }

  async launch(): Promise<void> {
    await this.#recipe.prepare(this.#site, this.#signal);
    await this.restart();
    requireSupported(this.#found.product, this.#found.version, this.#recipe.program);
  }

  async restart(): Promise<void> {
    await this.stop();
    this.#signal.throwIfAborted();
    this.#process.start();
    this.#found = await untilReady({
      probe: () => this.#recipe.probe(this.#site),
      accept: (probe) => this.#recipe.owns(probe, this.#site, this.#process.pid),
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
    await rm(this.#site.dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

function createSite(order: LaunchOrder, port: number, context: LaunchContext): ProgramSite {
  const dir = mkdtempSync(join(context.dir, `${order.name}-`));
  if (order.dir === undefined) return { dir, port };
  mkdirSync(order.dir, { recursive: true });
  return { dir, port, kept: order.dir };
}
