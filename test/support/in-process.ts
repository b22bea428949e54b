import { vi } from 'vitest';
import { runCommandLine } from '../../src/cli/program.ts';
import { childEnvironment } from '../../src/config/environment.ts';
import type { Settings } from './cli.ts';

/** Runs a command of `recency` in this process, which is much quicker than a process of its own. Not reentrant. */
export async function runInProcess(args: readonly string[], settings: Settings) {
  const before = { ...process.env };
  const said = { stdout: '', stderr: '' };
  const hear = (name: 'stdout' | 'stderr') =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      said[name] += String(text);
      return true;
    });
  const spies = [hear('stdout'), hear('stderr')];
  process.env = { ...childEnvironment(settings) };
  try {
    const code = await runCommandLine(args);
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
    process.env = before;
    for (const spy of spies) spy.mockRestore();
  }
}
