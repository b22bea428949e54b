import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../../../config/child-environment.ts';
import type { SettingName } from '../../../config/settings.ts';
import type { Place } from '../place.ts';
import type { ProcessLogs } from './process-logs.ts';
import { ServiceProcess } from './service-process.ts';

export interface Member {
  /** For people, and unique. */
  readonly name: string;
  /** Without its extension, relative to this file. */
  readonly module: string;
  readonly args: readonly string[];
  readonly settings?: Partial<Record<SettingName, string>>;
}

/** The processes of one demonstration or benchmark. */
export class Fleet {
  /** Rejects when one of them ends although nobody asked it to. */
  readonly failed: Promise<never>;
  readonly #settings: Place['settings'];
  readonly #logs: ProcessLogs;
  readonly #members = new Set<ServiceProcess>();
  readonly #fail: (reason: Error) => void;

  constructor({ settings }: Place, logs: ProcessLogs) {
    this.#settings = settings;
    this.#logs = logs;
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined); // whoever waits for it hears of it
    this.failed = promise;
    this.#fail = reject;
  }

  start({ name, module, args, settings = {} }: Member): ServiceProcess {
    const member = new ServiceProcess({
      name,
      module: pathOf(module),
      args,
      environment: childEnvironment({ ...this.#settings, ...settings }),
      logFile: this.#logs.fileOf(name),
      preload: pathOf('./end-with-parent'),
    });
    this.#members.add(member);
    member.failed.catch((reason: Error) => this.#fail(reason));
    return member;
  }

  /** Ends one, in order. */
  async stop(member: ServiceProcess): Promise<void> {
    await member.stop();
    this.#members.delete(member);
  }

  /** Ends one at once. */
  async kill(member: ServiceProcess): Promise<void> {
    await member.kill();
    this.#members.delete(member);
  }

  /** Ends all. */
  async stopAll(): Promise<void> {
    await Promise.all([...this.#members].map((member) => this.stop(member)));
  }
}

/** Of a module beside this one, as source or as built. */
function pathOf(module: string): string {
  return fileURLToPath(new URL(`${module}${extname(import.meta.url)}`, import.meta.url));
}
