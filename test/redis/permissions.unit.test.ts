import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { aclRules } from '../../src/redis/permissions.ts';

const rules = aclRules('recency', { index: true, tasks: true });
const ofClusters = aclRules('recency', { index: true, tasks: true, isCluster: true });

/** Commands that a script calls, as ACL rules name them. */
function calledIn(file: string): string[] {
  const calls = readFileSync(file, 'utf8').matchAll(/\bcall\(\s*'([A-Z]+)'(?:,\s*'([A-Z]+)')?/g);
  return [...calls].map(([, name = '', word]) => {
    const isContainer = ['XGROUP', 'XINFO', 'CLUSTER'].includes(name);
    return `+${isContainer ? `${name}|${word}` : name}`.toLowerCase();
  });
}

describe('the least rights in Redis', () => {
  const files = globSync('src/**/*.lua').filter((file) => !file.startsWith('src/tools/bench'));

  it('hold every command that a script calls', () => {
    const called = files.flatMap(calledIn);
    expect(called.length).toBeGreaterThan(50);
    expect(called.filter((rule) => !ofClusters.includes(rule))).toEqual([]);
  });

  it('are those of docs/operations.md', () => {
    const text = readFileSync('docs/operations.md', 'utf8');
    const section = text.slice(text.indexOf('### Redis\n'), text.indexOf('On a cluster also'));
    const documented = section.match(/(?<= )\+[a-z|]+/g) ?? [];
    expect(documented.toSorted()).toEqual(rules.filter((rule) => rule.startsWith('+')).toSorted());
    const more = ofClusters.filter((rule) => !rules.includes(rule));
    expect(
      text
        .slice(text.indexOf('On a cluster also'))
        .match(/(?<=[ `])\+[a-z|]+/g)
        ?.slice(0, more.length)
        .toSorted(),
    ).toEqual(more.toSorted());
  });
});
