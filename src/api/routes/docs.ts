import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { openApiDocument } from '../openapi-document.ts';
import { PageFiles } from '../page-files.ts';
import { page, pageSecurity, text } from '../reply.ts';
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
<meta name="color-scheme" content="light dark">
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

// Swagger UI has a dark theme, and leaves it to the page when to show it.
const THEME = `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
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
  replies: { 200: { description: 'The file.', contentType: '*/*' }, 304: { description: 'The client has this file.' } },
  problems: [404],
};

export function docsRoutes(): Route[] {
  const files = new PageFiles({
    ...Object.fromEntries(
      Object.entries(FILES).map(([name, type]) => [name, [type, readFileSync(join(SWAGGER_UI, name))]]),
    ),
    'start.js': ['text/javascript; charset=utf-8', THEME + START],
  });
  return [
    { operation: docs, before: [security], handle: () => page('text/html; charset=utf-8', PAGE) },
    { operation: docsFile, before: [security], handle: (request) => files.reply(request.params.file, request) },
  ];
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
  const document = Buffer.from(JSON.stringify(openApiDocument([...operations, openApi], version))); // answers share it
  const reply = text(200, 'application/json; charset=utf-8', document);
  return { operation: openApi, handle: () => reply };
}
