import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { clientTypes, TYPES_FILE } from '../scripts/client-types.ts';

it('the types are those of the OpenAPI document; where they are not: npm run client:types', async () => {
  expect(await clientTypes()).toBe(readFileSync(TYPES_FILE, 'utf8'));
});
