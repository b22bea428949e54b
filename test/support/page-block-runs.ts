import type { PageBlock } from './page-blocks.ts';

/** Blocks that no test runs, and why, by their page and the beginning of their code. */
const NOT_RUN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docs/tutorial.md': { 'npm ci': 'needs the registry of npm; CI begins with it' },
};

export function whyNotRun({ page, code }: Pick<PageBlock, 'page' | 'code'>): string | undefined {
  return Object.entries(NOT_RUN[page] ?? {}).find(([beginning]) => code.startsWith(beginning))?.[1];
}
