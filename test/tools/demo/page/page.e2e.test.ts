import { writeFileSync } from 'node:fs';
import process from 'node:process';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { expectAccessible, says, tabTo, violationsOf } from '../../../console/browser.ts';
import { startChromium } from '../../../support/chromium.ts';
import { DemoCommand } from '../../../support/demo-command.ts';
import { until } from '../../../support/until.ts';

/** Where to put the picture of the page, for README.md: of the whole demonstration, not of a small one; undefined: none is taken. */
const PICTURES = process.env.DEMO_PICTURES;

const WHOLE = ['--users', '5000', '--most', '20000', '--seconds', '5', '--burst', '2000', '--rounds', '5'];

/** Its Redis is its own, so that it may be flushed. */
let demo: DemoCommand;
let address: string;
let page: Page;
let violations: string[] = [];
let missing: string | undefined;

const cleanUps: (() => Promise<unknown>)[] = [];

/** Registered here and not in a hook, where it would not be called. */
afterAll(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

beforeAll(async () => {
  const browser = await startChromium();
  if (typeof browser === 'string') missing = browser;
  else cleanUps.push(() => browser.close());
  demo = new DemoCommand({ redis: 'own' }, '--page', ...(PICTURES === undefined ? [] : WHOLE));
  cleanUps.push(async () => {
    demo.kill('SIGKILL');
    await demo.exitCode;
  });
  address = await until(() => /page\s+see it at (http:\S+)/.exec(demo.stdout)?.[1], {
    what: 'the demonstration serves its page',
  });
  if (typeof browser === 'string') return;
  page = await browser.newPage({ viewport: { width: 1_280, height: 900 } });
  violations = violationsOf(page);
  await page.goto(address);
}, 300_000);

function needBrowser({ skip }: Pick<TestContext, 'skip'>): void {
  if (missing !== undefined) skip(missing);
}

const names = () => page.locator('.people > li strong').allInnerTexts();
const numberOf = async (name: 'wrong' | 'compared') =>
  Number(await page.locator(`[data-${name}]`).getAttribute(`data-${name}`));

function post(path: string, fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>>) {
  const body = new URLSearchParams(fields);
  return fetch(address + path, {
    method: 'POST',
    body,
    headers: { accept: 'text/plain', ...headers },
    redirect: 'manual',
  });
}

/** Draws an image in a browser. */
const TO_WEBP = `async (source) => {
  const image = new Image();
  image.src = source;
  await image.decode();
  const { width, height } = image;
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  canvas.getContext('2d').drawImage(image, 0, 0);
  return canvas.toDataURL('image/webp', 0.85);
}`;

/** What a page shows, in a third of the bytes of a PNG. */
async function webpOf(page: Page): Promise<Buffer> {
  const png = (await page.screenshot()).toString('base64');
  const empty = await another(page);
  const url = String(await empty.evaluate(`(${TO_WEBP})('data:image/png;base64,${png}')`));
  await empty.close();
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}

/** Another page of the same browser. */
async function another(page: Page, options: { javaScriptEnabled?: boolean } = {}): Promise<Page> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('the page has no browser');
  return await browser.newPage(options);
}

/** Answers go on being compared, and none is wrong. */
async function expectRight(more = 10): Promise<void> {
  const from = await numberOf('compared');
  await until(async () => (await numberOf('compared')) >= from + more, { what: 'more answers are compared' });
  expect(await numberOf('wrong')).toBe(0);
}

describe('the door of the page', () => {
  it('refuses what comes from another site', async () => {
    for (const headers of [
      {},
      { origin: 'http://elsewhere.test' },
      { origin: address, 'sec-fetch-site': 'cross-site' },
    ]) {
      expect((await post('/faults/flush', {}, headers)).status).toBe(403);
    }
    for (const path of ['/?person=1x', '/faces/x.svg', '/photos/0.svg', '/files/app.ts', '/site/add']) {
      expect((await fetch(address + path)).status).toBe(404);
    }
  });

  it('shows who is there, and a drawing of anybody', async () => {
    const text = await (await fetch(address)).text();
    expect(text).toContain('Recently active contacts of');
    const face = await fetch(`${address}/faces/7.svg`);
    expect(face.headers.get('content-type')).toMatch(/^image\/svg\+xml/);
    expect(face.headers.get('content-security-policy')).toContain("default-src 'none'");
  });
});

describe('the page of a demonstration, in a browser', () => {
  it('shows people and the story; what changes the site waits until that has ended', async (context) => {
    needBrowser(context);
    expect((await names()).length).toBeGreaterThan(3);
    await says(page, 'Under way');
    await until(() => demo.stdout.includes('Nothing was wrong'), { what: 'the story has ended', timeout: 200_000 });
    await says(page, 'Nothing was wrong, during and after');
    await page.locator('.people button:enabled').first().waitFor();
  });

  it('shows an upload at the head of the list, and its way', async (context) => {
    needBrowser(context);
    const last = String((await names()).at(-1));
    await tabTo(page, `Upload: ${last}`);
    await page.keyboard.press('Enter');
    await until(async () => (await names())[0] === last, { what: `${last} is the first` });
    await until(async () => (await page.locator('.stations .passed').count()) === 4, {
      what: 'the change has arrived',
    });
    expect(await page.locator('.stations').innerText()).toMatch(
      /published\s+\d+ ms[\s\S]*applied\s+\d+ ms[\s\S]*answered\s+\d+ ms/,
    );
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe(`Upload: ${last}`);
    await says(page, `${last} uploads a photo`);
  });

  it('hides a photo and shows it again', async (context) => {
    needBrowser(context);
    const photo = await page.locator('.people .photo').first().getAttribute('data-key');
    const shown = () => page.locator(`.people .photo[data-key="${photo}"]`).count();
    await page
      .getByRole('button', { name: /^Hide photo/ })
      .first()
      .click();
    await until(async () => (await shown()) === 0);
    await page.getByRole('button', { name: /^Show again/ }).click();
    await until(async () => (await shown()) === 1);
  });

  it('removes a contact and adds one', async (context) => {
    needBrowser(context);
    const [first = ''] = await names();
    await page
      .getByRole('button', { name: `Remove: ${first}` })
      .first()
      .click();
    await until(async () => (await names())[0] !== first);
    const stranger = page.locator('.strangers li').first();
    const name = await stranger.locator('span').innerText();
    await stranger.getByRole('button').click();
    await until(async () => (await names()).includes(name));
  });

  it('works without its script', async (context) => {
    needBrowser(context);
    const quiet = await another(page, { javaScriptEnabled: false });
    await quiet.goto(address);
    const last = String(await quiet.locator('.people > li strong').last().innerText());
    await quiet
      .getByRole('button', { name: `Upload: ${last}` })
      .last()
      .click();
    await until(async () => {
      await quiet.getByRole('link', { name: 'Refresh' }).click();
      return (await quiet.locator('.people > li strong').first().innerText()) === last;
    });
    await quiet.close();
  });

  it('has the arms race', async (context) => {
    needBrowser(context);
    await until(async () => (await page.locator('.arms .ms').allInnerTexts()).every((time) => /^\d.* ms$/.test(time)));
    expect(await page.locator('.arms rect').count()).toBeGreaterThanOrEqual(6);
  });

  it('can be used by everybody, on a desk and on a phone, in light and in dark', async (context) => {
    needBrowser(context);
    await page.locator('summary').click();
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.setViewportSize({ width: 1_280, height: 900 });
  });

  it.runIf(PICTURES !== undefined)('has its picture taken', async (context) => {
    needBrowser(context);
    await expectRight(300);
    await page.locator('summary').click();
    await page.setViewportSize({ width: 1_280, height: 1_360 });
    writeFileSync(`${PICTURES}/demo.webp`, await webpOf(page));
    await page.setViewportSize({ width: 1_280, height: 900 });
  });
});

describe('what somebody breaks on the page of a demonstration', () => {
  it('kills a consumer, and another one comes', async (context) => {
    needBrowser(context);
    const consumers = () => page.locator('.breakable strong', { hasText: 'consumer' }).allInnerTexts();
    const [victim = '', ...others] = await consumers();
    await page.getByRole('button', { name: `Kill ${victim}` }).click();
    await says(page, 'killed; another one is started in a moment');
    await until(async () => {
      const found = await consumers();
      return !found.includes(victim) && found.length === others.length + 1;
    });
    await expectRight();
  });

  it('flushes Redis, and no answer is wrong', async (context) => {
    needBrowser(context);
    await page.getByRole('button', { name: 'Flush Redis' }).click();
    await says(page, 'flushed once');
    await expectRight(20);
    await until(async () => (await page.locator('.certificate').innerText()).includes('index'));
  });

  it('has violated no content security policy, and ends with the code of the story', async () => {
    expect(violations).toEqual([]);
    demo.kill('SIGINT');
    expect(await demo.exitCode, demo.stderr).toBe(0);
  });
});
