/**
 * `npm run pack`: the tarball that sites install. package.json lists what belongs in it under `files`; here that is built,
 * and gets what the root of a repository cannot have: an npm-shrinkwrap.json, so that every site gets the very packages that
 * were tested, each with its hash. (npm leaves package-lock.json out of tarballs, and would use a shrinkwrap in the root instead of it.)
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { isMain } from './is-main.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What only a checkout needs. Without `private` the tarball may be published. */
const OF_THE_CHECKOUT = ['private', 'workspaces', 'scripts', 'allowScripts', 'devDependencies', 'overrides'];

const SHRINKWRAP = 'npm-shrinkwrap.json';

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly link?: boolean }>>;
}

/**
 * Packs a build.
 * @param dist the build
 * @param destination the folder for the tarball
 * @returns the tarball's path
 */
export function pack(dist: string, destination: string): string {
  const staged = mkdtempSync(join(tmpdir(), 'recency-pack-'));
  try {
    const manifest = readJson('package.json');
    for (const name of manifest.files) {
      const source = name === 'dist' ? dist : join(root, name);
      if (!existsSync(source)) throw new Error(`${source} is missing: it is one of the files that package.json names`);
      cpSync(source, join(staged, name), { recursive: true });
    }
    const own = { ...without(manifest, OF_THE_CHECKOUT), files: [...manifest.files, SHRINKWRAP] };
    writeJson(join(staged, 'package.json'), own);
    writeJson(join(staged, SHRINKWRAP), shrinkwrapOf(own));
    const args = ['pack', '--silent', '--pack-destination', destination];
    const [name] = execFileSync('npm', args, { cwd: staged, encoding: 'utf8' }).trim().split('\n').slice(-1);
    return join(destination, String(name));
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

/** The part of the lock file that an installation for production takes. */
function shrinkwrapOf(manifest: Record<string, unknown>) {
  const { packages, ...rest } = readJson('package-lock.json') as unknown as Lock;
  const installed = Object.entries(packages).filter(
    ([path, { dev, link }]) => path.startsWith('node_modules/') && !dev && !link,
  );
  const { name, version, license, dependencies, bin, engines } = manifest;
  const self = { name, version, license, dependencies, bin, engines };
  return { ...rest, name, version, packages: { '': self, ...Object.fromEntries(installed) } };
}

function without(value: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

function readJson(name: string) {
  return JSON.parse(readFileSync(join(root, name), 'utf8'));
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

if (isMain(import.meta.url)) {
  execFileSync(process.execPath, [join(root, 'scripts', 'build.ts')], { stdio: 'inherit' });
  console.log(pack(join(root, 'dist'), resolve(process.argv[2] ?? root)));
}
