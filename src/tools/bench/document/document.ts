/**
 * Writes `bench/results` into `docs/benchmarks.md`, redraws its charts, and derives the constants of `recency size`.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { chartsOf, svgOf } from './charts.ts';
import { constantsOf } from './constants.ts';
import { placeOf, ratiosTable, readResults, rowsTable, serverOf } from './results.ts';

const DOCUMENT = new URL('../../../../docs/benchmarks.md', import.meta.url);
const CHARTS = new URL('../../../../docs/benchmarks/', import.meta.url);
const CONSTANTS = new URL('../../capacity/constants.json', import.meta.url);
const GENERATED = /(<!-- results -->\n)[\s\S]*(<!-- end of results -->)/;

const results = readResults();
mkdirSync(CHARTS, { recursive: true });
const charts = chartsOf(results);
for (const { file, spec } of charts) writeFileSync(new URL(file, CHARTS), await svgOf(spec));

const pictures = charts.map(({ file, title }) => `![${title}](benchmarks/${file})`);
const tables = results.map(
  (result) => `### ${result.bench}, ${serverOf(result)}\n\n${placeOf(result)}\n\n${rowsTable(result)}`,
);
const text = ['## Ratios', ratiosTable(results), ...pictures, '## Rows', ...tables].join('\n\n');
const page = readFileSync(DOCUMENT, 'utf8');
if (!GENERATED.test(page)) throw new Error(`${DOCUMENT.pathname} has no place for the results`);
writeFileSync(
  DOCUMENT,
  page.replace(GENERATED, (_all, from: string, to: string) => `${from}\n${text}\n\n${to}`),
);
writeFileSync(CONSTANTS, `${JSON.stringify(constantsOf(results), undefined, 2)}\n`);
