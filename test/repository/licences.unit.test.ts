import { readFileSync } from 'node:fs';
import satisfies from 'spdx-satisfies';
import { describe, expect, it } from 'vitest';
import { licencesPage, licensedPackages } from '../../scripts/licences.ts';

/** They let an MIT licensed service be used, changed and passed on, also as an image with all packages inside. */
const PERMISSIVE = [
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'Unlicense',
  'CC0-1.0',
  'Zlib',
];

/** These do for tools that are not passed on: Python's, MPL 2.0 (about changed files of its own only), CC-BY 3.0 (tables of data). */
const FOR_TOOLS = [...PERMISSIVE, 'Python-2.0', 'MPL-2.0', 'CC-BY-3.0'];

const packages = licensedPackages();

function refused(runs: boolean, allowed: string[]) {
  return packages.filter((one) => one.runs === runs).filter(({ licence }) => !isAllowed(licence, allowed));
}

function isAllowed(licence: string | undefined, allowed: string[]): boolean {
  return licence !== undefined && satisfies(licence, allowed);
}

describe('the licence of every dependency', () => {
  it('is allowed, in production', () => expect(refused(true, PERMISSIVE)).toEqual([]));

  it('is allowed, for building and testing', () => expect(refused(false, FOR_TOOLS)).toEqual([]));

  it.each([undefined, 'GPL-3.0-only', '(MIT AND GPL-3.0-only)', 'MPL-2.0'])(
    'would be refused in production: %s',
    (licence) => {
      expect(isAllowed(licence, PERMISSIVE)).toBe(false);
    },
  );

  it('is on the page', () => {
    const page = readFileSync(new URL('../../docs/licences.md', import.meta.url), 'utf8');
    expect(page, 'run `npm run licences`').toBe(licencesPage(packages));
    for (const name of Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).dependencies))
      expect(page).toContain(name);
  });
});
