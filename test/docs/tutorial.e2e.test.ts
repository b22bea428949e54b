import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { jarsFolder } from '../../src/tools/devservers/launch/kafka-runtime.ts';
import { runOf } from '../support/page-block-runs.ts';
import { blocksOf, shownPattern } from '../support/page-blocks.ts';
import { runBlocks } from '../support/page-shell.ts';

const LEASH = fileURLToPath(new URL('../support/devservers-leash.ts', import.meta.url));

/** What the page needs of a clone. */
const CLONE = ['src', 'scripts', 'migrations', 'node_modules', 'package.json'];

/** A folder that looks like a clone, with servers of its own; they end with the test, however it ends. */
function cloneOf(): { readonly cwd: string; readonly env: NodeJS.ProcessEnv } {
  const cwd = mkdtempSync(join(tmpdir(), 'recency-tutorial-'));
  for (const name of CLONE) symlinkSync(resolve(name), join(cwd, name));
  mkdirSync(join(cwd, '.recency'));
  mkdirSync(join(cwd, 'tmp')); // stacks are known by what lies among the temporary files
  if (existsSync(jarsFolder())) symlinkSync(jarsFolder(), join(cwd, '.recency', basename(jarsFolder())));
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('RECENCY_'));
  const env = { ...Object.fromEntries(own), TMPDIR: join(cwd, 'tmp') };
  const leash = spawn(process.execPath, [LEASH], { cwd, env, detached: true, stdio: ['pipe', 'ignore', 'inherit'] });
  onTestFinished(async () => {
    leash.stdin?.end();
    await once(leash, 'exit');
  });
  return { cwd, env };
}

it('docs/tutorial.md: each command works, in its order, and prints what the page shows', async () => {
  const { cwd, env } = cloneOf();
  const port = String(await freePort());
  const blocks = blocksOf('docs/tutorial.md')
    .filter((block) => 'ranBy' in (runOf(block) ?? {}))
    .map((block) => ({ ...block, code: block.code.replaceAll('8470', port) }));
  const settings = { RECENCY_PORT: port, RECENCY_METRICS_PORT: '0' };
  const runs = await runBlocks(blocks, { cwd, env: { ...env, ...settings }, timeout: 150_000, merged: true });
  expect(runs.filter(({ shown }) => shown !== undefined).length).toBeGreaterThan(8);
  for (const { code, output, shown } of runs) {
    if (shown !== undefined) expect(`${output.trimEnd()}\n`, code).toMatch(shownPattern(shown.code));
  }
});
