import { openApiDocument } from '../openapi-document.ts';
import { text } from '../reply.ts';
import type { Operation, Route } from '../route.ts';

const operation: Operation = {
  id: 'openApi',
  method: 'get',
  path: '/openapi.json',
  tag: 'service',
  summary: 'This document',
  replies: { 200: { description: 'OpenAPI 3.1.', contentType: 'application/json' } },
};

/** @param operations of all other routes; this one adds itself */
export function openApiRoute(operations: readonly Operation[], version: string): Route {
  const document = JSON.stringify(openApiDocument([...operations, operation], version));
  const reply = text(200, 'application/json; charset=utf-8', document);
  return { operation, handle: () => reply };
}
