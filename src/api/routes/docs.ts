import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { HttpProblem } from '../http-problem.ts';
import { openApiDocument } from '../openapi-document.ts';
import { pageSecurity } from '../page-security.ts';
import { page, text } from '../reply.ts';
import type { HttpOperation, Route } from '../route.ts';

/** Swagger UI's files are served from the package, so that the page works offline. */
const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const FILES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

const PAGE = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Recency API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

// validatorUrl: by default, the page sends the document to a validator on the Internet.
const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
  deepLinking: true,
  validatorUrl: null,
});
`;

// Its icons are data URLs in the style sheet; its inline styles are set by script, property by property, which needs no permission.
const security = pageSecurity({ images: ['data:'], formAction: "'none'" });

const docs: HttpOperation = {
  id: 'docs',
  method: 'get',
  path: '/docs',
  tag: 'service',
  summary: 'This document as a web page',
  replies: { 200: { description: 'The page. It works offline.', contentType: 'text/html' } },
};

const docsFile: HttpOperation = {
  id: 'docsFile',
  method: 'get',
  path: '/docs/{file}',
  tag: 'service',
  summary: 'A file of the documentation page',
  params: z.object({ file: z.enum(['start.js', ...Object.keys(FILES)]) }),
  replies: { 200: { description: 'The file.', contentType: '*/*' } },
  problems: [404],
};

export function docsRoutes(): Route[] {
  return [
    { operation: docs, before: [security], handle: () => page('text/html; charset=utf-8', PAGE) },
    { operation: docsFile, before: [security], handle: (request) => fileOf(String(request.params.file)) },
  ];
}

async function fileOf(name: string) {
  if (name === 'start.js') return page('text/javascript; charset=utf-8', START);
  const type = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
  if (type === undefined) throw new HttpProblem('not_found');
  return page(type, await readFile(join(SWAGGER_UI, name)));
}

const openApi: HttpOperation = {
  id: 'openApi',
  method: 'get',
  path: '/openapi.json',
  tag: 'service',
  summary: 'This document',
  replies: { 200: { description: 'OpenAPI 3.1.', contentType: 'application/json' } },
};

/** @param operations of all other routes; this route adds its own */
export function openApiRoute(operations: readonly HttpOperation[], version: string): Route {
  const document = JSON.stringify(openApiDocument([...operations, openApi], version));
  const reply = text(200, 'application/json; charset=utf-8', document);
  return { operation: openApi, handle: () => reply };
}
