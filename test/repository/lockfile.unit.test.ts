/**
 * What `npm ci` installs is what somebody reviewed. lockfile-lint has no check for a lock file without `resolved`, which is how
 * `.npmrc` wants it: no host of a mirror gets into the file, npm takes each package from the registry that it is set up
 * for (by default https://registry.npmjs.org), and the hash says what it must be, wherever it came from.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
}

const LOCK = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8');
const PACKAGE = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

const REGISTRY = 'https://registry.npmjs.org/';

/** What is wrong with the packages of a lock file, one line each. The project itself and its workspaces are no packages. */
function problemsOf(packages: Readonly<Record<string, LockedPackage>>): string[] {
  const installed = Object.entries(packages).filter(
    ([path]) => path.startsWith('node_modules/') || path.includes('/node_modules/'),
  );
  return installed.flatMap(([path, { version, resolved, integrity, link }]) => {
    if (link) return /^(packages|examples)\/[\w-]+$/.test(resolved ?? '') ? [] : [`${path} links out of the project`];
    return [
      ...(/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version ?? '') ? [] : [`${path} has no version`]),
      ...(/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? '') ? [] : [`${path} has no SHA-512 hash`]),
      ...(resolved === undefined || resolved.startsWith(REGISTRY) ? [] : [`${path} comes from ${resolved}`]),
    ];
  });
}

describe('package-lock.json', () => {
  it('names of every package the version and a hash, and no source but the public registry', () => {
    const { lockfileVersion, packages } = JSON.parse(LOCK);
    expect(lockfileVersion).toBe(3);
    expect(Object.keys(packages).length).toBeGreaterThan(100);
    expect(problemsOf(packages)).toEqual([]);
  });

  it.each<[string, LockedPackage]>([
    ['no SHA-512 hash', { version: '1.0.0' }],
    ['no SHA-512 hash', { version: '1.0.0', integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }],
    [
      'comes from',
      { version: '1.0.0', integrity: `sha512-${'A'.repeat(86)}==`, resolved: 'https://mirror.example/x.tgz' },
    ],
    [
      'comes from',
      { version: '1.0.0', integrity: `sha512-${'A'.repeat(86)}==`, resolved: 'git+ssh://git@example/x.git' },
    ],
    ['links out', { link: true, resolved: '../elsewhere' }],
    ['no version', { integrity: `sha512-${'A'.repeat(86)}==` }],
  ])('would be refused: %s', (problem, locked) => {
    expect(problemsOf({ 'node_modules/x': locked })).toEqual([expect.stringContaining(problem)]);
  });

  it('has every direct dependency pinned to one version', () => {
    const wanted = Object.entries<string>({ ...PACKAGE.dependencies, ...PACKAGE.devDependencies });
    expect(wanted.filter(([, version]) => !/^(npm:@?[\w/-]+@)?\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  it('lets only the packages that are named run a script when they are installed', () => {
    const { packages } = JSON.parse(LOCK);
    const withScripts = Object.entries<{ hasInstallScript?: boolean }>(packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => path.split('node_modules/').at(-1));
    expect(Object.keys(PACKAGE.allowScripts)).toEqual(expect.arrayContaining(withScripts));
    expect(Object.entries(PACKAGE.allowScripts).filter(([, allowed]) => allowed)).toEqual([['node', true]]);
  });
});
