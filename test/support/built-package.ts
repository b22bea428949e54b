import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { hashOf, keptFolder } from './kept.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What a build depends on; the compiler's version is in the lock file. */
const BUILT_FROM = ['src', 'scripts/build.ts', 'tsconfig.build.json', 'tsconfig.json', 'package-lock.json'];

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

/** Builds this tree, once for all test files, and puts the build into a package's folder. */
export function build(folder: string): void {
  const built = keptFolder('builds', hashOf(...BUILT_FROM), (kept) => {
    execFileSync(process.execPath, [join(root, 'scripts', 'build.ts'), kept], { stdio: 'inherit' });
  });
  cpSync(built, join(folder, 'dist'), { recursive: true });
}

/** The command of a package. */
export function commandOf(folder: string): { readonly main: string; readonly cwd: string } {
  return { main: join(folder, 'bin', 'recency.mjs'), cwd: folder };
}
