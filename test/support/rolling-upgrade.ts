/** The processes of a site, replaced by those of another version in the order of docs/upgrading.md. */
import { expect } from 'vitest';
import { type CliProcess, runCli, type Settings, startProcess } from './cli.ts';

type Name = 'serve' | 'consume' | 'relay';

/** The command of a version. */
interface Version {
  readonly main: string;
  readonly cwd: string;
}

/** In the order in which they are replaced. */
const PROCESSES: readonly Name[] = ['consume', 'consume', 'relay', 'serve', 'serve'];

export class RollingUpgrade {
  readonly #settings: Settings;
  readonly #oldSettings: Settings;
  readonly #running: CliProcess[];

  private constructor(settings: Settings, oldSettings: Settings, running: readonly CliProcess[]) {
    this.#settings = settings;
    this.#oldSettings = oldSettings;
    this.#running = [...running];
  }

  /**
   * Starts two of `serve` and `consume` and one `relay`.
   * @param old the version that they are of
   * @param added settings that it does not know
   */
  static async begin(old: Version, settings: Settings, added: readonly (keyof Settings)[]) {
    const known = Object.entries(settings).filter(([name]) => !added.includes(name as keyof Settings));
    const oldSettings: Settings = Object.fromEntries(known);
    const started = PROCESSES.map((name) => startProcess(name, oldSettings, undefined, old));
    return new RollingUpgrade(settings, oldSettings, await Promise.all(started));
  }

  /** The addresses at which the API answers, or has answered until now. */
  get servers(): string[] {
    const serving = this.#running.filter((_, i) => PROCESSES[i] === 'serve');
    return serving.map(({ stdout }) => String(/"address":"(http:[^"]+)"/.exec(stdout)?.[1]));
  }

  /**
   * Migrates, and replaces one process after another: each gets SIGTERM, and only when it has ended its successor starts.
   * @param meanwhile is waited for after each step, so that both versions work side by side
   */
  async run(version: Version, meanwhile: () => Promise<unknown>): Promise<void> {
    const { code, stderr } = await runCli(['migrate'], this.#settings, version);
    expect(code, stderr).toBe(0);
    for (const [i, name] of PROCESSES.entries()) {
      await this.#replace(i, name, { version, settings: this.#settings });
      await meanwhile();
    }
  }

  /** The same in the other order, on the newer tables. @param old the version before */
  async goBack(old: Version, meanwhile: () => Promise<unknown>): Promise<void> {
    for (const [i, name] of [...PROCESSES.entries()].toReversed()) {
      await this.#replace(i, name, { version: old, settings: this.#oldSettings });
      await meanwhile();
    }
  }

  async #replace(i: number, name: Name, by: { version: Version; settings: Settings }): Promise<void> {
    const old = this.#running[i] as CliProcess;
    old.signal('SIGTERM');
    expect(await old.ended, `${name} ends in order`).toMatchObject({ code: 0 });
    this.#running[i] = await startProcess(name, by.settings, undefined, by.version);
  }
}
