import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const DECLARATION = /^(?:export )?(?:abstract )?(?:interface|class|type)\s+(\w+)/gm;

it('no two types of src share a name', () => {
  const files = new Map<string, string[]>();
  for (const file of globSync('src/**/*.ts')) {
    const names = [...readFileSync(file, 'utf8').matchAll(DECLARATION)].map(([, name]) => String(name));
    for (const name of new Set(names)) files.set(name, [...(files.get(name) ?? []), file]);
  }
  const shared = [...files].filter(([, declaredIn]) => declaredIn.length > 1);
  expect(Object.fromEntries(shared)).toEqual({});
});
