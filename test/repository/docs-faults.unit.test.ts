import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const PAGE = readFileSync(new URL('../../docs/faults.md', import.meta.url), 'utf8');

/** The rows of both tables: what it is about, and the last cell, which says what shows it. */
const ROWS = PAGE.split('\n')
  .filter((line) => line.startsWith('| ') && line.includes('`'))
  .map((line) => line.split(' | '))
  .map((cells) => [String(cells.slice(0, 2).join(' ')), String(cells.at(-1))] as const);

/** The text of the tests that a name on the page stands for. The conformance of transports is in a folder of its own. */
function testsNamed(name: string): string[] {
  const files = name.startsWith('transport/*') ? globSync('test/transport/*.ts') : [`test/${name}.test.ts`];
  return files.map((file) => readFileSync(file, 'utf8'));
}

describe('docs/faults.md', () => {
  it('has every fault, in order', () => {
    const numbers = ROWS.map(([about]) => Number(/^\| (\d+) /.exec(about)?.[1])).filter((number) => number > 0);
    expect(numbers).toEqual(Array.from({ length: 39 }, (_, i) => i + 1));
  });

  it.each(ROWS)('%s: its tests are there, under their titles', (_about, shown) => {
    const named = [...shown.matchAll(/`([\w./*-]+\.(?:unit|int|e2e|long))`([^`]*)/g)];
    expect(named.length).toBeGreaterThan(0);
    for (const [, name = '', titles = ''] of named) {
      const text = testsNamed(name).join('\n');
      const parts = [...titles.matchAll(/\*([^*]+)\*/g)].flatMap(([, title = '']) => title.split('…'));
      for (const part of parts) expect(text, `${name}: ${part}`).toContain(part.trim());
    }
  });
});
