/** The types of the API as `openapi-typescript` writes them: `npm run client:types` writes them down, a test compares. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createApp } from '../../../src/api/app.ts';
import type { ApiDependencies } from '../../../src/api/dependencies.ts';
import { KINDS } from '../../../src/contracts/kind.ts';

export const TYPES_FILE = fileURLToPath(new URL('../src/openapi.ts', import.meta.url));

const HEADER = `/**
 * The API's paths, parameters, bodies and answers. Written by \`npm run client:types\` from the OpenAPI document; a test
 * fails when the two differ.
 */

`;

/** The content that src/openapi.ts must have. */
export async function clientTypes(): Promise<string> {
  const nodes = await openapiTypescript(await openApiDocument(), { defaultNonNullable: false });
  return HEADER + astToString(nodes);
}

/** The document as a running API serves it, without any store: no route but that of the document is asked. */
async function openApiDocument(): Promise<OpenAPI3> {
  const server = createServer(createApp(withoutStores())).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/openapi.json`);
    if (response.status !== 200) throw new Error(`/openapi.json answers ${response.status}: ${await response.text()}`);
    return (await response.json()) as OpenAPI3;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** What the document depends on is given. Everything else may be passed on, but not called. */
function withoutStores(): ApiDependencies {
  const given: Partial<ApiDependencies> = {
    registry: new Registry(),
    logger: pino({ enabled: false }),
    kinds: KINDS,
    otherAnswers: [],
    coldBuilds: [],
    tokens: [],
    rateLimit: 0,
    trustProxy: undefined,
    checks: {},
    degrading: [],
    hasStarted: () => true,
    deadlineMs: 10_000,
    slowMs: 10_000,
    version: '0.0.0',
    now: () => performance.now(),
    freshId: () => 'id',
    pages: undefined, // the console is in no document
  };
  return new Proxy(given as ApiDependencies, {
    get: (target, name, receiver) => (name in target ? Reflect.get(target, name, receiver) : absent(String(name))),
  });
}

function absent(name: string): unknown {
  return new Proxy(() => undefined, {
    get: (_target, part) => absent(`${name}.${String(part)}`),
    apply: () => {
      throw new Error(`the OpenAPI document needs ${name}: give it in client-types.ts`);
    },
  });
}
