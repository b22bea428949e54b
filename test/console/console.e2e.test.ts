import process from 'node:process';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { Access } from '../../src/api/authorize.ts';
import { Sessions } from '../../src/console/sessions.ts';
import { suspendEpoch } from '../../src/mysql/losses.ts';
import { startChromium } from '../support/chromium.ts';
import { CliProcess } from '../support/cli.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { expectAccessible, expectNarrow, says, tabTo, violationsOf } from './browser.ts';
import { consoleSite } from './console-site.ts';

const ADMIN = 'only-for-admins';
const NOWHERE = { mysql: 'mysql://127.0.0.1:1', redis: 'redis://127.0.0.1:1' };

/** Where to put pictures of the pages, for docs/console.md; undefined: none are taken. */
const PICTURES = process.env.CONSOLE_PICTURES;

const cleanUps: (() => Promise<unknown>)[] = [];

/** Registered here and not in a hook, where it would not be called. */
afterAll(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

let site: Awaited<ReturnType<typeof consoleSite>>;
let mysql: TcpProxy;
let redis: TcpProxy;
let serve: CliProcess;
let address: string;
let browser: Browser | undefined;
let page: Page;
let violations: string[];
let missing = '';

async function before(url: string): Promise<[TcpProxy, string]> {
  const proxy = await TcpProxy.before(url);
  cleanUps.push(() => proxy[Symbol.asyncDispose]());
  const through = new URL(url);
  through.host = new URL(proxy.url).host;
  return [proxy, through.href];
}

beforeAll(async () => {
  site = await consoleSite((close) => void cleanUps.push(close));
  const { MYSQL_URL, REDIS_URL = '' } = site.settings;
  const [mysqlProxy, mysqlUrl] = await before(MYSQL_URL);
  const [redisProxy, redisUrl] = await before(REDIS_URL);
  [mysql, redis] = [mysqlProxy, redisProxy];
  const stores = { MYSQL_URL: mysqlUrl, REDIS_URL: redisUrl };
  const access = { TOKENS: `${ADMIN}:admin only-reads:read`, TRUST_PROXY: '1' };
  serve = new CliProcess(['serve'], { ...site.settings, ...stores, ...access });
  cleanUps.push(() => serve[Symbol.asyncDispose]());
  await serve.says('answering at');
  address = String(/"address":"(http:[^"]+)"/.exec(serve.stdout)?.[1]);
  await until(async () => (await (await fetch(`${address}/readyz`)).text()).includes('"ready"'));
  const started = await startChromium();
  if (typeof started === 'string') {
    missing = started;
    return;
  }
  browser = started;
  cleanUps.push(() => started.close());
  page = await started.newPage({ viewport: { width: 1_100, height: 560 } });
  violations = violationsOf(page);
}, 600_000);

function needBrowser({ skip }: Pick<TestContext, 'skip'>): Browser {
  return browser ?? skip(missing);
}

async function picture(name: string, most = 1_000): Promise<void> {
  if (PICTURES === undefined) return;
  const charts = page.locator('.chart');
  await until(async () => (await charts.count()) === (await charts.locator('canvas').count()));
  const height = Math.min(most, Number(await page.evaluate('document.documentElement.scrollHeight')));
  const { width } = page.viewportSize() ?? { width: 1_100 };
  await page.screenshot({ fullPage: true, clip: { x: 0, y: 0, width, height }, path: `${PICTURES}/${name}.png` });
}

/** The overview once more, as it looks in the dark and on a phone. */
async function otherPictures(): Promise<void> {
  if (PICTURES === undefined) return;
  await page.emulateMedia({ colorScheme: 'dark' });
  await picture('overview-dark', 1_150);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 390, height: 800 });
  await picture('overview-phone', 1_600);
  await page.setViewportSize({ width: 1_100, height: 560 });
}

/** Somebody reads a list, with an index and without one. */
async function readLists(): Promise<void> {
  for (const path of ['1/contacts/recent', '2/contacts/recent?limit=2', '99/contacts/recent']) {
    const headers = { authorization: 'Bearer only-reads' };
    expect((await fetch(`${address}/v1/users/${path}`, { headers })).status).toBe(200);
  }
}

/** Shows a page, and looks whether everybody can use it. */
async function visit(path: string, name?: string): Promise<string> {
  await page.goto(address + path);
  if (name !== undefined) await picture(name);
  await expectAccessible(page);
  await expectNarrow(page);
  return await page.locator('main').innerText();
}

async function logIn(token = ADMIN): Promise<void> {
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Log in' }).click();
}

function post(path: string, fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) {
  const body = new URLSearchParams(fields);
  return fetch(address + path, { method: 'POST', body, headers, redirect: 'manual' });
}

/** For a picture with something in its charts: somebody reads, consumers run, and something is wrong. */
async function untilDrawn(): Promise<void> {
  await using _ = new CliProcess(['consume'], site.settings);
  await until(
    async () => {
      await readLists();
      await site.sample();
      return (
        Number(await page.evaluate("fetch('/console/history').then((r) => r.json()).then((h) => h.at.length)")) > 40
      );
    },
    { timeout: 400_000, interval: 500, what: 'some minutes of history' },
  );
}

const cookieOf = (response: Response) => response.headers.get('set-cookie')?.split(';')[0] ?? '';

describe('the door of the console', () => {
  it('shows nothing but the form to who has no session', async () => {
    for (const path of ['/console', '/console/user?user=1', '/console/dead-letters', '/console/nowhere']) {
      const response = await fetch(address + path);
      expect(response.status).toBe(401);
      expect(await response.text()).toContain('name="token"');
    }
  });

  it('lets in only a token with the scope admin, by a cookie that only the console gets back', async () => {
    expect((await post('/console/login', { token: 'something-else' })).status).toBe(401);
    expect((await post('/console/login', { token: 'only-reads' })).status).toBe(403);
    expect((await post('/console/login', { token: ADMIN }, { 'sec-fetch-site': 'cross-site' })).status).toBe(400);
    const response = await post('/console/login', { token: ADMIN, next: '/console/drift' });
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe('/console/drift');
    expect(response.headers.get('set-cookie')).toMatch(/; Path=\/console; Max-Age=3600; HttpOnly; SameSite=Strict$/);
    const secure = await post('/console/login', { token: ADMIN }, { 'x-forwarded-proto': 'https' });
    expect(secure.headers.get('set-cookie')).toMatch(/; SameSite=Strict; Secure$/);
    for (const next of ['//elsewhere', 'https://elsewhere', '/console/../v1', '/consoles', '/console\\x']) {
      const elsewhere = await post('/console/login', { token: ADMIN, next });
      expect(elsewhere.headers.get('location')).toMatch(/^\/console/);
      expect(new URL(String(elsewhere.headers.get('location')), address).origin).toBe(address);
    }
  });

  it('does nothing that a page of another site asks for', async () => {
    const tasks = await site.tasks();
    const cookie = cookieOf(await post('/console/login', { token: ADMIN }));
    const page = await (await fetch(`${address}/console/dead-letters`, { headers: { cookie } })).text();
    const id = String(/name="id" value="([^"]+)"/.exec(page)?.[1]);
    const confirm = await fetch(`${address}/console/dead-letters/replay?id=${id}`, { headers: { cookie } });
    const form = String(/name="form" value="([^"]+)"/.exec(await confirm.text())?.[1]);
    const replay = '/console/dead-letters/replay';
    expect((await post(replay, { id }, { cookie })).status).toBe(400);
    expect((await post(replay, { id, form: 'x'.repeat(form.length) }, { cookie })).status).toBe(400);
    expect((await post(replay, { id, form }, { cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(400);
    expect((await post(replay, { id, form })).status).toBe(401);
    expect(await site.tasks()).toBe(tasks);
    expect((await post(replay, { id: '1-1', form }, { cookie })).status).toBe(200); // there is no such letter
  });
});

describe('the console, in a browser', () => {
  it('leads from the form to the page that was asked for', async (context) => {
    needBrowser(context);
    await visit('/console/epoch', 'login');
    await logIn('only-reads');
    await says(page, 'The token does not grant the required scope.');
    await logIn();
    await page.waitForURL(`${address}/console/epoch`);
    await says(page, 'in force');
  });

  it('shows health at a glance, and loads it again by itself, unless that is paused', async (context) => {
    needBrowser(context);
    await site.sample();
    const text = await until(async () => {
      const shown = await visit('/console');
      return /Service\s+ready/.test(shown) && shown;
    });
    for (const lane of ['small', 'bulk']) {
      expect(text).toMatch(
        new RegExp(`Oldest change not yet in the indexes, ${lane} lane\\s+(?:not known|at most \\d)`),
      );
    }
    for (const part of ['mysql', 'redis', 'transport', 'bulk lane', 'outbox', 'delay queue', 'in force', 'sampler']) {
      expect(text).toContain(part);
    }
    expect(text).toMatch(/Dead letters\s+2/);
    expect(text).toMatch(/Large fan-outs\s+2 in progress/);
    expect(text).toMatch(/sampler\s.*\d s ago\s/s);
    expect(await page.getByRole('link', { name: 'Rebuild those users…' }).getAttribute('href')).toBe(
      '/console/drift#wrong',
    );
    const asOf = () => page.locator('[data-as-of] time').getAttribute('datetime');
    const first = await asOf();
    await until(async () => (await asOf()) !== first);
    await page.getByRole('button', { name: 'Pause updates' }).click();
    expect(await page.getByRole('button', { name: 'Resume updates' }).isVisible()).toBe(true);
    const checked = page.locator('td time').first();
    await until(async () => /[1-9] s ago/.test(await checked.innerText()), { what: 'what is paused grows older' });
  });

  it('draws the last hour, and says its numbers', async (context) => {
    needBrowser(context);
    await page.goto(`${address}/console`);
    const chart = (name: string) => page.locator(`[data-chart=${name}]`);
    await readLists();
    for (const source of ['index', 'database'])
      await until(async () => (await chart('answers').innerText()).includes(source), {
        what: `answers from ${source}`,
      });
    await until(async () => /p99\)\s+\S+\s+\d/.test(await chart('latency').innerText()));
    await until(async () => /in progress\s+2\s/.test(await chart('fanOuts').innerText()));
    expect(await chart('answers').locator('.plot').getAttribute('aria-label')).toMatch(/index[^,;]* [\d.–]+, least/);
    for (const name of ['lag', 'answers', 'latency', 'waiting', 'fanOuts', 'drift'])
      expect(await chart(name).locator('canvas').count()).toBe(1);
    if (PICTURES !== undefined) await untilDrawn();
    await visit('/console');
    await until(async () => (await chart('lag').locator('canvas').count()) === 1);
    await picture('overview', 1_150);
    await otherPictures();
    expect(await visit('/console/fan-outs')).toContain('in progress');
    expect(await chart('fanOuts').innerText()).toMatch(/in progress\s+2\s/);
    expect((await fetch(`${address}/console/history`)).status).toBe(401);
  });

  it("shows a user's index beside plain SQL, with every difference marked, and explains a contact", async (context) => {
    needBrowser(context);
    expect(await visit('/console/user')).toContain('Enter the id of a user.');
    await page.getByLabel('User', { exact: true }).fill('2');
    await page.getByLabel('Explain contact').fill('129');
    await page.getByRole('button', { name: 'Show' }).click();
    await says(page, 'The index beside plain SQL: 1 different');
    await picture('user');
    await expectAccessible(page);
    const row = page.getByRole('row', { name: '129' });
    expect((await row.innerText()).split('\t').map((cell) => cell.trim())).toEqual([
      ...['129', '2026-05-02T13:00:00.000Z', '–', 'missing'],
    ]);
    expect(await page.locator('section').innerText()).toContain('Drift\nmissing');
    expect(await visit('/console/user?user=1')).toContain('score');
    expect(await visit('/console/user?user=3')).toContain('ghost');
    await page.getByRole('button', { name: 'Rebuild the index of 3' }).click();
    await says(page, 'rebuilt');
    expect(await visit('/console/user?user=3')).toContain('no difference');
    expect(await visit('/console/user?user=99')).toContain('Plain SQL finds no contact');
    expect(await visit('/console/user?user=x')).toContain('user:');
  });

  it('shows dead letters, and replays them when that is confirmed, without a mouse', async (context) => {
    needBrowser(context);
    const tasks = await site.tasks();
    expect(await visit('/console/dead-letters', 'dead-letters')).toContain('must be a string of digits');
    await page.getByLabel('Why').fill('poked');
    await page.getByRole('button', { name: 'Filter' }).click();
    await says(page, 'Messages that match (1)');
    await page.getByRole('button', { name: 'Replay the one that matches…' }).click();
    await says(page, '1 of the dead letters will be published again');
    expect(await page.locator('main').innerText()).toMatch(/recency\.contact\.added\s+1/);
    await page.goto(`${address}/console`);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await tabTo(page, 'Dead letters');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${address}/console/dead-letters`);
    const id = await page.locator('input[name=id]').first().getAttribute('value');
    await tabTo(page, String(id));
    await page.keyboard.press('Enter');
    await says(page, 'dlq-exception-class');
    await picture('dead-letter');
    await expectAccessible(page);
    await page.goBack();
    for (const box of await page.locator('input[name=id]').all()) {
      await tabTo(page, String(await box.getAttribute('aria-label')));
      await page.keyboard.press('Space');
    }
    await tabTo(page, 'Replay the chosen letters…');
    await page.keyboard.press('Enter');
    await says(page, '2 of the dead letters will be published again');
    await picture('replay');
    await expectAccessible(page);
    expect(await site.tasks()).toBe(tasks);
    await tabTo(page, 'Replay 2');
    await page.keyboard.press('Enter');
    await says(page, '2 of 2 were published again.');
    await expectAccessible(page);
    expect(await site.tasks()).toBe(tasks + 2);
  });

  it('says what is wrong with a request for a letter', async (context) => {
    needBrowser(context);
    expect(await visit('/console/dead-letters/1-1')).toContain('There is no dead letter 1-1.');
    expect(await visit('/console/dead-letters/replay')).toContain('id');
    expect(await visit('/console/dead-letters?after=x')).toContain('not the id of a dead letter');
    expect(await visit('/console/nowhere')).toContain('The console has no such page.');
  });

  it('shows fan-outs and runs with their progress, and drift by class', async (context) => {
    needBrowser(context);
    const fanOuts = await visit('/console/fan-outs', 'fan-outs');
    expect(fanOuts).toMatch(/42\s+contacts.*50 %\s+2 of 4\s+40,000 of about 70,000/);
    await site.goOn();
    const runs = await visit('/console/runs', 'runs');
    expect(runs).toContain('recency backfill --resume 3');
    expect(runs).toMatch(/4\s+backfill\s+running\s+.*%\s+2 of about \d/);
    expect(runs).toMatch(/2\s+repair \(dry run\)\s+done/);
    await site.sample();
    const drift = await visit('/console/drift', 'drift');
    expect(drift).toMatch(/2\s+contacts\s+missing\s+visible/);
    for (const found of ['missing', 'score', 'ghost']) expect(drift).toMatch(new RegExp(`${found}\\s+1\\s`));
    await page.getByRole('button', { name: 'Rebuild these 2' }).click();
    await says(page, 'Indexes that were to be rebuilt');
    expect(await visit('/console/user?user=1')).toContain('no difference');
  });

  it('works without a script', async (context) => {
    const quiet = await needBrowser(context).newPage({ javaScriptEnabled: false });
    await quiet.goto(`${address}/console/fan-outs`);
    await quiet.getByLabel('Token').fill(ADMIN);
    await quiet.getByRole('button', { name: 'Log in' }).click();
    await quiet.getByRole('link', { name: 'Refresh' }).click();
    const text = await quiet.locator('main').innerText();
    for (const part of ['Large fan-outs in progress', 'Work that waits', 'least']) expect(text).toContain(part);
    await quiet.getByRole('button', { name: 'Log out' }).click();
    expect(await quiet.locator('main').innerText()).toContain('Token with the scope');
    await quiet.close();
  });

  it('has a page of the API that is dark where the system is', async (context) => {
    needBrowser(context);
    const ink = () => page.evaluate("getComputedStyle(document.querySelector('.swagger-ui .info .title')).color");
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto(`${address}/docs`);
    await page.locator('.opblock').first().waitFor();
    const inTheDark = await ink();
    await page.emulateMedia({ colorScheme: 'light' });
    await until(async () => (await ink()) !== inTheDark);
  });

  it('says that the session has ended, on a page that is open and on the next one', async (context) => {
    needBrowser(context);
    const tokens = [{ token: ADMIN, scopes: ['admin' as const] }];
    const { cookie } = new Sessions({ access: new Access(tokens), clock: () => Date.now() - 3_600_001 }).begin(ADMIN);
    const name = cookieOf(await post('/console/login', { token: ADMIN })).split('=')[0] ?? '';
    await page.goto(`${address}/console/runs`);
    await page.context().addCookies([{ name, value: cookie, domain: '127.0.0.1', path: '/console' }]);
    await says(page, 'Your session has ended.');
    await visit('/console/runs');
    await says(page, 'Your session has ended. Log in again.');
    await logIn();
    await page.waitForURL(`${address}/console/runs`);
    await says(page, 'The latest runs');
  });

  it('shows a suspended epoch, and what it waits for', async (context) => {
    needBrowser(context);
    const next = { nonce: 't', why: 'tasks were lost', bumpedAt: Date.now() };
    const loss = { place: 'recency.tasks/3', what: '17 tasks', foundAt: Date.now(), end: '42' };
    expect(await visit('/console/epoch', 'epoch')).toContain('in force');
    await suspendEpoch(site.primary, next, [loss]);
    const text = await visit('/console/epoch');
    for (const part of ['suspended', 'recency.tasks/3', '17 tasks']) expect(text).toContain(part);
    await page.getByRole('link', { name: 'Begin a new epoch…' }).click();
    await says(page, 'Every index becomes cold at once.');
    await picture('bump');
    await expectAccessible(page);
    await expectNarrow(page);
  });

  it('says which server is unavailable, and goes on when it is back', async (context) => {
    needBrowser(context);
    const { MYSQL_URL, REDIS_URL = '' } = site.settings;
    await page.goto(`${address}/console`);
    redis.leadTo(NOWHERE.redis);
    await says(page, 'degraded');
    await says(page, 'Redis is unavailable.');
    await expectAccessible(page);
    await picture('degraded');
    expect(await visit('/console/user?user=1')).toContain('Redis is unavailable.');
    expect(await visit('/console/dead-letters')).toContain('Redis is unavailable.');
    expect(await visit('/console/fan-outs')).toContain('Redis is unavailable.');
    redis.leadTo(REDIS_URL);
    await says(page, 'Large fan-outs in progress');
    await page.goto(`${address}/console`);
    mysql.leadTo(NOWHERE.mysql);
    await says(page, 'unready');
    await says(page, 'MySQL is unavailable.');
    expect(await visit('/console/runs')).toContain('MySQL is unavailable.');
    expect(await visit('/console/epoch')).toContain('MySQL is unavailable.');
    mysql.leadTo(MYSQL_URL);
    await says(page, 'suspended');
    await page.goto(`${address}/console`);
    serve.signal('SIGKILL');
    await says(page, 'The server does not answer. What is shown is old.');
  });

  it('has violated its content security policy nowhere, and that would have been noticed', async (context) => {
    needBrowser(context);
    expect(violations).toEqual([]);
    const inline = 'const s = document.createElement("script"); s.textContent = "1"; document.body.append(s)';
    await page.evaluate(inline);
    await until(() => violations.length > 0);
  });
});
