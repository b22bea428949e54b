import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childEnvironment, type Environment } from '../../../config/environment.ts';
import type { SettingName } from '../../../config/settings.ts';
import { StartError } from '../../../config/start-error.ts';
import type { Namespace } from '../namespace.ts';
import type { ProcessLogs } from './process-logs.ts';
import { USAGE_QUESTION, type UsageReport } from './usage.ts';

export interface Member {
  /** For people, and unique. */
  readonly name: string;
  /** The path of the module that it runs; see {@link modulePath}. */
  readonly module: string;
  readonly args: readonly string[];
  readonly settings?: Partial<Record<SettingName, string>>;
}

/** The processes of one demonstration or benchmark. */
export class ProcessGroup {
  /** Rejects when a process ends unexpectedly. */
  readonly failed: Promise<never>;
  readonly #settings: Namespace['settings'];
  readonly #logs: ProcessLogs;
  readonly #members = new Set<ServiceProcess>();
  readonly #fail: (reason: Error) => void;

  constructor({ settings }: Namespace, logs: ProcessLogs) {
    this.#settings = settings;
    this.#logs = logs;
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined); // those who wait for it get the error
    this.failed = promise;
    this.#fail = reject;
  }

  start({ name, module, args, settings = {} }: Member): ServiceProcess {
    const member = new ServiceProcess({
      name,
      module,
      args,
      environment: childEnvironment({ ...this.#settings, ...settings }),
      logFile: this.#logs.fileOf(name),
    });
    this.#members.add(member);
    member.failed.catch((reason: Error) => this.#fail(reason));
    return member;
  }

  async stop(member: ServiceProcess): Promise<void> {
    await member.stop();
    this.#members.delete(member);
  }

  async kill(member: ServiceProcess): Promise<void> {
    await member.kill();
    this.#members.delete(member);
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#members].map((member) => this.stop(member)));
  }
}

/**
 * The path of a module to run, with the extension of the module that knows it: `.ts` in a checkout, `.js` in a build.
 * @param from the `import.meta.url` of that module
 * @param module relative to it, without its extension
 */
export function modulePath(from: string, module: string): string {
  return fileURLToPath(new URL(`${module}${extname(from)}`, from));
}

/** The command line, `recency`. */
export const RECENCY = modulePath(import.meta.url, '../../../cli/main');

/** Loaded first by each process. */
const PRELOADS = ['./end-with-parent', './report-usage'].map((module) => modulePath(import.meta.url, module));

type ServiceOptions = Omit<Member, 'settings'> & { readonly environment: Environment; readonly logFile: string };

/** After this many ms SIGKILL follows; draining takes less. */
const STOP_TIMEOUT_MS = 15_000;

/** A process of Recency. It ends at the latest with this process. Ctrl-C in a terminal does not reach it. */
export class ServiceProcess {
  readonly name: string;
  /** Rejects when the process ends unexpectedly. */
  readonly failed: Promise<never>;
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #expected = false;

  constructor(options: ServiceOptions) {
    this.name = options.name;
    this.#child = start(options);
    const { promise, reject } = Promise.withResolvers<never>();
    this.failed = promise;
    promise.catch(() => undefined); // those who wait for it get the error
    this.#ended = new Promise((resolve) => {
      this.#child.once('error', (error) => reject(new StartError(`${this.name} did not start: ${error.message}`)));
      this.#child.once('exit', (code, signal) => {
        if (!this.#expected) reject(new StartError(`${this.name} ended by itself (${signal ?? `exit code ${code}`})`));
        resolve();
      });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  onMessage(listener: (message: unknown) => void): void {
    this.#child.on('message', listener);
  }

  send(message: object): void {
    this.#child.send(message);
  }

  /** What it uses; not what those use that it has started. @throws StartError when it ends meanwhile */
  async usage(): Promise<UsageReport> {
    const reply = new Promise<UsageReport>((resolve) => {
      const listen = (message: unknown) => {
        if (typeof message !== 'object' || message === null || !('cpuMicroseconds' in message)) return;
        this.#child.off('message', listen);
        resolve(message as UsageReport);
      };
      this.#child.on('message', listen);
    });
    this.#child.send(USAGE_QUESTION);
    return await Promise.race([reply, this.failed]);
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.kill(signal);
  }

  /** Sends SIGKILL and returns when the process is gone. */
  async kill(): Promise<void> {
    this.#expected = true;
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** Sends SIGTERM, and SIGKILL if the process does not end in time. */
  async stop(): Promise<void> {
    this.#expected = true;
    this.#child.kill('SIGTERM');
    this.#child.kill('SIGCONT'); // a stopped one would not hear the other
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await this.#ended;
    clearTimeout(timer);
  }
}

function start({ module, args, environment, logFile }: ServiceOptions): ChildProcess {
  const log = openSync(logFile, 'a');
  try {
    return fork(module, args, {
      detached: true,
      execArgv: PRELOADS.flatMap((module) => ['--import', module]),
      env: { ...environment },
      stdio: ['ignore', log, log, 'ipc'],
    });
  } finally {
    closeSync(log);
  }
}
