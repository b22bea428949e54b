import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const PAGE = readFileSync(new URL('../../SECURITY.md', import.meta.url), 'utf8');

/** `api/access.unit`, and the beginning of a title in it. */
const NAMED = /`([\w/-]+\.(?:unit|int|e2e))`(?: \*([^*]+)\*)?/g;

/** The claims: the rows under "What holds", each with the tests that show it in its last cell. */
const CLAIMS = (PAGE.split('\n## What holds, and what shows it')[1]?.split('\n## ')[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| claim'))
  .map((line) => line.split(' | '))
  .map((cells) => [String(cells[0]?.slice(2)), String(cells.at(-1))] as const);

describe('SECURITY.md', () => {
  it('has claims', () => expect(CLAIMS.length).toBeGreaterThan(15));

  it.each(CLAIMS)('%s: a test shows it', (_claim, shown) => {
    expect([...shown.matchAll(NAMED)].length).toBeGreaterThan(0);
  });

  it.each([...PAGE.matchAll(NAMED)].map(([, file, title]) => [file, title]))(
    'names a test that is there: %s %s',
    (file, title) => {
      const path = `test/${file}.test.ts`;
      expect(existsSync(path), path).toBe(true);
      if (title !== undefined) expect(readFileSync(path, 'utf8').replaceAll("\\'", "'")).toContain(title);
    },
  );
});
