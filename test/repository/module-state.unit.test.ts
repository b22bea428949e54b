import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const ROOT = new URL('../../', import.meta.url);

/** What changes after a module is loaded, or may: a `let`, or a collection that begins empty. */
const STATE =
  /^(?:export )?(?:let \w+|(?:const|var) \w+(?:: (?!Readonly)[^=]+)? = new (?:Weak)?(?:Map|Set|LRUCache)(?:<.*>)?\((?:\{.*)?\))/gm;

/** What is left, and why. */
const LEFT: Readonly<Record<string, string>> = {
  'src/tracing/tracing.ts': 'what makes spans, set once when a process starts; called from everywhere',
  'src/transport/kafka/fetch-response.ts':
    'faults and turns of partitions, behind a decoder that kafkajs calls by itself',
};

function stateIn(text: string): string[] {
  return Array.from(text.matchAll(STATE), ([found]) => found);
}

describe('state of modules', () => {
  it('is found: a let, or a collection that begins empty, at the beginning of a line', () => {
    expect(stateIn('let named: string[] = [];\nexport let count = 0;')).toHaveLength(2);
    expect(stateIn('const TEXTS = new Map<string, string>();\nconst KNOWN = new WeakMap<Kind, Text>();')).toHaveLength(
      2,
    );
    expect(stateIn("const WORDS = new Set(['a']);\n  let inside = 1;\nconst list = [];")).toEqual([]);
  });

  it('is nowhere in the product but where a reason says why', () => {
    const files = globSync('src/**/*.ts', { cwd: ROOT, exclude: ['src/tools/**'] });
    const found = files.filter((file) => stateIn(readFileSync(new URL(file, ROOT), 'utf8')).length > 0);
    expect(found.sort()).toEqual(Object.keys(LEFT).sort());
  });
});
