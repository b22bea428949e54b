import { type ChildProcess, spawn } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { onTestFinished, type TestContext } from 'vitest';
import { childEnvironment } from '../../src/config/environment.ts';
import type { SettingName } from '../../src/config/settings.ts';
import { until } from './until.ts';

export type Settings = Partial<Record<SettingName, string>>;

const SOURCE = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** A command of `recency` in a process of its own. Disposing of it kills it. */
export class CliProcess implements AsyncDisposable {
  stdout = '';
  stderr = '';
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly #child: ChildProcess;
  #isSignalled = false;

  /** @param main the command's file; the source by default @param more variables beside the settings */
  constructor(args: readonly string[], settings: Settings, { main = SOURCE, cwd = process.cwd(), more = {} } = {}) {
    // Nobody balances requests here; versions before this one do not know the setting.
    const own = main === SOURCE ? { DRAIN_MS: '0', ...settings } : settings;
    const env = { ...(childEnvironment(own) as NodeJS.ProcessEnv), ...more };
    this.#child = spawn(process.execPath, [main, ...args], { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.ended = new Promise((resolve) => this.#child.once('close', (code, signal) => resolve({ code, signal })));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  signal(signal: NodeJS.Signals): void {
    this.#isSignalled = true;
    this.#child.kill(signal);
  }

  /**
   * Kills it when the test has finished. If the test has failed, and the process ended by itself, shows what it said.
   * @param test the one that it belongs to; or what calls back without one, for the processes of a whole file
   */
  killAtEnd(test: Pick<TestContext, 'onTestFinished'> = { onTestFinished }): this {
    test.onTestFinished(async (finished?: Pick<TestContext, 'task'>) => {
      const { exitCode } = this.#child;
      const hasEnded = exitCode !== null && !this.#isSignalled;
      await this[Symbol.asyncDispose]();
      if (hasEnded && finished?.task.result?.state === 'fail')
        console.error(
          `${this.#child.spawnargs.slice(1).join(' ')} ended with ${exitCode}:\n${this.stdout}\n${this.stderr}`,
        );
    });
    return this;
  }

  /** Waits until the output contains this text. The timeout allows for a busy machine. */
  async says(text: string, timeout = 180_000): Promise<void> {
    const heard = () => `${this.stdout}\n${this.stderr}`;
    const over = this.ended.then(({ code }) => {
      throw new Error(`ended with ${code} without saying '${text}':\n${heard()}`);
    });
    await Promise.race([over, until(() => heard().includes(text), { timeout, what: `'${text}' in\n${heard()}` })]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }
}

/** What each process logs once it works. */
const WORKING = {
  serve: 'answering at',
  consume: 'consuming',
  relay: 'relaying',
  notify: 'notifying',
  capture: 'capture is ready',
};

/**
 * Starts a process of `recency`, waits until it works, and kills it when the test has finished.
 * @param context of the test, where tests run side by side
 * @param version whose command it is; the source by default
 */
export async function startProcess(
  command: keyof typeof WORKING,
  settings: Settings,
  context: Pick<TestContext, 'onTestFinished'> = { onTestFinished },
  version: { readonly main?: string; readonly cwd?: string } = {},
): Promise<CliProcess> {
  const cli = new CliProcess([command], settings, version).killAtEnd(context);
  await cli.says(WORKING[command]);
  return cli;
}

/** Runs a command to its end. */
export async function runCli(
  args: readonly string[],
  settings: Settings,
  options: { main?: string; cwd?: string } = {},
) {
  await using cli = new CliProcess(args, settings, options);
  const { code } = await cli.ended;
  const { stdout, stderr } = cli;
  return {
    code,
    stdout,
    stderr,
    json: () =>
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
  };
}
