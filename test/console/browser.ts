import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { until } from '../support/until.ts';

/** What axe finds that keeps people from using the page, in light and in dark. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(axe.source);
    const found = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as axe.AxeResults;
    const grave = found.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    const shown = grave.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, any }) => [html, any[0]?.message]) }));
    expect({ page: page.url(), colorScheme, shown }).toEqual({ page: page.url(), colorScheme, shown: [] });
  }
  await page.emulateMedia({ colorScheme: 'light' });
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
