import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const TEXT = readFileSync('docs/console.md', 'utf8');
const TEST = readFileSync('test/console/console.e2e.test.ts', 'utf8');

describe('docs/console.md', () => {
  it('shows every picture, and none that is missing', () => {
    const shown = [...TEXT.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, file = '']) => file);
    expect(shown.filter((file) => !existsSync(`docs/${file}`))).toEqual([]);
    expect(shown.toSorted()).toEqual(readdirSync('docs/console').map((file) => `console/${file}`));
  });

  it('has pictures that the test of the console takes, and small ones', () => {
    for (const file of readdirSync('docs/console')) {
      expect(TEST).toContain(`'${file.replace('.png', '')}'`);
      expect(statSync(`docs/console/${file}`).size).toBeLessThan(150_000);
    }
  });
});
