import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { referencePages } from '../../scripts/reference/pages.ts';
import { PREFIX, SETTINGS } from '../../src/config/settings.ts';

const pages = await referencePages();

const pageOf = (name: string) => [...pages].find(([path]) => basename(path) === name)?.[1] ?? '';

describe('docs/reference', () => {
  it.each([...pages])('%s says what the code says (npm run docs:reference writes it)', (path, text) => {
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('names each setting, its default and the values that it takes', () => {
    const rows = pageOf('settings.md').match(/^\| `RECENCY_.*$/gm) ?? [];
    expect(rows.length).toBe(Object.keys(SETTINGS).length);
    expect(rows).toContainEqual(
      expect.stringMatching(
        new RegExp(`^\\| \`${PREFIX}MYSQL_CONNECTIONS\` \\| \`10\` \\| a whole number from 2 to 1000 \\|`),
      ),
    );
  });

  it('names commands within a group, their arguments and options', () => {
    const page = pageOf('commands.md');
    expect(page).toContain('## recency dlq replay\n');
    expect(page).toMatch(/## recency verify\n[^#]*`--users <n\\\|all>`/);
    expect(page).toMatch(/## recency inspect\n[^#]*`<user>`/);
  });
});
