import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const LENGTH = 'test/support/length.ts';

/** Properties on servers have a long form only in the number of their cases: docs/testing.md says it of all of them. */
const CASES = 'test/support/cases.ts';

/** The project's own modules that a module imports. */
function importsOf(file: string): string[] {
  const imported = readFileSync(file, 'utf8').matchAll(/^(?:import|export) [^;]*?from '(\.[^']+)';$/gms);
  return [...imported].map(([, path = '']) => join(dirname(file), path)).filter((path) => existsSync(path));
}

/** Does the module, or a helper of the tests that it imports, have a long form? */
function hasLongForm(file: string, seen = new Set<string>()): boolean {
  if (seen.has(file)) return false;
  seen.add(file);
  return importsOf(file).some(
    (path) => path === LENGTH || (path.startsWith('test/') && path !== CASES && hasLongForm(path, seen)),
  );
}

const long = globSync('test/**/*.test.ts')
  .filter((file) => file.endsWith('.long.test.ts') || hasLongForm(file))
  .sort();

describe('the long form of the tests', () => {
  it('is that of the files which docs/testing.md lists, and of no others', () => {
    const listed = [...readFileSync('docs/testing.md', 'utf8').matchAll(/^\| `(test\/\S+\.test\.ts)` \|/gm)];
    expect(listed.map(([, file]) => file).sort()).toEqual(long);
  });
});
