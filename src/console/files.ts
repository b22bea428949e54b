import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PageFiles } from '../api/page-files.ts';
import { pageSecurity } from '../api/reply.ts';
import type { Route } from '../api/route.ts';

const asset = (name: string) => readFileSync(new URL(`./assets/${name}`, import.meta.url));
/** uPlot's files are served from its package, so that the charts work offline. */
const uplot = (name: string) => readFileSync(join(dirname(createRequire(import.meta.url).resolve('uplot')), name));

const [CSS, SCRIPT] = ['text/css; charset=utf-8', 'text/javascript; charset=utf-8'];

/** What the console's pages load. */
export function filesRoute(): Route {
  const files = new PageFiles({
    'base.css': [CSS, asset('base.css')],
    'frame.css': [CSS, asset('frame.css')],
    'parts.css': [CSS, asset('parts.css')],
    'forms.css': [CSS, asset('forms.css')],
    'charts.css': [CSS, asset('charts.css')],
    'uplot.css': [CSS, uplot('uPlot.min.css')],
    'console.js': [SCRIPT, asset('console.js')],
    'charts.js': [SCRIPT, asset('charts.js')],
    'relative.js': [SCRIPT, asset('relative.js')],
    'uplot.js': [SCRIPT, uplot('uPlot.iife.min.js')],
    'icon.svg': ['image/svg+xml', asset('icon.svg')],
  });
  const replies = { 200: { description: 'The file.', contentType: '*/*' }, 304: { description: 'The client has it.' } };
  return {
    operation: {
      id: 'consoleFile',
      method: 'get',
      path: '/console/files/{file}',
      tag: 'service',
      summary: 'A file of the console',
      replies,
    },
    before: [pageSecurity({ formAction: "'none'" })],
    handle: (request) => files.reply(request.params.file, request),
  };
}
