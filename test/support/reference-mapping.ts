import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONTACTS_MAPPING as REFERENCE_MAPPING } from '../../src/tools/reference-site/capture-mapping.ts';

export { REFERENCE_MAPPING };

/** Writes a mapping to a file of its own. Returns its name. */
export function mappingFile(text = REFERENCE_MAPPING): string {
  const file = join(mkdtempSync(join(tmpdir(), 'recency-capture-')), 'capture.yaml');
  writeFileSync(file, text);
  return file;
}
