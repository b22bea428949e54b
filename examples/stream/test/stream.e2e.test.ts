import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Pool } from 'mysql2/promise';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { freePort } from '../../../src/tools/devservers/launch/free-port.ts';
import { startChromium } from '../../../test/support/chromium.ts';
import { type CliProcess, type Settings, startProcess } from '../../../test/support/cli.ts';
import { serviceSettings } from '../../../test/support/service-settings.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../../../test/support/small-site.ts';
import { TcpProxy } from '../../../test/support/tcp-proxy.ts';
import { until } from '../../../test/support/until.ts';

const folder = fileURLToPath(new URL('..', import.meta.url));

const cleanUps: (() => unknown)[] = [];
const context: Pick<TestContext, 'onTestFinished'> = {
  onTestFinished: (cleanUp) => void cleanUps.push(cleanUp as () => unknown),
};

/** Registered here and not in a hook, where it would not be called. */
afterAll(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

let settings: Settings;
let pool: Pool;
let serve: CliProcess;
let apiUrl: string;
/** Between the browser and the site. */
let network: TcpProxy;
let siteUrl: string;
let page: Page | undefined;
let missing = '';
let time = Date.now();

/** The site as `npm start` runs it. Returns the address that it prints. */
async function startSite(environment: Readonly<Record<string, string>>): Promise<string> {
  const { scripts } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8'));
  const [program, ...args] = String(scripts.start).split(' ');
  expect(program).toBe('node');
  const env = { ...process.env, ...environment, PORT: '0' };
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  cleanUps.push(async () => {
    child.kill('SIGTERM');
    const [code] = await ended;
    expect(code).toBe(0);
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  return await until(() => /^(http\S+)$/m.exec(printed)?.[1]);
}

/** Person 1 knows 2, 3 and 4. */
beforeAll(async () => {
  const port = await freePort();
  apiUrl = `http://127.0.0.1:${port}`;
  settings = { ...(await serviceSettings()), PORT: `${port}`, TOKENS: 'reader-0123:read writer-0123:write,admin' };
  pool = freshSitePool(settings.MYSQL_URL ?? '');
  await writeSite(pool, everybodyKnows(['1'], ['2', '3', '4']));
  serve = await startProcess('serve', settings, context);
  await startProcess('consume', settings, context);
  siteUrl = await startSite({ RECENCY_URL: apiUrl, RECENCY_TOKEN: 'reader-0123' });
  network = await TcpProxy.before(siteUrl);
  cleanUps.push(() => network[Symbol.asyncDispose]());
  const browser = await startChromium();
  if (typeof browser === 'string') {
    missing = browser;
    return;
  }
  cleanUps.push(() => browser.close());
  page = await browser.newPage();
}, 600_000);

async function shownPage({ skip }: Pick<TestContext, 'skip'>): Promise<Page> {
  const shown = page ?? skip(missing);
  if (!shown.url().startsWith('http')) await shown.goto(network.url);
  return shown;
}

/** A person uploads, and the site says so. */
async function upload(owner: string): Promise<void> {
  time += 1_000;
  await pool.query('UPDATE users SET last_public_at = ? WHERE id = ?', [time, owner]);
  const response = await fetch(`${apiUrl}/v1/tasks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer writer-0123' },
    body: JSON.stringify({ type: 'recency.photo.uploaded', owner, at: time }),
  });
  expect(response.status).toBe(202);
}

async function shows(page: Page, ...people: string[]): Promise<void> {
  const rows = async () => (await page.locator('#recent > li').allInnerTexts()).map((row) => row.split(' ')[1]);
  await until(async () => (await rows()).join() === people.join(), { what: `the page shows ${people.join()}` });
}

async function says(page: Page, state: string): Promise<void> {
  await until(async () => (await page.locator('#state').innerText()) === state, { what: `the page says ${state}` });
}

describe('the page of a stream, in a browser', () => {
  it('shows the people who were active most recently', async (context) => {
    const page = await shownPage(context);
    await shows(page, '4', '3', '2');
    await says(page, 'live');
    await page.evaluate("document.body.setAttribute('data-loaded', 'once')");
  });

  it('changes by itself when somebody uploads', async (context) => {
    const page = await shownPage(context);
    await upload('2');
    await shows(page, '2', '4', '3');
    await upload('3');
    await shows(page, '3', '2', '4');
  });

  it('shows what it missed once the network is back', async (context) => {
    const page = await shownPage(context);
    network.leadTo(`http://127.0.0.1:${await freePort()}`);
    await says(page, 'connecting again');
    await upload('4');
    network.leadTo(siteUrl);
    await says(page, 'live');
    await shows(page, '4', '3', '2');
  });

  it('shows what it missed once the API has been started again', async (context) => {
    const page = await shownPage(context);
    await upload('2');
    await shows(page, '2', '4', '3');
    serve.signal('SIGTERM');
    expect(await serve.ended).toEqual({ code: 0, signal: null });
    await says(page, 'connecting again');
    serve = await startProcess('serve', settings, context);
    await upload('3');
    await shows(page, '3', '2', '4');
    await says(page, 'live');
  });

  it('has not been loaded again meanwhile', async (context) => {
    const page = await shownPage(context);
    expect(await page.locator('body').getAttribute('data-loaded')).toBe('once');
  });
});

describe('the site of a stream', () => {
  it.each([
    ['/people/x', 404],
    ['/people/x/stream', 404],
  ])('refuses %s: %d', async (path, status) => {
    expect((await fetch(new URL(path, siteUrl))).status).toBe(status);
  });

  it('leads from its root to the first person', async () => {
    const response = await fetch(new URL('/', siteUrl));
    expect(new URL(response.url).pathname).toBe('/people/1');
  });
});
