import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { until } from '../support/until.ts';

/** What axe looks for: everything where it is light; in the dark only the colours are others. */
const RULES: Readonly<Record<'light' | 'dark', axe.RunOptions>> = {
  light: {},
  dark: { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } },
};

/** What axe finds that keeps people from using the page, in light and in dark. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const options: axe.RunOptions = { resultTypes: ['violations'], ...RULES[colorScheme] };
    const found = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as axe.AxeResults;
    const grave = found.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    const shown = grave.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, any }) => [html, any[0]?.message]) }));
    expect({ page: page.url(), colorScheme, shown }).toEqual({ page: page.url(), colorScheme, shown: [] });
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

const PHONE = 390;

/** On a phone a page scrolls down and never sideways: only wide tables do, within themselves. */
export async function expectNarrow(page: Page): Promise<void> {
  const before = page.viewportSize() ?? { width: 1_100, height: 560 };
  await page.setViewportSize({ width: PHONE, height: 800 });
  const width = () => page.evaluate('document.documentElement.scrollWidth');
  // A chart is drawn anew a moment after its page has become narrower.
  await until(async () => (await width()) === PHONE, { timeout: 30_000, what: `${page.url()} is ${PHONE} px wide` });
  await page.setViewportSize(before);
}

/** The violations of the content security policy that the browser reports. */
export function violationsOf(page: Page): string[] {
  const violations: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) violations.push(message.text());
  });
  return violations;
}

const ACTIVE =
  '(() => { const at = document.activeElement; return at?.getAttribute("aria-label") || at?.textContent?.trim() || at?.id; })()';

/** Presses Tab until something with this name has the focus, as somebody without a mouse does. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const passed: unknown[] = [];
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press('Tab');
    const active = await page.evaluate(ACTIVE);
    if (active === name) return;
    passed.push(active);
  }
  throw new Error(`Tab does not lead to ${name}; it leads to ${passed.join(' | ')}`);
}

/** Waits until the page says so, by itself. */
export async function says(page: Page, text: string): Promise<void> {
  await until(async () => (await page.locator('main').innerText()).includes(text), { what: `the page says '${text}'` });
}
