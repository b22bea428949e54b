import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The mapping of the reference schema. */
export const REFERENCE_MAPPING = `
version: 1
tables:
  - { table: contacts, hint: contact, user: user_id, contact: contact_id }
  - { table: photos, hint: photo, owner: owner_id, columns: [audience, uploaded_at, title] }
  - table: users
    hint: photo
    owner: id
    columns: [last_public_at, last_friends_at, last_family_at, last_friends_family_at]
`;

/** Writes a mapping to a file of its own. Returns its name. */
export function mappingFile(text = REFERENCE_MAPPING): string {
  const file = join(mkdtempSync(join(tmpdir(), 'recency-capture-')), 'capture.yaml');
  writeFileSync(file, text);
  return file;
}
