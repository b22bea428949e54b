/**
 * Writes docs/reference, and the golden texts of statements, from the code: `npm run docs:reference`. A test fails while one differs
 * from the code.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { referencePages } from './reference/pages.ts';
import { goldenText, sentStatements } from './reference/sent-statements.ts';

for (const [path, text] of await referencePages()) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const golden = new URL('../test/mysql/golden/', import.meta.url);
for (const [name, texts] of await sentStatements()) writeFileSync(new URL(`${name}.sql`, golden), goldenText(texts));
