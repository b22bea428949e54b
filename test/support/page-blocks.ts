import { readFileSync } from 'node:fs';

/** A block of code in a page of the documentation. */
export interface PageBlock {
  readonly page: string;
  /** Of its first line of code, from 1. */
  readonly line: number;
  /** What its fence says; empty: nothing, or the block is only indented. */
  readonly language: string;
  readonly code: string;
}

/** @param page path from the root of the repository @returns its fenced and indented blocks, in order */
export function blocksOf(page: string): PageBlock[] {
  return blocksIn(page, readFileSync(page, 'utf8'));
}

/** The same for a text. Below an item of a list, code is indented by four more than the item's text. */
export function blocksIn(page: string, text: string): PageBlock[] {
  const lines = text.split('\n');
  const blocks: PageBlock[] = [];
  let i = 0;
  while (i < lines.length) {
    const fence = /^(\s*)```(\w*)\s*$/.exec(lines[i] ?? '');
    const depth = codeIndent(lines, i);
    const startsIndented = isIndented(lines[i], depth) && (i === 0 || lines[i - 1]?.trim() === '');
    const end = fence ? closing(lines, i, fence[1] ?? '') : startsIndented ? endOfIndented(lines, i, depth) : i;
    if (fence || startsIndented) {
      const [from, indent] = fence ? [i + 1, (fence[1] ?? '').length] : [i, depth];
      const code = lines.slice(from, end).map((line) => line.slice(indent));
      blocks.push({ page, line: from + 1, language: fence?.[2] ?? '', code: code.join('\n').trimEnd() });
    }
    i = Math.max(end, i) + (fence || !startsIndented ? 1 : 0);
  }
  return blocks;
}

const isIndented = (line = '', by = 4) => line.trim() !== '' && line.startsWith(' '.repeat(by));

function closing(lines: readonly string[], from: number, indent: string): number {
  const end = lines.indexOf(`${indent}\`\`\``, from + 1);
  if (end === -1) throw new Error(`the block that begins in line ${from + 1} has no end`);
  return end;
}

function endOfIndented(lines: readonly string[], from: number, by: number): number {
  let end = from;
  for (let i = from; i < lines.length && (isIndented(lines[i], by) || lines[i]?.trim() === ''); i++) {
    if (isIndented(lines[i], by)) end = i + 1;
  }
  return end;
}

/** By how much code at this place is indented. */
function codeIndent(lines: readonly string[], at: number): number {
  const before = lines.slice(0, at).findLast((line) => line.trim() !== '' && !/^\s/.test(line));
  return 4 + (/^(?:[-*]|\d+\.) +/.exec(before ?? '')?.[0].length ?? 0);
}

/**
 * What a page shows as output, as a pattern: `…` is anything within a line, and alone in a line any number of lines.
 * Nothing may come before or after.
 */
export function shownPattern(shown: string): RegExp {
  const lines = shown.split('\n').map((line) => (line === '…' ? '(?:.*\n)*' : `${linePattern(line)}\n`));
  return new RegExp(`^${lines.join('')}$`);
}

/** The lines that a page shows, `…` in them for anything, without those that the output has in this order. */
export function linesNotIn(output: string, shown: string): string[] {
  let rest = linesOf(output);
  return linesOf(shown).filter((line) => {
    if (line === '…') return false;
    const pattern = new RegExp(`^${linePattern(line)}$`);
    const place = rest.findIndex((one) => pattern.test(one));
    if (place !== -1) rest = rest.slice(place + 1);
    return place === -1;
  });
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** A line that a page shows, as the source of a pattern. */
const linePattern = (line: string) => line.split('…').map(escaped).join('.*');

const escaped = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
