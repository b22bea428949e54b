/** Writes docs/reference from the code: `npm run docs:reference`. A test fails while a page differs from the code. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { referencePages } from './reference/pages.ts';

for (const [path, text] of await referencePages()) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
