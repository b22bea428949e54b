import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const PAGES = ['.', 'docs', 'packages', 'examples', 'deploy'].flatMap((folder) =>
  existsSync(folder) ? pagesIn(folder, folder !== '.') : [],
);

/** Not in folders with a leading dot, which tests make and remove meanwhile. */
function pagesIn(folder: string, deep: boolean): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return deep && !/^(\.|node_modules$)/.test(entry.name) ? pagesIn(path, true) : [];
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

/** Without code, in which brackets are no links. */
function proseOf(page: string): string {
  return readFileSync(page, 'utf8')
    .replaceAll(/^```.*?^```/gms, '')
    .replaceAll(/`[^`\n]*`/g, 'code');
}

/** The anchors of a page's headings, as the common viewers make them. */
function anchorsOf(page: string): Set<string> {
  const text = readFileSync(page, 'utf8').replaceAll(/^```.*?^```/gms, '');
  const seen = new Map<string, number>();
  const anchors = [...text.matchAll(/^#+ +(.*)$/gm)].map(([, heading = '']) => {
    const slug = heading
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-');
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  });
  return new Set(anchors);
}

/** Why a link of a page leads nowhere; undefined: it leads somewhere, or to another site. */
function faultOf(page: string, link: string): string | undefined {
  if (/^[a-z]+:/.test(link)) return undefined;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : resolve(dirname(page), decodeURIComponent(path));
  if (!existsSync(target)) return `${link}: no such file`;
  if (anchor === undefined || statSync(target).isDirectory() || !target.endsWith('.md')) return undefined;
  return anchorsOf(target).has(anchor) ? undefined : `${link}: no such heading`;
}

describe('links within the documentation', () => {
  it.each(PAGES)('of %s lead somewhere', (page) => {
    const links = [...proseOf(page).matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/g)].map(([, link = '']) => link);
    expect(links.flatMap((link) => faultOf(page, link) ?? [])).toEqual([]);
  });

  it('are found', () => {
    expect(PAGES.length).toBeGreaterThan(8);
    expect(faultOf('README.md', 'docs/nowhere.md')).toMatch(/no such file/);
    expect(faultOf('README.md', 'docs/operations.md#nowhere')).toMatch(/no such heading/);
  });
});
