/**
 * `npm run pack [FOLDER]`: builds, and makes the tarball that sites install. package.json names what belongs in it (`files`); what
 * only a checkout needs is left out of its own package.json. `private` is among that: nobody publishes a tree without a build.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { isMain } from './is-main.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const OF_THE_CHECKOUT = ['private', 'workspaces', 'scripts', 'allowScripts', 'devDependencies', 'overrides'];

/**
 * Packs a build.
 * @param dist the build
 * @param destination the folder for the tarball
 * @returns the tarball's path
 * @throws when one of the files that package.json names is missing
 */
export function pack(dist: string, destination: string): string {
  const staged = mkdtempSync(join(tmpdir(), 'recency-pack-'));
  try {
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    for (const name of manifest.files) {
      const source = name === 'dist' ? dist : join(root, name);
      if (!existsSync(source)) throw new Error(`${source} is missing: it is one of the files that package.json names`);
      cpSync(source, join(staged, name), { recursive: true });
    }
    const own = Object.entries(manifest).filter(([name]) => !OF_THE_CHECKOUT.includes(name));
    writeFileSync(join(staged, 'package.json'), `${JSON.stringify(Object.fromEntries(own), null, 2)}\n`);
    const args = ['pack', '--silent', '--pack-destination', destination];
    const name = execFileSync('npm', args, { cwd: staged, encoding: 'utf8' }).trim().split('\n').at(-1);
    return join(destination, String(name));
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

if (isMain(import.meta.url)) {
  execFileSync(process.execPath, [join(root, 'scripts', 'build.ts')], { stdio: 'inherit' });
  console.log(pack(join(root, 'dist'), resolve(process.argv[2] ?? root)));
}
