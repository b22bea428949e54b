import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The package as installed, but not built, in a folder of its own: the `files` of package.json, and its dependencies. */
export function packageFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'recency-built-'));
  for (const name of ['bin', 'package.json', 'migrations']) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function build(folder: string): void {
  execFileSync(process.execPath, [join(root, 'scripts', 'build.ts'), join(folder, 'dist')], { stdio: 'inherit' });
}

/** The command of a package. */
export function commandOf(folder: string): { readonly main: string; readonly cwd: string } {
  return { main: join(folder, 'bin', 'recency.mjs'), cwd: folder };
}
