import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { aptInstall, aptUnavailable, findProgram, runProgram } from '../../src/tools/devservers/launch/machine.ts';
import { alertCases, alertRules, expressions } from '../support/deployed.ts';

const RULES = 'deploy/prometheus/rules.yaml';

let promtool: string | undefined;

/** promtool, from Debian's package `prometheus` where it is missing. With CI set, its absence is a failure. */
beforeAll(async () => {
  const reason = findProgram('promtool') === undefined ? aptUnavailable() : undefined;
  if (findProgram('promtool') === undefined && reason === undefined) await aptInstall(['prometheus']);
  promtool = findProgram('promtool');
  if (promtool !== undefined) return;
  const text = `promtool cannot be had: ${reason ?? 'the package `prometheus` has none'}`;
  if (process.env.CI) throw new Error(text);
  console.log(`Its tests are left out: ${text}`);
}, 300_000);

describe('deploy/prometheus', () => {
  it('fires and keeps quiet as its cases say', async ({ skip }) => {
    if (promtool === undefined) return skip();
    expect(await runProgram(promtool, ['check', 'config', 'deploy/prometheus/prometheus.yaml'])).toContain('SUCCESS');
    expect(await runProgram(promtool, ['test', 'rules', 'deploy/prometheus/tests.yaml'])).toContain('SUCCESS');
  });

  it('and the dashboard have expressions that Prometheus itself accepts', async ({ skip }) => {
    if (promtool === undefined) return skip();
    const dir = await mkdtemp(join(tmpdir(), 'recency-rules-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    const check = async (exprs: readonly string[]) => {
      const rules = exprs.map((expr, i) => ({ record: `expression_${i}`, expr }));
      const file = join(dir, 'rules.json'); // JSON is YAML
      await writeFile(file, JSON.stringify({ groups: [{ name: 'all', rules }] }));
      return await runProgram(promtool as string, ['check', 'rules', file]);
    };
    expect(await check(expressions.map(({ expr }) => expr))).toContain(`${expressions.length} rules found`);
    await expect(check(['sum(rate(a))'])).rejects.toThrow('expected type range vector');
  });

  it('has for every alert a case in which it fires, and one in which it does not', () => {
    const names = alertRules.map(({ alert }) => alert);
    expect(names.length).toBeGreaterThan(20);
    expect(new Set(names).size).toBe(names.length);
    for (const fires of [true, false]) {
      const tried = alertCases.filter(({ exp_alerts: alerts }) => alerts.length > 0 === fires);
      expect(tried.map(({ alertname }) => alertname)).toEqual(names);
    }
  });

  it('has for every alert a section of the runbook, and the runbook no other', () => {
    const runbook = readFileSync('docs/runbook.md', 'utf8');
    const sections = runbook.split(/^## /m).slice(1);
    expect(sections.map((text) => text.split('\n')[0])).toEqual(alertRules.map(({ alert }) => alert));
    for (const [i, { alert, labels, annotations }] of alertRules.entries()) {
      expect(annotations.runbook_url).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
      expect(sections[i]).toContain(`*${labels.severity}*`);
      const [, , , ...toDo] = String(sections[i]).trim().split('\n');
      expect(toDo.join(' ').length, `what to do about ${alert}`).toBeGreaterThan(80);
    }
    const named = [...runbook.matchAll(/\bRecency[A-Z]\w+/g)].map(([name]) => name);
    expect(named.filter((name) => !alertRules.some(({ alert }) => alert === name))).toEqual([]);
    expect(readFileSync(RULES, 'utf8')).toContain('docs/runbook.md');
  });
});
