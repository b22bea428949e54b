import process from 'node:process';
import { type Browser, chromium } from 'playwright-core';
import { mayInstall } from '../../src/tools/devservers/given.ts';
import { aptInstall, aptUnavailable, findProgram } from '../../src/tools/devservers/launch/machine.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/**
 * Starts a browser of this machine; where there is none, and the tests may install programs, Debian's. Returns the reason
 * where that is not possible here.
 * @throws the same with `CI=true`
 */
export async function startChromium(): Promise<Browser | string> {
  const program = await findOrInstall();
  if (program.startsWith('/')) {
    // Without the sandbox, which root may not use: it opens only pages of the test's own.
    return await chromium.launch({ executablePath: program, args: ['--no-sandbox'] });
  }
  if (process.env.CI === 'true') throw new Error(program);
  return program;
}

/** The program's path, or why there is none. */
async function findOrInstall(): Promise<string> {
  const found = findProgram(...NAMES);
  if (found !== undefined) return found;
  const advice = 'Chromium is not available here: `apt-get install chromium` installs it (Debian and Ubuntu, as root)';
  const reason = mayInstall(process.env) ? aptUnavailable() : 'the tests may not install it';
  if (reason !== undefined) return `${advice}; ${reason}`;
  console.log('Chromium: installing it');
  await aptInstall(['chromium']);
  return findProgram(...NAMES) ?? `${advice}; installing it did not help`;
}
