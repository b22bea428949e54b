/** docs/adopting.md, from top to bottom, against real servers: what it says to run works, and prints what it says. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { loggedMysql, WITH_GTIDS } from '../support/logged-mysql.ts';
import { blocksOf, linesNotIn, type PageBlock } from '../support/page-blocks.ts';
import { commandsIn, RECENCY, runBlocks } from '../support/page-shell.ts';
import { freshPrefix, redisUrl, sql } from '../support/servers.ts';
import { statementsOf } from './statements-of.ts';

const PAGE = 'docs/adopting.md';
const TEXT = readFileSync(PAGE, 'utf8');
const mysql = loggedMysql(WITH_GTIDS);

/** Commands by the names that the page calls them; the client knows where the server is. */
const commandsFor = (folder: string, url: URL, capturePort: number) =>
  commandsIn(folder, {
    mysql: `PATH=\${PATH#*:} exec mysql --host=${url.hostname} --port=${url.port} --user=${url.username} "$@"`,
    recency: `RECENCY_METRICS_PORT=0\n[ "$1" = capture ] && RECENCY_METRICS_PORT=${capturePort}\nexport RECENCY_METRICS_PORT\n${RECENCY}`,
  });

/** Runs the page in a site's empty folder. */
async function runPage(url: URL) {
  const folder = mkdtempSync(join(tmpdir(), 'recency-page-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [port, capturePort] = await Promise.all([freePort(), freePort()]);
  const own = new Map([
    ['mysql://root@127.0.0.1:3306/pixelfed', url.href],
    ['redis://127.0.0.1:6379', redisUrl()],
    ['http://127.0.0.1:8470/', `http://127.0.0.1:${port}/`],
    ['http://127.0.0.1:8474/', `http://127.0.0.1:${capturePort}/`],
  ]);
  for (const address of own.keys()) expect(TEXT).toContain(address);
  const adapt = (block: PageBlock): PageBlock => ({
    ...block,
    code: [...own].reduce((code, [theirs, ours]) => code.replaceAll(theirs, ours), block.code),
  });
  // What is only indented are examples of the reference.
  const blocks = blocksOf(PAGE)
    .filter(({ language }) => language !== '')
    .map(adapt);
  const work = join(folder, 'site');
  mkdirSync(work);
  const env = {
    ...{ PATH: commandsFor(join(folder, 'bin'), url, capturePort), HOME: folder },
    RECENCY_INDEX_ABOVE: '0', // the site of this test has few contacts
    ...{ RECENCY_KEY_PREFIX: freshPrefix(), RECENCY_PORT: String(port), RECENCY_LOG_LEVEL: 'warn' },
    ...(process.env.NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE } : {}),
  };
  return await runBlocks(blocks, { cwd: work, env, timeout: 150_000, sqlClient: 'mysql pixelfed' });
}

/** What a block shows of the output of the block before; a text with `…` in JSON stands for anything. */
function expectShown({ language, code }: PageBlock, output: string): void {
  if (language === 'text') {
    expect(linesNotIn(output, code)).toEqual([]);
    return;
  }
  const shown: unknown = JSON.parse(code);
  expect(masked(JSON.parse(output), shown), output).toEqual(shown);
}

/** Values that are shown as `…` may be anything. */
function masked(value: unknown, shown: unknown): unknown {
  if (shown === '…') return shown;
  if (Array.isArray(value)) return value.map((one, place) => masked(one, Array.isArray(shown) ? shown[place] : one));
  if (typeof value !== 'object' || value === null) return value;
  const by = (typeof shown === 'object' && shown !== null ? shown : {}) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, masked(one, by[name])]));
}

it('docs/adopting.md adopts a site like Pixelfed, and every answer is that of plain SQL', async () => {
  const url = new URL(await mysql.createDatabase('pixelfed'));
  await sql(url.href, ...statementsOf(readFileSync(new URL('./sites/pixelfed.sql', import.meta.url), 'utf8')));
  const runs = await runPage(url);
  expect(runs.filter(({ shown }) => shown !== undefined).length).toBeGreaterThan(4);
  for (const { shown, output } of runs) if (shown !== undefined) expectShown(shown, output);
  const placeOf = (part: string) => runs.findIndex(({ code }) => code.includes(part));
  const output = (place: number) => runs[place]?.output ?? '';
  expect(output(placeOf('recency verify'))).toMatch(/[1-9]\d* with an index.* 0 wrong/);
  const pages = placeOf('NOT EXISTS');
  expect(output(pages).trim().split('\n').slice(1)).toEqual([expect.stringMatching(/^2\t2026-01-02 /)]);
  expect(JSON.parse(output(pages + 1))).toMatchObject({ contacts: [{ id: '2' }] });
});
