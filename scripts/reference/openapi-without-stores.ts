import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OpenAPI3 } from 'openapi-typescript';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createApp } from '../../src/api/app.ts';
import { Access } from '../../src/api/authorize.ts';
import type { ApiDependencies } from '../../src/api/dependencies.ts';
import { KINDS } from '../../src/contracts/kind.ts';

/** The document as a running API serves it, without any store: no route but that of the document is asked. */
export async function openApiWithoutStores(): Promise<OpenAPI3> {
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
    site: { kinds: KINDS, unused: [], relations: [] },
    answers: [],
    pages: undefined, // the console is not in the document
    coldBuilds: [],
    access: new Access([]),
    rateLimit: 0,
    trustProxy: undefined,
    checks: {},
    degrading: [],
    isAnswering: () => true,
    hasStarted: () => true,
    deadlineMs: 10_000,
    slowMs: 10_000,
    version: '0.0.0',
    now: () => performance.now(),
    freshId: () => 'id',
  };
  return new Proxy(given as ApiDependencies, {
    get: (target, name, receiver) => (name in target ? Reflect.get(target, name, receiver) : absent(String(name))),
  });
}

function absent(name: string): unknown {
  return new Proxy(() => undefined, {
    get: (_target, part) => absent(`${name}.${String(part)}`),
    apply: () => {
      throw new Error(`the OpenAPI document needs ${name}: give it in openapi-without-stores.ts`);
    },
  });
}
