/**
 * The licences of all packages in package-lock.json: which there are, and docs/licences.md, which lists them. `npm run licences`
 * writes that page; `npm sbom` says the same of what is installed, as an SBOM.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { isMain } from './is-main.ts';

/** A package as the lock file has it. */
export interface LicensedPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression; undefined: the package states none in the form that npm knows. */
  readonly licence: string | undefined;
  /** Is it installed in production? Otherwise it only builds and tests. */
  readonly runs: boolean;
}

/** Packages whose package.json is of a time before SPDX expressions, with the licence that their LICENSE file has. */
const STATED_OTHERWISE: Readonly<Record<string, string>> = {
  buildcheck: 'MIT',
  'cpu-features': 'MIT',
  ssh2: 'MIT',
};

const LOCK = new URL('../package-lock.json', import.meta.url);
const PAGE = new URL('../docs/licences.md', import.meta.url);

interface LockedPackage {
  readonly name?: string;
  readonly version: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
}

/** Every package that `npm ci` may install, on any platform. The project's own workspaces are not among them. */
export function licensedPackages(): LicensedPackage[] {
  const { packages } = JSON.parse(readFileSync(LOCK, 'utf8')) as { packages: Record<string, LockedPackage> };
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && !link)
    .map(([path, { name, version, license, dev, devOptional }]) => {
      const installedAs = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      const licence = license ?? STATED_OTHERWISE[installedAs];
      return { name: name ?? installedAs, version, licence, runs: !dev && !devOptional };
    });
}

/** The page, without versions, so that it changes only where a package or a licence does. */
export function licencesPage(packages: readonly LicensedPackage[]): string {
  const table = (runs: boolean) => {
    const byLicence = Map.groupBy(
      packages.filter((one) => one.runs === runs),
      ({ licence }) => licence ?? 'none stated',
    );
    const rows = [...byLicence].map(([licence, some]) => {
      const names = [...new Set(some.map(({ name }) => name))].sort();
      return `| ${licence} | ${names.length} | ${names.join(', ')} |`;
    });
    return ['| licence | packages | |', '|---|---|---|', ...rows.sort()].join('\n');
  };
  return `# Licences of the dependencies

Written by \`npm run licences\` from package-lock.json; a test compares it, and allows no licence that is not in its list. \`npm run sbom\`
prints the same with versions and hashes, as CycloneDX.

## In production

${table(true)}

## Only to build and test

${table(false)}
`;
}

if (isMain(import.meta.url)) writeFileSync(PAGE, licencesPage(licensedPackages()));
