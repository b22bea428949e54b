import { vi } from 'vitest';
import type { Times } from '../../src/app/run-process.ts';
import { runCommandLine } from '../../src/cli/program.ts';
import { childEnvironment, type Environment } from '../../src/config/environment.ts';
import type { Settings } from './cli.ts';

/** The last command that was begun: tests that run side by side take turns, because a command has the environment and stdout. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command of `recency` in this process, at a tenth of the processor time that a process of its own takes. For
 * commands that end by themselves.
 * @param times shorter than the default ones
 */
export async function runInProcess(args: readonly string[], settings: Settings, times: Partial<Times> = {}) {
  const mine = last.then(() => runAlone(args, settings, times));
  last = mine.catch(() => undefined);
  return await mine;
}

async function runAlone(args: readonly string[], settings: Settings, times: Partial<Times>) {
  const before = { ...process.env };
  const said = { stdout: '', stderr: '' };
  const hear = (name: 'stdout' | 'stderr') =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      said[name] += String(text);
      return true;
    });
  const spies = [hear('stdout'), hear('stderr')];
  become(childEnvironment(settings));
  try {
    const code = await runCommandLine(args, times);
    return {
      code,
      ...said,
      json: () =>
        said.stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
    };
  } finally {
    become(before);
    for (const spy of spies) spy.mockRestore();
  }
}

/** Changes the variables one by one: another object in place of `process.env` would keep what `vi.stubEnv` takes back. */
function become(environment: Environment): void {
  for (const name of Object.keys(process.env)) if (environment[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(environment)) if (value !== undefined) process.env[name] = value;
}
