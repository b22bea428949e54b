import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { html } from '../../src/console/html.ts';

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

const unescaped = (text: string) => text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '');

describe('markup', () => {
  test.prop([fc.string({ unit: fc.constantFrom(...'<>&"\'`=/ ab;#39') })])('contains text as text', (text) => {
    const { text: made } = html`${text}`;
    expect(made).not.toMatch(/[<>"']/);
    expect(unescaped(made)).toBe(text);
  });

  it('contains markup, lists and numbers, and of nothing nothing', () => {
    const items = ['a', '<b>'].map((one) => html`<li>${one}</li>`);
    expect(html`<ul>${items}${undefined}${false}${[1, [2]]}</ul>`.text).toBe('<ul><li>a</li><li>&lt;b&gt;</li>12</ul>');
  });
});
