import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastLines } from './run-program.ts';

/** A server that did not live long enough to answer. */
export class EndedWhileStarting extends Error {
  override readonly name = 'EndedWhileStarting';
  /** Somebody else listens on the port. */
  readonly portTaken: boolean;

  constructor(program: string, log: string) {
    super(`${program} ended while starting:\n${lastLines(log)}`);
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

  /** @param dir its working directory, and where its output goes: that tells whose it is when its owner was killed */
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
      this.#child.on('error', () => undefined); // `ended` tells of it: a child that never began has no pid
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

  /** Returns once the process is gone; after the time it is killed. */
  async end(signal: NodeJS.Signals, timeout: number): Promise<void> {
    if (this.ended || this.#child === undefined) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill(signal);
    const timer = setTimeout(() => this.#child?.kill('SIGKILL'), timeout);
    await exit.finally(() => clearTimeout(timer));
  }
}
