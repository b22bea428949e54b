import { existsSync, globSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { defineProgram } from '../../src/cli/program.ts';
import { BLOCK_RUNS, runOf } from '../support/page-block-runs.ts';
import { blocksIn, blocksOf, shownPattern } from '../support/page-blocks.ts';

const PAGES = ['README.md', ...globSync('docs/**/*.md').sort()];
const BLOCKS = PAGES.flatMap(blocksOf);
const where = ({ page, line }: { readonly page: string; readonly line: number }) => `${page}:${line}`;
const program = await defineProgram();
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

/** The commands `recency …` in a block, without what follows them in the shell. */
function commandsIn(code: string): string[] {
  const joined = code.replaceAll('\\\n', ' ').replaceAll(/(^|\s)#.*$/gm, '');
  const calls = /(?:^|[;&|]\s*|npx )(?:[A-Z_]+=\S+ )*recency ([a-z][^\n;&|>]*)/gm;
  return [...joined.matchAll(calls)].map(([, words = '']) => words.trim());
}

/** What is wrong with a command: a name or an option that does not exist. */
function faultOf(words: string): string | undefined {
  let command: Command = program;
  const rest = words.split(/\s+/);
  for (const word of rest) {
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) break;
    command = next;
  }
  if (command === program) return `there is no command ${rest[0]}`;
  const known = [...command.options, ...program.options].map(({ long }) => long);
  const unknown = rest.filter((word) => word.startsWith('--')).map((word) => word.replace(/=.*/, ''));
  const wrong = unknown.filter((option) => option !== '--help' && !known.includes(option));
  return wrong.length === 0 ? undefined : `${command.name()} has no option ${wrong.join(', ')}`;
}

describe('the blocks of code in the documentation', () => {
  it('are each run by a test, or it is said why they cannot be', () => {
    expect(BLOCKS.filter((block) => runOf(block) === undefined).map(where)).toEqual([]);
  });

  it('that are said to be run exist, and so do their tests', () => {
    for (const [page, entries] of Object.entries(BLOCK_RUNS)) {
      const codes = BLOCKS.filter((block) => block.page === page).map(({ code }) => code);
      for (const [beginning, run] of Object.entries(entries)) {
        expect(
          codes.some((code) => code.startsWith(beginning)),
          `${page}: ${beginning}`,
        ).toBe(true);
        if ('ranBy' in run) expect(existsSync(run.ranBy), run.ranBy).toBe(true);
      }
    }
  });

  it('call commands and options that exist', () => {
    const faults = BLOCKS.flatMap((block) =>
      commandsIn(block.code).flatMap((words) => {
        const fault = faultOf(words);
        return fault === undefined ? [] : [`${where(block)}: ${fault}`];
      }),
    );
    expect(faults).toEqual([]);
    expect(BLOCKS.flatMap(({ code }) => commandsIn(code)).length).toBeGreaterThan(25);
    expect(faultOf('verify --user 1 --users all')).toBeUndefined();
    expect(faultOf('verify --person 1')).toBe('verify has no option --person');
    expect(faultOf('reparo')).toBe('there is no command reparo');
  });

  it('call scripts of npm that exist', () => {
    const called = BLOCKS.flatMap(({ code }) => [...code.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name));
    expect(called.filter((name) => !(name in scripts))).toEqual([]);
    expect(called.length).toBeGreaterThan(3);
  });

  it('are YAML and JSON where they say so', () => {
    for (const { language, code } of BLOCKS) {
      if (language === 'yaml') expect(parse(code)).toBeTypeOf('object');
      if (language === 'json') expect(JSON.parse(code)).toBeTypeOf('object');
    }
  });
});

describe('blocks of a page', () => {
  it('are fenced or indented, in a list by more', () => {
    const text =
      'a\n\n    one\n\n    two\n\n```sh\nthree\n```\n\n- item\n\n    more of it\n\n  ```sql\n  four\n  ```\n\n      five\n';
    expect(blocksIn('p', text)).toMatchObject([
      { line: 3, language: '', code: 'one\n\ntwo' },
      { line: 8, language: 'sh', code: 'three' },
      { line: 16, language: 'sql', code: 'four' },
      { line: 19, language: '', code: 'five' },
    ]);
    expect(() => blocksIn('p', '```sh\nopen')).toThrow('has no end');
  });

  it('of output match what is printed, but for …', () => {
    const pattern = shownPattern('a (…) b\n…\nend');
    expect('a (1.5 s) b\nend\n').toMatch(pattern);
    expect('a () b\nmore\nmore\nend\n').toMatch(pattern);
    expect('a (1) b\nend\nmore\n').not.toMatch(pattern);
    expect('a (1)\nb\nend\n').not.toMatch(pattern);
  });
});
