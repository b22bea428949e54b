import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { RecencyClient } from '../../../packages/client/src/client.ts';
import { runningApi } from '../../../packages/client/test/support/running-api.ts';
import { startChromium } from '../../../test/support/chromium.ts';
import { sql } from '../../../test/support/servers.ts';
import { everybodyKnows } from '../../../test/support/small-site.ts';
import { until } from '../../../test/support/until.ts';

const folder = fileURLToPath(new URL('..', import.meta.url));
const NAMES = ['Ann', 'Bea', 'Cal', 'Dan <d>'];

const cleanUps: (() => Promise<unknown>)[] = [];

/** Registered here and not in a hook, where it would not be called. */
afterAll(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

/** Ann (1) knows Bea (2) and Cal (3), not Dan (4); Dan's photo is the newest, then Cal's. No task is ever applied. */
async function annsSite() {
  const site = everybodyKnows(['1'], ['2', '3', '4']);
  const api = await runningApi({ ...site, ties: site.ties.filter(({ contact }) => contact !== '4') });
  const names = NAMES.map((name, i) => `UPDATE users SET name = '${name}' WHERE id = ${i + 1}`);
  await sql(api.mysqlUrl, ...names);
  const client = new RecencyClient(api);
  const params = { path: { user: '1' } };
  await client.POST('/v1/users/{user}/index/rebuild', { params });
  const read = () => client.GET('/v1/users/{user}/contacts/recent', { params });
  await until(async () => (await read()).data.answer.source === 'index');
  return api;
}

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

let page: Page | undefined;
let missing = '';
let address: string;
let database: string;

beforeAll(async () => {
  const { baseUrl, mysqlUrl } = await annsSite();
  database = mysqlUrl;
  address = await startSite({ RECENCY_URL: baseUrl, MYSQL_URL: mysqlUrl });
  const browser = await startChromium();
  if (typeof browser === 'string') {
    missing = browser;
    return;
  }
  cleanUps.unshift(() => browser.close());
  page = await browser.newPage();
}, 600_000);

function shownPage({ skip }: Pick<TestContext, 'skip'>): Page {
  return page ?? skip(missing);
}

/** The names in a list, as they are on the screen. */
async function namesIn(page: Page, list: 'recent' | 'others'): Promise<string[]> {
  const rows = await page.locator(`#${list} > li > span`).allInnerTexts();
  return rows.map((row) => row.replace(/ \d{4}-.*$/, ''));
}

/** The names with a dot. */
async function newIn(page: Page): Promise<string[]> {
  const rows = await page.locator('#recent > li > span', { has: page.getByLabel('new') }).allInnerTexts();
  return rows.map((row) => row.replace(/ \d{4}-.*$/, ''));
}

/** Waits until the page shows these names: what a button leads to may still be on its way. */
async function shows(names: () => Promise<string[]>, expected: readonly string[]): Promise<void> {
  await until(async () => {
    expect(await names()).toEqual(expected);
    return true;
  });
}

async function press(page: Page, label: string): Promise<void> {
  await page.getByRole('button', { name: label, exact: true }).click();
  await page.waitForLoadState();
}

describe('the example site, in a browser', () => {
  it('shows the contacts of a person, the most recently active first', async (context) => {
    const page = shownPage(context);
    await page.goto(address);
    expect(await page.title()).toBe('Ann');
    await shows(() => namesIn(page, 'recent'), ['Cal', 'Bea']);
    await shows(() => namesIn(page, 'others'), ['Dan <d>']);
    expect(await page.locator('small').innerText()).toMatch(/^From the index/); // no consumer runs: perhaps not exact
  });

  it('has a dot at who is new, until the page is marked as seen', async (context) => {
    const page = shownPage(context);
    await shows(() => newIn(page), ['Cal', 'Bea']);
    await press(page, 'Mark as seen');
    await shows(() => newIn(page), []);
    await shows(() => namesIn(page, 'recent'), ['Cal', 'Bea']);
  });

  it('shows a contact at once who is added, without a dot: the photo is older', async (context) => {
    const page = shownPage(context);
    await press(page, 'Add: Dan <d>');
    await shows(() => namesIn(page, 'recent'), ['Dan <d>', 'Cal', 'Bea']);
    await shows(() => namesIn(page, 'others'), []);
    await shows(() => newIn(page), []);
  });

  it('shows at once that a contact uploads', async (context) => {
    const page = shownPage(context);
    await press(page, 'Uploads a photo: Bea');
    await shows(() => namesIn(page, 'recent'), ['Bea', 'Dan <d>', 'Cal']);
    await shows(() => newIn(page), ['Bea']);
  });

  it('keeps the dot of what is uploaded after the page was made that is marked as seen', async (context) => {
    const page = shownPage(context);
    const body = new URLSearchParams({ contact: '4' });
    await fetch(new URL('/people/1/contacts/upload', address), { method: 'POST', body });
    await shows(() => newIn(page), ['Bea']);
    await press(page, 'Mark as seen');
    await shows(() => namesIn(page, 'recent'), ['Dan <d>', 'Bea', 'Cal']);
    await shows(() => newIn(page), ['Dan <d>']);
    await press(page, 'Mark as seen');
    await shows(() => newIn(page), []);
  });
});

describe('the example site, in the same browser', () => {
  it('no longer shows a contact who is removed, after reloading either', async (context) => {
    const page = shownPage(context);
    await press(page, 'Remove: Cal');
    await shows(() => namesIn(page, 'recent'), ['Dan <d>', 'Bea']);
    await page.reload();
    await shows(() => namesIn(page, 'recent'), ['Dan <d>', 'Bea']);
    await shows(() => namesIn(page, 'others'), ['Cal']);
  });

  it('shows another person their own page', async (context) => {
    const page = shownPage(context);
    await page.getByRole('link', { name: 'Bea' }).click();
    await until(async () => (await page.title()) === 'Bea');
    await shows(() => namesIn(page, 'recent'), []);
  });
});

describe('the example site', () => {
  it.each([
    ['/people/1/contacts', 'contact=0', 400],
    ['/people/1/contacts/upload', '', 400],
    ['/people/1/seen', '', 400],
    ['/people/x/contacts', 'contact=2', 404],
    ['/people/99', undefined, 404],
    ['/nowhere', undefined, 404],
  ])('refuses %s with %j: %d', async (path, body, status) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const init = body === undefined ? {} : { method: 'POST', headers, body };
    expect((await fetch(new URL(path, address), init)).status).toBe(status);
  });

  it('leads from its root to the first person', async () => {
    const response = await fetch(new URL('/', address));
    expect(new URL(response.url).pathname).toBe('/people/1');
    expect(await response.text()).toContain('<title>Ann</title>');
  });

  it('calls people without a name by their ids', async () => {
    await sql(database, "UPDATE users SET name = '' WHERE id = 3");
    expect(await (await fetch(new URL('/people/1', address))).text()).toContain('<a href="/people/3">person 3</a>');
  });

  it('answers what the API refuses with the API’s own problem', async () => {
    const body = new URLSearchParams({ through: 'not what a page showed' });
    const refused = await fetch(new URL('/people/1/seen', address), { method: 'POST', body });
    expect(refused.status).toBe(400);
    expect(refused.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(await refused.json()).toMatchObject({ status: 400, code: 'invalid_body', field: 'through' });
  });
});
