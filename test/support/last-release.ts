/** The last release before this tree, out of its own history. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { installedIn, installInto, npmEnvironment } from './installed-tarball.ts';
import { keptFolder } from './kept.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root, maxBuffer: 1e9 });

export interface Release {
  readonly version: string;
  /** The first commit whose CHANGELOG.md has the version. */
  readonly commit: string;
}

/** Undefined: the history holds none, because there is none, it was not cloned as a whole, or this is no checkout. */
export function lastRelease(): Release | undefined {
  if (!existsSync(join(root, '.git'))) return undefined;
  const head = String(git('rev-parse', 'HEAD')).trim();
  const versions = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').matchAll(/^## \[(\d+\.\d+\.\d+)\]/gm);
  for (const [heading, version = ''] of versions) {
    const changed = String(git('log', '--reverse', '--format=%H', `-S${heading}`, '--', 'CHANGELOG.md'));
    const [commit = ''] = changed.split('\n');
    if (commit !== '' && commit !== head) return { version, commit };
  }
  return undefined;
}

/** Packs a release as it was packed then, and installs the tarball; kept for later runs. @returns its command */
export function installRelease({ commit }: Release): ReturnType<typeof installedIn> {
  const folder = keptFolder('releases', commit, (kept) => {
    const source = join(kept, 'source');
    mkdirSync(source);
    installInto(kept, packRelease(commit, source));
    rmSync(source, { recursive: true });
  });
  return installedIn(folder);
}

/** @param folder for its source @returns the tarball's path */
function packRelease(commit: string, folder: string): string {
  execFileSync('tar', ['-x', '-C', folder], { input: git('archive', commit) });
  installDependencies(folder);
  const said = execFileSync(process.execPath, [join(folder, 'scripts', 'pack.ts'), folder], { encoding: 'utf8' });
  return String(said.trim().split('\n').at(-1));
}

/** Those of its lock file: this tree's own, where that is the same. */
function installDependencies(folder: string): void {
  const lock = (of: string) => readFileSync(join(of, 'package-lock.json'), 'utf8');
  if (lock(folder) === lock(root)) {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    return;
  }
  const args = ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit'];
  execFileSync('npm', args, { cwd: folder, env: npmEnvironment(), timeout: 600_000 });
}
