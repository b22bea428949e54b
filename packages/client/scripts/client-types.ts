/** The types of the API as `openapi-typescript` writes them: `npm run client:types` writes them down, a test compares. */
import { fileURLToPath } from 'node:url';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { openApiWithoutStores } from '../../../scripts/reference/openapi-without-stores.ts';

export const TYPES_FILE = fileURLToPath(new URL('../src/openapi.ts', import.meta.url));

const HEADER = `/**
 * The API's paths, parameters, bodies and answers. Written by \`npm run client:types\` from the OpenAPI document; a test
 * fails when the two differ.
 */

`;

/** The content that src/openapi.ts must have. */
export async function clientTypes(): Promise<string> {
  const nodes = await openapiTypescript(await openApiWithoutStores(), { defaultNonNullable: false });
  return HEADER + astToString(nodes);
}
