import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { goldenText, oneLine, sentStatements } from '../../scripts/reference/sent-statements.ts';
import { PURPOSES } from '../../scripts/reference/sql.ts';

const GOLDEN = new URL('golden/', import.meta.url);

const linesOf = (golden: string) => golden.split(/^(?=-- )/m).map(oneLine);

const sent = await sentStatements();

describe('the statements that questions about a kind send', () => {
  it('are those of the files', () => {
    expect(readdirSync(GOLDEN).sort()).toEqual([...sent.keys()].map((name) => `${name}.sql`).sort());
  });

  it('are documented, each with its purpose and its index', () => {
    expect(Object.keys(PURPOSES).sort()).toEqual([...sent.keys()].sort());
  });

  it.each([...sent])('%s has the texts of its file', (name, texts) => {
    expect(linesOf(goldenText(texts))).toEqual(linesOf(readFileSync(new URL(`${name}.sql`, GOLDEN), 'utf8')));
  });
});
