import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const DECLARATION = /^(?:export )?(?:abstract )?(?:interface|class|type)\s+(\w+)/gm;

/** Names that are still declared twice. Take out what has been renamed, and add nothing. */
const STILL_SHARED = new Set(
  [
    'Crowd Flags Found Grant Line Load Measured Operation Photo Place Reader Reading RedisMaster RelayCounts RetryOptions',
    'Row RunOptions Servers Site Transport Turn TurnsOptions VariantName Waiting Work',
  ].flatMap((names) => names.split(' ')),
);

it('no two types of src share a name', () => {
  const files = new Map<string, string[]>();
  for (const file of globSync('src/**/*.ts')) {
    const names = [...readFileSync(file, 'utf8').matchAll(DECLARATION)].map(([, name]) => String(name));
    for (const name of new Set(names)) files.set(name, [...(files.get(name) ?? []), file]);
  }
  const shared = [...files].filter(([name, declaredIn]) => declaredIn.length > 1 && !STILL_SHARED.has(name));
  expect(Object.fromEntries(shared)).toEqual({});
});
