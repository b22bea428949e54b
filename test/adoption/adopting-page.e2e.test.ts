/** docs/adopting.md, from top to bottom, against real servers: what it says to run works, and prints what it says. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { loggedMysql, WITH_GTIDS } from '../support/logged-mysql.ts';
import { blocksOf, type PageBlock } from '../support/page-blocks.ts';
import { freshPrefix, redisUrl, sql } from '../support/servers.ts';
import { linesNotIn, scriptOf } from './page-script.ts';
import { statementsOf } from './statements-of.ts';

const PAGE = 'docs/adopting.md';
const TEXT = readFileSync(PAGE, 'utf8');
const RUN = ['sh', 'sql'];
const mysql = loggedMysql(WITH_GTIDS);

/** Commands by the names that the page calls them; `recency` is the source, and the client knows where the server is. */
function commandsIn(folder: string, url: URL, capturePort: number): string {
  const write = (name: string, text: string) =>
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  mkdirSync(folder);
  write('mysql', `PATH=\${PATH#*:} exec mysql --host=${url.hostname} --port=${url.port} --user=${url.username} "$@"`);
  write(
    'recency',
    `RECENCY_METRICS_PORT=0\n[ "$1" = capture ] && RECENCY_METRICS_PORT=${capturePort}\nexport RECENCY_METRICS_PORT\nexec "${process.execPath}" "${resolve('src/cli/main.ts')}" "$@"`,
  );
  return `${folder}:${process.env.PATH}`;
}

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
  const [work, out] = [join(folder, 'site'), join(folder, 'out')];
  for (const made of [work, out]) mkdirSync(made);
  const env = {
    ...{ PATH: commandsIn(join(folder, 'bin'), url, capturePort), OUT: out, HOME: folder },
    ...{ RECENCY_KEY_PREFIX: freshPrefix(), RECENCY_PORT: String(port), RECENCY_LOG_LEVEL: 'warn' },
    ...(process.env.NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE } : {}),
  };
  const code = await new Promise<number | string>((ended) => {
    const options = { cwd: work, env, timeout: 150_000 };
    execFile('bash', ['-c', scriptOf(blocks, 'pixelfed')], options, (error) => ended(error?.code ?? 0));
  });
  const read = (name: string) => (existsSync(join(out, name)) ? readFileSync(join(out, name), 'utf8') : '');
  const output = (place: number) => read(`${place}.out`);
  return { code, blocks, output, started: Number(read('started')), errors: (place: number) => read(`${place}.err`) };
}

/** What a block shows of the output of the block before; a text with `…` in JSON stands for anything. */
function expectShown({ language, code }: PageBlock, output: string): void {
  if (language === 'text') {
    expect(linesNotIn(output, code)).toEqual([]);
    return;
  }
  const shown: unknown = JSON.parse(code);
  expect(masked(JSON.parse(output), shown)).toEqual(shown);
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
  const { code, blocks, output, started, errors } = await runPage(url);
  const last = blocks.findLastIndex(({ language }) => RUN.includes(language));
  const fault = code === 0 ? '' : `${blocks[started]?.code}${output(started)}${errors(started)}`;
  expect({ fault, code, started }).toEqual({ fault: '', code: 0, started: last });
  for (const [place, block] of blocks.entries()) {
    if (RUN.includes(block.language)) continue;
    expect(RUN).toContain(blocks[place - 1]?.language);
    expectShown(block, output(place - 1));
  }
  const built = blocks.findIndex(({ code: of }) => of.includes('recency verify'));
  expect(output(built)).toMatch(/[1-9]\d* with an index.* 0 wrong/);
  const pages = blocks.findIndex(({ code: of }) => of.includes('NOT EXISTS'));
  expect(output(pages).trim().split('\n').slice(1)).toEqual([expect.stringMatching(/^2\t2026-01-02 /)]);
  expect(JSON.parse(output(pages + 1))).toMatchObject({ contacts: [{ id: '2' }] });
}, 180_000);
