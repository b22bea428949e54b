/** The package as a site installs it: from a tarball, in an empty folder. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { afterAll } from 'vitest';
import { pack } from '../../scripts/pack.ts';
import { childEnvironment } from '../../src/config/environment.ts';
import { build, commandOf, packageFolder } from './built-package.ts';

/**
 * As in a shell of its own: `npx` must not find the command in this project, and npm not take its settings from the run of the
 * tests. What is a machine's own, such as certificates and files of npm's settings, stays.
 */
export function npmEnvironment(): NodeJS.ProcessEnv {
  const others = (process.env.PATH ?? '').split(delimiter).filter((path) => !path.includes('node_modules'));
  const kept = Object.entries(childEnvironment({})).filter(([name]) => !name.startsWith('npm_'));
  return { ...Object.fromEntries(kept), PATH: [dirname(process.execPath), ...others].join(delimiter) };
}

type Command = ReturnType<typeof commandOf>;

interface Site {
  /** Where npm installed the tarball. */
  readonly folder: string;
  /** The command of the installed package. */
  readonly command: Command;
}

/** Builds this tree and packs it. @returns the tarball's path, and the command of the build; removed when the test file ends */
export function packTree(): { readonly tarball: string; readonly command: Command } {
  const folder = packageFolder();
  build(folder);
  return { tarball: pack(join(folder, 'dist'), folder), command: commandOf(folder) };
}

/** Installs a tarball, with its dependencies, in an empty folder, which is removed when the test file ends. */
export function installTarball(tarball: string): Site {
  const folder = mkdtempSync(join(tmpdir(), 'recency-site-')); // outside of any package: npm looks for one in the folders above
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  installInto(folder, tarball);
  return { folder, command: installedIn(folder) };
}

/** @param folder an empty one */
export function installInto(folder: string, tarball: string): void {
  const args = ['install', '--prefix', '.', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', tarball];
  execFileSync('npm', args, { cwd: folder, env: npmEnvironment(), timeout: 600_000 });
}

/** The command of the package that is installed in a folder. */
export function installedIn(folder: string): Command {
  return commandOf(join(folder, 'node_modules', 'recency'));
}
