import { describe, expect, test } from 'vitest';
import { faceSvg } from '../../../../src/tools/demo/page/face.ts';
import { nameOf } from '../../../../src/tools/demo/page/names.ts';
import { photoSvg } from '../../../../src/tools/demo/page/photo.ts';

const IDS = ['1', '2', '42', '20004', '18446744073709551615'];
const many = Array.from({ length: 500 }, (_, i) => String(i + 1));

describe.each([
  ['a name', nameOf],
  ['a face', faceSvg],
  ['a photo', photoSvg],
])('%s', (_what, draw) => {
  test('is always the same for an id', () => {
    for (const id of IDS) expect(draw(id)).toBe(draw(id));
  });

  test('is seldom that of another id', () => {
    expect(new Set(many.map(draw)).size).toBeGreaterThan(300);
  });
});

test('a name is a first name and an initial', () => {
  for (const id of many) expect(nameOf(id)).toMatch(/^[A-Z][a-z]+ [A-Z]\.$/);
});

test.each([
  ['faces', faceSvg],
  ['photos', photoSvg],
])('%s are complete drawings without anything that a policy would refuse', (_what, draw) => {
  for (const id of many) {
    const svg = draw(id);
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 \d+ \d+" .*<\/svg>$/);
    expect(svg).not.toMatch(/style=|<style|<script|href|NaN|undefined/);
  }
});
