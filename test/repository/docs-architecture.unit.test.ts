import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const PAGE = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8');

describe('docs/architecture.md', () => {
  it('names only files that exist', () => {
    const named = [...PAGE.matchAll(/`([\w./-]+\.(?:ts|lua|mjs))`/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter((name) => !existsSync(`src/${name}`) && !existsSync(name))).toEqual([]);
  });

  it('names every folder of src', () => {
    for (const folder of readdirSync('src')) expect(PAGE).toContain(`\`${folder}\``);
  });

  it('keeps to paths that a reader can follow', () => {
    const rows = (title: string) =>
      (PAGE.split(`### ${title}`)[1]?.split('\n### ')[0] ?? '').match(/^\| \d.*$/gm) ?? [];
    const last = (title: string) => Number(/(\d+) \|/.exec(rows(title).at(-1) ?? '')?.[1]);
    expect(last('A contact task')).toBeLessThanOrEqual(14);
    expect(last('An upload')).toBeLessThanOrEqual(14);
    expect(last('A read')).toBeLessThanOrEqual(12);
    expect(last('A page of repair')).toBeLessThanOrEqual(18);
  });
});
